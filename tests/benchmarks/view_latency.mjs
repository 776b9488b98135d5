// How old a state is when the graphics process has drawn its picture: the excavator in real time, one pane of 1280 x 720, at most 20,000 points, automatic quality,
// drawn without a GPU. Says the median and the nine tenths of the pictures of some seconds.
//
// usage: node view_latency.mjs TANDEM REPOSITORY
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, open, until } from "../master/view/browser.mjs";

const [tandem, repository] = process.argv.slice(2);
const most = 100; // ms, median
const seconds = 10;

const folder = mkdtempSync(join(tmpdir(), "tandem_latency_"));
const run = spawn(tandem, ["run", join(repository, "config/excavator/kinematic.ssd"), "--stop=1000", "--realtime", "--record=none",
  "--shadow=off", "--set=lidar.window=0.45", "--view=0", `--out=${join(folder, "out")}`], { stdio: ["ignore", "ignore", "pipe"] });
const address = await new Promise((done, fail) => {
  let said = "";
  run.stderr.on("data", (data) => {
    said += data;
    const found = /view: (http:\S+)/.exec(said);
    if (found) done(found[1]);
  });
  run.on("exit", () => fail(new Error(`ended before it served: ${said}`)));
});
const browser = await launch();
let failed = false;
try {
  const { page } = await open(browser, address, { width: 1280, height: 720 });
  await until(page, () => window.tandem?.cloud() > 0);
  await page.waitForTimeout(3000); // the quality finds itself
  const samples = await page.evaluate(async (time) => {
    const found = [];
    const end = performance.now() + time;
    for (let last = window.tandem.latency(); performance.now() < end;) {
      await new Promise((done) => requestAnimationFrame(done));
      if (window.tandem.latency() === last) continue;
      last = window.tandem.latency();
      found.push(last);
    }
    return found.sort((a, b) => a - b);
  }, 1000 * seconds);
  const at = (part) => samples[Math.floor(part * (samples.length - 1))];
  const points = await page.evaluate(() => window.tandem.cloud());
  console.log(`state to pixels: ${at(0.5).toFixed(0)} ms median, ${at(0.9).toFixed(0)} ms in nine of ten pictures; ` +
    `${(samples.length / seconds).toFixed(1)} pictures a second, ${points} points, quality ${await page.evaluate(() => window.tandem.quality())}`);
  failed = !(at(0.5) <= most);
} finally {
  await browser.close();
  run.removeAllListeners("exit");
  run.kill("SIGINT");
  await new Promise((done) => run.on("exit", done));
  rmSync(folder, { recursive: true, force: true });
}
if (failed) {
  console.error(`more than ${most} ms`);
  process.exit(1);
}
