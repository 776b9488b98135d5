// Pictures for the README from a server that runs: node screenshots.mjs URL FOLDER
//   ./run run config/excavator --view=8080 --realtime        in one terminal, then
//   node tests/master/view/screenshots.mjs http://127.0.0.1:8080/ master/view/pictures
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, open, until } from "./browser.mjs";

const [url, folder] = process.argv.slice(2);
if (!url || !folder) {
  console.error("usage: node screenshots.mjs URL FOLDER");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const browser = await launch();
const { page } = await open(browser, `${url}?quality=high&theme=dark`, { width: 1280, height: 720 });
const save = async (name) => {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300)))));
  await page.screenshot({ path: join(folder, `${name}.png`), timeout: 300_000 });
  console.log(join(folder, `${name}.png`));
};
await page.waitForFunction(() => window.tandem?.state().holds && window.tandem.state().time > 14, null, { timeout: 600_000, polling: 200 });
if (!(await page.evaluate(() => window.tandem.state().paused))) await page.keyboard.press("p"); // a picture of one moment, and no drawing besides
await until(page, () => window.tandem.state().paused);
await page.getByRole("button", { name: "Fold or unfold" }).click();
await save("scene");
await page.keyboard.press("4");
await save("panes");
await page.keyboard.press("1");
await page.getByRole("tab", { name: "Plots" }).click();
await page.getByRole("button", { name: "Dark or light" }).click();
await save("plots");
await page.getByRole("tab", { name: "Diagram" }).click();
await save("diagram");
await browser.close();
