// The page on runs and recordings that the program itself serves: TANDEM=PROGRAM node --test program_test.mjs
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { launch, open, root, statistics, until } from "./browser.mjs";
import { run, serving, temporary } from "./program.mjs";

const browser = await launch();
const folder = temporary();

/** Two masses with a view file. */
function masses(name, view) {
  const system = join(folder, name);
  cpSync(join(root, "examples/two_mass"), system, { recursive: true });
  mkdirSync(join(system, "extra/io.tandem.cosim"), { recursive: true });
  writeFileSync(join(system, "extra/io.tandem.cosim/view.xml"), `<View xmlns="urn:tandem:view:1">${view}</View>`);
  return system;
}

const legend = (page, plot = 0) =>
  page.locator(".plot").nth(plot).locator(".u-legend .u-series").allInnerTexts();

test("two recordings are plotted, by the view file and by the search, and the shorter one has no value after its end", async (t) => {
  const system = masses("wished", '<Plot title="Both" signals="left.x right.x"/>');
  const long = run(system, join(folder, "long"), "--stop=2"), short = run(system, join(folder, "short"), "--stop=1");
  for (const [first, second, shorter] of [[long, short, 1], [short, long, 0]]) {
    const served = await serving("view", first, second);
    const { page, complaints } = await open(browser, served.url);
    t.after(() => Promise.all([page.close(), served.close()]));
    await until(page, () => window.tandem?.plots()[0]?.points > 100);
    await page.getByLabel("Search signals").fill("right.x");
    await page.getByRole("button", { name: "Plot right.x" }).click();
    await until(page, () => window.tandem.plots().length === 2 && window.tandem.plots()[0].points > 100);
    assert.deepEqual((await page.evaluate(() => window.tandem.plots())).map((plot) => plot.span), [[0, 2], [0, 2]]);
    await page.waitForTimeout(300);
    for (const plot of [1, 2]) {
      const { deviation } = await statistics(page, `.plot:nth-child(${plot}) canvas`);
      assert.ok(deviation > 10, `plot ${plot} is drawn, not empty: ${deviation}`);
    }
    assert.deepEqual(complaints, []);
    await page.getByRole("slider", { name: "Time" }).fill("0.5");
    await until(page, () => document.querySelector(".plot .u-legend .u-value").innerText === "0.500");
    for (const text of await legend(page)) assert.match(text, /\d$/);
    await page.getByRole("slider", { name: "Time" }).fill("1.5");
    await until(page, () => document.querySelector(".plot .u-legend .u-value").innerText === "1.500");
    const curves = (await legend(page)).slice(1);
    assert.equal(curves.length, 2);
    curves.forEach((text, stream) => assert.match(text, stream === shorter ? /–$/ : /\d$/, `${curves}`));
    assert.match(await page.locator(".foot").innerText(), /short \(to 1 s\)/);
    assert.match(await page.locator(".time").innerText(), /^1\.500 s/, "time goes on to the end of the longer one");
    assert.deepEqual(complaints, []);
  }
});

test("a page that is opened late draws nothing over the time that it did not see", async (t) => {
  const served = await serving("run", join(root, "examples/two_mass"), "--stop=1000", "--realtime", "--shadow=off", `--out=${join(folder, "late")}`);
  await new Promise((done) => setTimeout(done, 2500)); // nobody looks: the program asks for one state a second
  const { page, complaints } = await open(browser, served.url);
  t.after(() => Promise.all([page.close(), served.close()]));
  await until(page, () => window.tandem?.state().time > 0);
  await page.getByLabel("Search signals").fill("right.x");
  await page.getByRole("button", { name: "Plot right.x" }).click();
  await until(page, () => window.tandem.plots()[0].points > 20);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export as CSV" }).first().click()]);
  const rows = readFileSync(await file.path(), "utf8").trim().split("\n").slice(1).map((line) => line.split(","));
  assert.deepEqual(rows.slice(0, 3).map((row) => row[1] === ""), [false, true, false], `${rows.slice(0, 4)}`);
  assert.ok(rows.slice(3).every((row) => row[1] !== ""));
  assert.deepEqual(complaints, []);
});

after(() => browser.close());
