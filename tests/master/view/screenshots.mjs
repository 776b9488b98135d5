// Pictures for the README from servers that run: node screenshots.mjs FOLDER page=URL [t=SECONDS] [tele=URL] [report=FILE]
//   ./run run config/excavator --view=8080 --realtime        in one terminal (or ./run view results/excavator), then
//   node tests/master/view/screenshots.mjs master/view/pictures page=http://127.0.0.1:8080/ report=results/excavator/report.html
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open } from "./browser.mjs";

const [folder, ...rest] = process.argv.slice(2);
const given = Object.fromEntries(rest.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]));
if (!folder || !(given.page || given.tele || given.report)) {
  console.error("usage: node screenshots.mjs FOLDER [page=URL] [t=SECONDS] [tele=URL] [report=FILE]");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const browser = await launch();
const size = { width: 1280, height: 720 };
const long = 600_000; // without a graphics card a picture of high quality takes its time
async function save(page, name) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300)))));
  await page.screenshot({ path: join(folder, `${name}.png`), timeout: long });
  console.log(join(folder, `${name}.png`));
}

/** A picture of one moment, and no drawing besides. */
async function stand(page, t) {
  const paused = () => page.evaluate(() => window.tandem.state().paused);
  if ((await page.getByRole("slider", { name: "Time" }).count()) === 0)
    await page.waitForFunction((time) => window.tandem?.state().holds && window.tandem.state().time > time, t, { timeout: long, polling: 200 });
  if (!(await paused())) await page.keyboard.press("p");
  await page.waitForFunction(() => window.tandem.state().paused, null, { timeout: long, polling: 200 });
  if ((await page.getByRole("slider", { name: "Time" }).count()) > 0) await page.getByRole("slider", { name: "Time" }).fill(String(t));
  await page.evaluate(() => document.activeElement?.blur());
}

if (given.page) {
  // Small until the moment has come: so drawing does not keep the page from taking every state for its plots.
  const { page } = await open(browser, `${given.page}?quality=high&theme=dark`, { width: 320, height: 200 });
  page.setDefaultTimeout(long);
  await page.waitForFunction(() => window.tandem?.state().time !== undefined && window.tandem.drawn() > 0, null, { timeout: long, polling: 200 });
  await stand(page, Number(given.t ?? 14));
  await page.setViewportSize(size);
  await page.getByRole("button", { name: "Fold or unfold" }).click();
  await save(page, "scene");
  await page.keyboard.press("4");
  await save(page, "panes");
  await page.keyboard.press("1");
  await page.getByRole("tab", { name: "Plots" }).click();
  await page.getByRole("button", { name: "Dark or light" }).click();
  await save(page, "plots");
  await page.getByRole("tab", { name: "Diagram" }).click();
  await page.locator(".bundle").first().click({ force: true });
  await save(page, "diagram");
  await page.close();
}
if (given.tele) {
  // What is drawn in high quality without a graphics card is stale before it is seen.
  const { page } = await open(browser, `${given.tele}?quality=low&theme=dark`, size);
  page.setDefaultTimeout(long);
  await page.waitForFunction(() => window.tandem?.packets() > 8 && window.tandem.drawn() > 2 && !window.tandem.stale(), null, { timeout: long, polling: 100 });
  await save(page, "tele");
  await page.close();
}
if (given.report) {
  const { page } = await open(browser, pathToFileURL(resolve(given.report)).href, { width: 1120, height: 980 });
  const scene = page.locator("section.scene");
  if ((await scene.count()) > 0) {
    await scene.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector("section.scene").scene?.drawn() > 0, null, { timeout: long, polling: 200 });
  }
  await save(page, "report");
  await page.close();
}
await browser.close();
