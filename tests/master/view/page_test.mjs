// The page in Chromium against a source that speaks the protocol: node page_test.mjs
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { launch, open, statistics, until } from "./browser.mjs";
import { excavator, joints, measured, motion, poses, signals, station } from "./machine.mjs";
import { serve } from "./source.mjs";

const low = "?quality=low";
const browser = await launch();

/** Positions of all links in the page and where they should be, largest distance in metres. */
async function farthest(page, data, name) {
  const { links, values } = await page.evaluate((machine) => ({ links: window.tandem.links(0, machine), values: window.tandem.values() }), name);
  const coordinates = Object.fromEntries(joints.filter((j) => j.moves).map((j, i) => [j.name, values[1 + i]]));
  const wanted = poses(coordinates);
  return Math.max(...Object.entries(links).map(([link, at]) => Math.hypot(at[0] - wanted[link][3], at[1] - wanted[link][7], at[2] - wanted[link][11])));
}

test("a run is shown: no complaints, a picture, poses within 1 mm, pause, panes, plots, a second client", async (t) => {
  const data = motion();
  const source = await serve(excavator(), data);
  const { page, complaints } = await open(browser, source.url + low);
  t.after(() => Promise.all([page.close(), source.close()]));
  await until(page, () => window.tandem?.drawn() > 3 && window.tandem.state().holds && window.tandem.state().time > 0.5);

  await until(page, () => window.tandem.plots()[0].points > 5);
  const { colors, deviation } = await statistics(page);
  assert.ok(colors > 60 && deviation > 12, `the picture has ${colors} colours, deviation ${deviation}`);

  await page.getByRole("button", { name: "Pause" }).click();
  await until(page, () => window.tandem.state().paused);
  await page.waitForTimeout(150);
  const before = await page.evaluate(() => window.tandem.state().time);
  assert.ok((await farthest(page, data, "posed")) < 1e-3, "links stand where the poses say");
  assert.ok((await farthest(page, data, "jointed")) < 1e-3, "links stand where the joints say");
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.tandem.state().time), before, "time stands while it is paused");
  await page.getByRole("button", { name: "One communication point" }).click();
  await until(page, (t0) => window.tandem.state().time > t0, before);
  assert.ok((await page.evaluate(() => window.tandem.state().time)) < before + 0.0101);

  await page.getByLabel("Number of panes").selectOption("4");
  assert.deepEqual(await page.evaluate(() => window.tandem.panes()), ["orbit", "operator", "tool", "side"]);
  assert.equal(await page.locator(".pane").count(), 4);
  await page.getByLabel("Number of panes").selectOption("1");
  assert.equal(await page.evaluate(() => window.tandem.cloud()), 500);

  const shown = await page.evaluate(() => window.tandem.plots());
  assert.ok(shown[0].title === "Joints" && shown[0].points > 5, JSON.stringify(shown));
  await page.getByLabel("Search signals").fill("joint slew");
  await page.getByRole("button", { name: "Plot joint.slew" }).click();
  assert.equal((await page.evaluate(() => window.tandem.plots()))[0].signals[0], "joint.slew");
  assert.match(await page.locator(".plot").first().innerText(), /joint\.slew \/ deg/);

  // Names from a foreign system are text.
  await page.getByLabel("Search signals").fill("onerror");
  await page.getByRole("button", { name: "Plot <img src=x onerror=alert(1)>" }).click();
  // A mark of direction in a name would turn around the numbers beside it: it is spelt out.
  await page.getByLabel("Search signals").fill("mirrored");
  await page.getByRole("button", { name: "Plot mirrored\\u202e.angle" }).click();
  assert.match(await page.locator(".plot").first().innerText(), /mirrored\\u202e\.angle/);
  assert.doesNotMatch(await page.locator("body").innerText(), /[\u202e\u2066]/);
  await page.getByRole("tab", { name: "Diagram" }).click();
  assert.equal(await page.locator("img, b:has-text('onerror'), aside script").count(), 0);
  await page.locator(".bundle").first().focus();
  await page.keyboard.press("Enter");
  assert.equal((await page.evaluate(() => window.tandem.plots()))[0].signals[0], "joint.boom");
  await page.getByRole("tab", { name: "Diagram" }).click();
  const wire = await page.locator(".wires tr").nth(1).innerText();
  assert.match(wire, /joint\.boom → in\s+constant, order 1\s+0\.5\d* deg, 5 %\s+-?[\d.]+ deg/, "hold, coupling error and value stand on the wire");

  const second = await open(browser, source.url + low, { width: 400, height: 300 });
  await until(second.page, () => window.tandem?.state().open && window.tandem.state().time > 0);
  assert.equal(await second.page.evaluate(() => window.tandem.state().holds), false, "one operator holds control");
  assert.equal(source.clients, 2);
  await second.page.getByText("Ask for control").click();
  await until(second.page, () => document.querySelector(".bar").innerText.includes("Asked"));
  await second.page.close();
  assert.deepEqual([...complaints, ...second.complaints], []);
});

test("a key moves an axis while the dead-man is held, and only then", async (t) => {
  const data = motion({ manual: true });
  const system = excavator();
  Object.assign(system.view.operator.axes[0], { least: -0.8, most: 0.8 });
  const source = await serve(system, data);
  const { page, complaints } = await open(browser, source.url + low);
  t.after(() => Promise.all([page.close(), source.close()]));
  await until(page, () => window.tandem?.state().holds);
  await page.getByRole("tab", { name: "Drive" }).click();
  await page.getByRole("button", { name: "Operate the axes" }).click();
  const boom = () => data.coordinates(0).boom;

  await page.keyboard.down("KeyK");
  await page.waitForTimeout(400);
  assert.equal(boom(), 0.5, "without the dead-man nothing moves");
  await page.keyboard.down("Space");
  for (let i = 0; i < 300 && boom() < 0.55; ++i) await page.waitForTimeout(50);
  assert.ok(boom() >= 0.55, `the boom went to ${boom()}`);
  await page.keyboard.up("KeyK");
  for (let i = 0; i < 100 && source.seen.filter((m) => m.do === "levers").at(-1).values[0] !== 0; ++i) await page.waitForTimeout(20);
  const stopped = boom();
  await page.waitForTimeout(300);
  assert.equal(boom(), stopped, "the axis stops when the key is let go");
  await page.keyboard.up("Space");

  await page.getByRole("tab", { name: "Inputs" }).click();
  const slider = page.getByRole("slider", { name: /boom\.command/ });
  await slider.focus();
  await page.keyboard.press("End");
  for (let i = 0; i < 100 && !source.seen.some((m) => m.do === "set"); ++i) await page.waitForTimeout(20);
  assert.deepEqual(source.seen.filter((m) => m.do === "set").map((m) => m.value), [0.8], "an input that is an axis has its range");
  const field = page.getByRole("spinbutton", { name: /boom\.command/ });
  for (const wrong of ["0.9", "1e400"]) {
    await field.fill(wrong);
    await field.press("Enter");
    assert.equal(await field.inputValue(), "0.8", "what is no value of it changes nothing");
  }
  assert.match(await page.locator(".log .warning").first().textContent(), /boom\.command keeps 0\.8: expected a number from -0\.8 to 0\.8/);
  assert.equal(source.seen.filter((m) => m.do === "set").length, 1);
  assert.deepEqual(complaints, []);
});

test("one page, from the beginning of a run over the restart of its server to a reset", async (t) => {
  const system = { ...excavator(), stop: 100, buses: ["bus 1", "<b>2</b>"] };
  let source = await serve(system, motion());
  const { page, complaints } = await open(browser, source.url + low, { width: 900, height: 500 });
  t.after(() => Promise.all([page.close(), source.close()]));

  await t.test("rates of buses and topics stand over the scene, and all of them in a table", async () => {
    await until(page, () => window.tandem?.state().time > 0.2);
    // 200 frames a second of simulated time, in two identifiers.
    for (let i = 0, first = source.time; i < 8; ++i) {
      const frames = Math.round(200 * (source.time - first));
      const message = (id, extended, count) => ({ id, extended, count, t: source.time, data: "0aff" });
      source.send({ type: "bus", bus: 0, frames, bits: 100 * frames, beyond: 0, messages: [message(0x81, false, frames / 4), message(0x18fef100, true, (3 * frames) / 4)] });
      await page.waitForTimeout(100);
    }
    source.send({ type: "topics", topics: [{ name: "/<i>points", type: "cloud", size: 4800, published: 9, rate: 10, age: 0.04 }] });
    await until(page, () => window.tandem.traffic().topics.length === 1);
    const [bus] = (await page.evaluate(() => window.tandem.traffic())).buses;
    assert.ok(Math.abs(bus.rate - 200) < 20, `200 frames a second, not ${bus.rate}`);
    assert.match(await page.locator(".rates").innerText(), /bus 1\s+(19|20|21)\d \/s\s+(19|20|21)[\d.]* kbit\/s[^]*1 topic\s+10 \/s/);
    await page.locator(".rates").click();
    const table = await page.locator(".traffic").innerText();
    assert.match(table, /081\s+[45]\d \/s[^]*18FEF100\s+1[3456]\d \/s[^]*0a ff[^]*<b>2<\/b>: 0 frames[^]*\/<i>points\s+10 \/s\s+4800/);
    assert.equal(await page.locator(".traffic b, .traffic i, .rates b").count(), 0, "names are text");
  });

  await t.test("one time for plots, diagram and log while a run goes on", async () => {
    await until(page, () => window.tandem.state().time > 1);
    const early = Number((await page.evaluate(() => window.tandem.state().time)).toFixed(2)) + 0.2;
    await until(page, (time) => window.tandem.state().time > time, early + 0.3);
    source.send({ type: "log", level: "warning", t: early, where: "unit 'machine'", text: "early" });
    source.send({ type: "log", level: "warning", t: early + 0.2, where: "unit 'machine'", text: "later" });
    await page.getByRole("tab", { name: "Plots" }).click();
    for (let i = 0; i < 5; ++i) await page.keyboard.press("ArrowRight");
    assert.equal(await page.getByRole("tab", { name: "Log" }).getAttribute("aria-selected"), "true", "tabs go by arrow keys");
    await page.getByRole("button", { name: `${early.toFixed(2)} s` }).click();
    await until(page, (time) => window.tandem.cursor() === time, early);
    assert.equal((await page.evaluate(() => window.tandem.plots()))[0].time, early);
    assert.match(await page.locator(".log .here").innerText(), /early/);
    assert.match(await page.locator(".log .later").innerText(), /later/);
    await page.getByRole("tab", { name: "Plots" }).click();
    const read = Number(/^t \/ s:?\s*([\d.]+)/.exec(await page.locator(".plot .u-legend").first().innerText())?.[1]);
    assert.ok(read <= early + 5e-4 && read > early - 0.2, `legends show the row at that time, ${early}, not ${read}`);
    assert.ok((await page.locator(".plot .mark.warning").count()) >= 2, "what happened is marked in the plots");
    await page.locator(".plot .u-over").first().focus();
    await page.keyboard.press("Shift+ArrowRight");
    assert.ok((await page.evaluate(() => window.tandem.cursor())) > early, "arrow keys move the time");
    await page.keyboard.press("Escape");
    await until(page, () => window.tandem.cursor() === window.tandem.state().time);
  });

  await t.test("the page comes back when the server was restarted", async () => {
    assert.deepEqual(complaints, []);
    const { port } = source;
    await source.close();
    await until(page, () => !window.tandem.state().open);
    complaints.length = 0;
    await page.evaluate(() => (window.same = true));
    source = await serve(system, motion(), { port, begin: 50 });
    await until(page, () => window.tandem.state().open && window.tandem.state().time > 50);
    assert.ok(await page.evaluate(() => window.same), "the same system is not loaded again");
  });

  await t.test("after a reset only the new run is shown, which goes on", async () => {
    await until(page, () => window.tandem.state().holds && window.tandem.plots()[0].points > 20);
    await page.getByRole("button", { name: "Begin again" }).click();
    await until(page, () => window.tandem.state().run === 2 && window.tandem.state().time > 0.3 && window.tandem.plots()[0].points > 3);
    const { time, points } = await page.evaluate(() => ({ time: window.tandem.state().time, points: window.tandem.plots()[0].points }));
    assert.ok(points < 40 * time, `${points} points of ${time} s`);
    assert.equal(await page.getByRole("status").first().innerText(), "connected");
    await page.getByRole("tab", { name: "Log" }).click();
    assert.match(await page.locator(".log .note").first().innerText(), /reset/);
    assert.equal(await page.locator(".log .error").count(), 0, "a run that was asked to end has not failed");
    source.send({ type: "end", code: 1, text: "unit 'machine': broken" });
    await until(page, () => document.querySelector(".log .error")?.textContent.includes("broken"));
    assert.equal(await page.getByRole("status").first().innerText(), "ended");
    assert.match(await page.getByRole("note").innerText(), /^The run failed: unit 'machine': broken/);
    assert.deepEqual(complaints, []);
  });
});

test("a page that finds another system at its address is made anew", async (t) => {
  const system = { ...excavator(), view: null, arrays: [] };
  const data = { ...motion(), frames: (at, state) => motion().frames(at, state).slice(-1) };
  let source = await serve(system, data);
  const { page } = await open(browser, source.url);
  t.after(() => Promise.all([page.close(), source.close()]));
  await until(page, () => window.tandem?.state().time > 0.2);
  const { port } = source;
  await source.close();
  await until(page, () => !window.tandem.state().open);
  const renamed = system.signals.map((signal) => ({ ...signal, name: signal.name.replace("joint.", "valve.") }));
  source = await serve({ ...system, name: "another", signals: renamed }, data, { port });
  await until(page, () => document.title.startsWith("another") && window.tandem?.state().time > 0);
  await page.getByLabel("Search signals").fill("valve.boom");
  await page.getByRole("button", { name: "Plot valve.boom" }).click();
});

test("a recording is played with a slider, its ghost half a second behind", async (t) => {
  const data = motion({ streams: 2 });
  const source = await serve({ ...excavator({ mode: "replay", streams: 2 }), stops: [20, 15] }, data, { hold: true });
  const { page, complaints } = await open(browser, source.url + low);
  t.after(() => Promise.all([page.close(), source.close()]));
  await until(page, () => window.tandem?.drawn() > 1 && window.tandem.state().open);
  await page.getByRole("slider", { name: "Time" }).fill("12.5");
  await until(page, () => window.tandem.state().time === 12.5);
  await page.waitForTimeout(100);
  for (const stream of [0, 1]) {
    const wanted = poses(data.coordinates(12.5 - 0.5 * stream)).pulverizer;
    const at = await page.evaluate((s) => window.tandem.links(s).pulverizer, stream);
    assert.ok(Math.hypot(at[0] - wanted[3], at[1] - wanted[7], at[2] - wanted[11]) < 1e-3);
  }
  await until(page, () => window.tandem.plots()[0].points >= 400);
  // Of each signal a curve for the machine, and one for its ghost.
  const legend = await page.locator(".plot .u-legend .u-label").allInnerTexts();
  assert.equal(legend.filter((text) => /joint\.\w+ \/ deg$/.test(text)).length, 3, `${legend}`);
  assert.equal(legend.filter((text) => /joint\.\w+ \/ deg \(ghost: stream 1\)$/.test(text)).length, 3, `${legend}`);
  await until(page, () => window.tandem.shadowAge() === 0); // what stands still has its own shadow, also where they are saved
  assert.equal(await page.locator(".remarks").isVisible(), false);
  assert.deepEqual(await page.evaluate(() => window.tandem.machines()), [true, true]);
  await page.getByRole("slider", { name: "Time" }).fill("15.5");
  await until(page, () => window.tandem.state().time === 15.5 && !window.tandem.machines()[1]); // the ghost has ended
  assert.ok((await page.evaluate(() => window.tandem.machines()))[0]);
  assert.deepEqual(complaints, []);
});

test("legends of a recording have a value of every curve, and zooming in brings the points that the whole left out", async (t) => {
  const data = motion();
  const source = await serve(excavator({ mode: "replay" }), data, { hold: true });
  const { page, complaints } = await open(browser, source.url + low, { width: 1100, height: 600 });
  t.after(() => Promise.all([page.close(), source.close()]));
  await until(page, () => window.tandem?.plots()[0].points >= 1200); // three curves of 400 points at times of their own
  await page.getByRole("slider", { name: "Time" }).fill("12.5");
  const legend = () => page.locator(".plot .u-legend .u-value").allInnerTexts();
  await until(page, () => document.querySelector(".plot .u-legend .u-value").innerText === "12.500");
  const values = data.values(12.5);
  const degrees = (180 / Math.PI);
  (await legend()).slice(1).forEach((text, k) => assert.ok(Math.abs(Number(text) - degrees * values[1 + k]) < 0.01 + 1e-3 * Math.abs(degrees * values[1 + k]), `${text} is ${degrees * values[1 + k]}`));
  const over = await page.locator(".plot .u-over").boundingBox();
  const at = (part) => [over.x + part * over.width, over.y + over.height / 2];
  await page.mouse.move(...at(0.5));
  (await legend()).forEach((text) => assert.match(text, /\d/, "each curve has a value where the pointer is"));
  await page.mouse.move(10, 300);
  await until(page, () => document.querySelector(".plot .u-legend .u-value").innerText === "12.500"); // and again the time that is shown
  await page.mouse.click(...at(0.25));
  await until(page, () => Math.abs(window.tandem.state().time - 5) < 0.3);
  await until(page, () => document.querySelector(".plot .u-legend .u-value").innerText === window.tandem.state().time.toFixed(3));
  await page.locator(".plot .u-over").press("ArrowRight");
  await until(page, () => window.tandem.state().time > 5);
  await page.mouse.move(...at(0.5));
  const spread = () => page.evaluate(() => window.tandem.plots()[0].span);
  const whole = await spread();
  await page.mouse.down();
  await page.mouse.move(...at(0.55), { steps: 4 });
  await page.mouse.up();
  await until(page, () => { const [from, to] = window.tandem.plots()[0].span; return to - from < 2; });
  const part = await spread();
  assert.ok(whole[1] - whole[0] > 19 && part[0] > 8 && part[1] < 13, `${whole}, then ${part}`);
  assert.ok((await page.evaluate(() => window.tandem.plots()))[0].points >= 1200, "the part has as many points as the whole had");
  await page.getByRole("button", { name: "Show everything" }).first().click();
  assert.deepEqual(await spread(), whole);
  assert.deepEqual(complaints, []);
});

test("what was not recorded is said over the scene, and no number is read off it", async (t) => {
  const data = motion();
  const system = excavator({ mode: "replay" });
  system.remarks = ["a: <i>heights was not recorded"];
  system.view.wall = { ...system.view.wall, heights: undefined, unknown: true };
  const source = await serve(system, data, { hold: true });
  const { page, complaints } = await open(browser, source.url + low);
  t.after(() => Promise.all([page.close(), source.close()]));
  await until(page, () => window.tandem?.drawn() > 1 && /to wall/.test(document.querySelector(".hud").innerText));
  assert.match(await page.getByRole("note").innerText(), /^a: <i>heights was not recorded/);
  await page.getByRole("note").getByRole("button").click();
  assert.equal(await page.getByRole("note").isVisible(), false);
  assert.match(await page.locator(".hud").innerText(), /to wall\s+–/);
  assert.deepEqual(complaints, []);
});

test("quality goes down where pictures take long, also where that is half a second", async (t) => {
  const source = await serve(excavator(), motion());
  const page = await browser.newPage({ viewport: { width: 320, height: 240 } });
  t.after(() => Promise.all([page.close(), source.close()]));
  await page.addInitScript(() => (window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 500)));
  await page.goto(source.url);
  await until(page, () => window.tandem?.quality() === 4);
});

test("the station draws machine and wall from the stream alone, and says when it is cut", async (t) => {
  const data = station();
  const system = excavator();
  system.view.edge = { heights: 0, radius: 29.91, start: 0, span: 0.3, machine: "posed", frame: "frame" };
  const source = await serve({ ...system, mode: "tele", signals: [], arrays: [] }, data);
  const { page, complaints } = await open(browser, `${source.url}tele${low}`);
  t.after(() => Promise.all([page.close(), source.close()]));
  await until(page, () => window.tandem?.packets() > 4 && !window.tandem.stale());
  data.cut = true;
  const time = source.time;
  // A packet on its way may still end a moment of silence; the page says both in one go.
  await until(page, () => window.tandem.stale() && /STALE/.test(document.querySelector(".bar").innerText));
  // The last pose drawn is that of a time before the cut; found again by what it measures.
  const links = await page.evaluate(() => window.tandem.links());
  const distance = (t0) => {
    const digits = measured(data.coordinates(t0));
    assert.equal(digits.length, 9);
    const wanted = poses(data.coordinates(t0)).pulverizer;
    return Math.hypot(links.pulverizer[0] - wanted[3], links.pulverizer[1] - wanted[7], links.pulverizer[2] - wanted[11]);
  };
  const nearest = Math.min(...Array.from({ length: 400 }, (_, i) => distance(Math.max(0, time - i / 30))), distance(time));
  assert.ok(nearest < 5e-3, `the tool stands ${nearest} m from where it was: the stream resolves 0.1 mrad and 0.1 mm`);
  const wall = await page.evaluate(() => window.tandem.wall());
  assert.ok(Math.abs(wall[0] - 1.5) < 1e-3 && Math.abs(wall[2 * 150] - 3) < 1e-3 && wall[2 * 250] === 0);
  assert.deepEqual(complaints, []);
});

test("a system without geometry shows its diagram and plots", async (t) => {
  const source = await serve({ ...excavator(), view: null, arrays: [] }, { ...motion(), frames: (at, state) => motion().frames(at, state).slice(-1) });
  const { page, complaints } = await open(browser, source.url);
  t.after(() => Promise.all([page.close(), source.close()]));
  await until(page, () => window.tandem?.state().time > 0.2);
  assert.equal(await page.locator("main .diagram .part").count(), 2);
  const [first] = await page.evaluate(() => window.tandem.plots());
  assert.deepEqual(first.signals, signals.slice(1, 7).map((signal) => signal.name), "its first signals are plotted");
  await page.locator("main .bundle").first().focus();
  await page.keyboard.press("Enter");
  assert.equal((await page.evaluate(() => window.tandem.plots()))[0].signals[0], "joint.boom");
  assert.deepEqual(complaints, []);
});

after(() => browser.close());
