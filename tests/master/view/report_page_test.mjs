// The report of a real run in Chromium: TANDEM=build/release/tandem node --test report_page_test.mjs
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, open, root, statistics, until } from "./browser.mjs";

const tandem = process.env["TANDEM"];
const folder = mkdtempSync(join(tmpdir(), "tandem_report_"));
const run = spawnSync(tandem, ["run", join(root, "config/excavator/kinematic.ssd"), "--stop", "0.5", "--record-interval", "0.05", "--out", folder, "--overwrite", "--quiet"], { encoding: "utf8" });
assert.ok(run.status === 0 || run.status === 3, `${run.status}: ${run.stderr}`);
const report = join(folder, "report.html");
const browser = await launch();
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** One column of results.csv. */
function column(name) {
  const [head, ...rows] = readFileSync(join(folder, "results.csv"), "utf8").split("\n").filter((line) => line && !line.startsWith("#")).map((line) => line.split(","));
  return rows.map((row) => Number(row[head.indexOf(name)]));
}

test("machine and wall of a report can be turned, and stand where the results say", async (t) => {
  const { page, complaints } = await open(browser, pathToFileURL(report).href, { width: 900, height: 600 });
  t.after(() => page.close());
  await page.locator("section.scene").scrollIntoViewIfNeeded();
  await until(page, () => document.querySelector("section.scene")?.scene?.drawn() > 0);
  const { colors, deviation } = await statistics(page, "section.scene canvas");
  assert.ok(colors > 60 && deviation > 12, `the picture has ${colors} colours, deviation ${deviation}`);

  const far = async () => {
    const tool = await page.evaluate(() => document.querySelector("section.scene").scene.tool());
    const row = (await page.evaluate(() => document.querySelector("section.scene").scene.time())) === 0 ? 0 : column("time").length - 1;
    return Math.hypot(...[1, 2, 3].map((i) => tool[i - 1] - column(`kinematics.tool.pose[${i}]`)[row]));
  };
  assert.ok((await far()) < 1e-3, `at the end the tool is ${await far()} m off`);
  await page.getByRole("slider", { name: "Moment" }).fill("0");
  assert.ok((await far()) < 1e-3, `at the beginning the tool is ${await far()} m off`);
  const wall = await page.evaluate(() => document.querySelector("section.scene").scene.wall());
  assert.ok(wall.length > 100 && wall.every((h) => h > 0), "the wall stands");

  const picture = () => page.evaluate(() => document.querySelector("section.scene canvas").toDataURL());
  const before = await picture();
  const drawn = await page.evaluate(() => document.querySelector("section.scene").scene.drawn());
  await page.locator("section.scene canvas").focus();
  await page.keyboard.press("ArrowLeft");
  await until(page, (n) => document.querySelector("section.scene").scene.drawn() > n, drawn);
  assert.notEqual(await picture(), before, "arrow keys turn it");
  assert.deepEqual(complaints, []);
});

test("a report needs nothing from elsewhere, and its size does not grow with the run", () => {
  const text = readFileSync(report, "utf8");
  assert.doesNotMatch(text, /<(script|link|img)[^>]*(src|href)=/i);
  assert.ok(statSync(report).size < 8e6, `${statSync(report).size} bytes`);
});

test("printed on A4, plots are drawings and nothing is cut off at the right", async (t) => {
  const { page } = await open(browser, pathToFileURL(report).href, { width: 794, height: 1123 });
  t.after(() => page.close());
  await page.emulateMedia({ media: "print" });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} pixels beyond the page`);
  const charts = await page.evaluate(() => [...document.querySelectorAll(".chart")].filter((c) => c.offsetParent !== null).length);
  assert.equal(charts, 0);
  assert.ok(await page.evaluate(() => [...document.querySelectorAll("figure:has(> .data) > svg")].every((s) => s.getBoundingClientRect().height > 50)), "each plot is drawn");
});
