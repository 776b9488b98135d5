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

/** results.csv: the values of each column. */
const [head, ...rows] = readFileSync(join(folder, "results.csv"), "utf8").split("\n").filter((line) => line && !line.startsWith("#")).map((line) => line.split(","));
const table = new Map(head.map((name, i) => [name, rows.map((row) => Number(row[i]))]));
const column = (name) => table.get(name);

/** Whether values are those of a column, in its unit or in another one: all by the same factor and offset. */
function fits(time, values, wanted) {
  const at = new Map(column("time").map((t, i) => [t, wanted[i]]));
  const pairs = time.map((t, i) => [at.get(t), values[i]]);
  if (pairs.some(([x]) => x === undefined)) return false;
  const [low, high] = [Math.min, Math.max].map((best) => pairs.find(([x]) => x === best(...pairs.map((p) => p[0]))));
  const gain = high[0] > low[0] ? (high[1] - low[1]) / (high[0] - low[0]) : 1;
  const size = Math.max(...values.map(Math.abs), 1e-300);
  return gain > 0 && pairs.every(([x, y]) => Math.abs(low[1] + gain * (x - low[0]) - y) <= 1e-9 * size);
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

test("every plot of a report carries the numbers of the results", async (t) => {
  const { page } = await open(browser, pathToFileURL(report).href, { width: 900, height: 600 });
  t.after(() => page.close());
  const plots = await page.evaluate(() =>
    [...document.querySelectorAll(".plots figure")].map((figure) => ({
      title: figure.querySelector("h3")?.textContent ?? "",
      series: [...figure.querySelectorAll(".data > i")].map(({ dataset }) => {
        const numbers = (text) => [...new Float64Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer)];
        return { label: dataset.label, time: numbers(dataset.time), values: numbers(dataset.values) };
      }),
    })),
  );
  assert.ok(plots.length > 10, `${plots.length} plots`);
  for (const { title, series } of plots) {
    assert.ok(series.length > 0, `'${title}' has its numbers in the page`);
    if (title === "Error of the edge") continue; // of arrays that results.csv does not have
    for (const { label, time, values } of series) {
      const names = head.filter((name) => name === label || name === `${title}.${label}`);
      assert.ok(names.some((name) => fits(time, values, column(name))), `'${title}', '${label}' is one of the results`);
    }
  }
});

test("printed on A4, plots are drawings and nothing is cut off at the right", async (t) => {
  const { page } = await open(browser, pathToFileURL(report).href, { width: 794, height: 1123 });
  t.after(() => page.close());
  await page.emulateMedia({ media: "print" });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} pixels beyond the page`);
  assert.deepEqual(await page.evaluate(() => [...new Set([...document.querySelectorAll(".key i")].map((mark) => getComputedStyle(mark).printColorAdjust))]), ["exact"], "legends keep their colours");
  const charts = await page.evaluate(() => [...document.querySelectorAll(".chart")].filter((c) => c.offsetParent !== null).length);
  assert.equal(charts, 0);
  assert.ok(await page.evaluate(() => [...document.querySelectorAll("figure:has(> .data) > svg")].every((s) => s.getBoundingClientRect().height > 50)), "each plot is drawn");
});
