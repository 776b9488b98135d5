// The teleoperation station in Chromium: `tandem tele` is fed by a machine that has nothing but UDP. TANDEM=PROGRAM node --test tele_test.mjs
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { join } from "node:path";
import { after, test } from "node:test";
import { launch, open, root, statistics, until } from "./browser.mjs";
import { measured, motion, poses } from "./machine.mjs";
import { serving } from "./program.mjs";

const kinds = { pose: 1, edge: 2, status: 3, command: 4, hello: 5, echo: 6 };
const axes = ["boom", "adjust", "arm", "coupler", "slew", "rotate", "jaw", "travel"];
const session = 77, later = 40; // ms, each way

/** The machine's end as interfaces/teleop/stream.hpp has it, in another language; its link takes `later` ms each way. */
async function machine() {
  const socket = createSocket("udp4");
  await new Promise((done) => socket.bind(0, "127.0.0.1", done));
  const data = motion(), start = performance.now();
  const made = { port: socket.address().port, cut: false, commands: [], coordinates: data.coordinates, time: () => (performance.now() - start) / 1000 };
  let to = null, sequence = 0, operator = 0;
  const send = (kind, number, write, size, address = to) => {
    const packet = Buffer.alloc(16 + size);
    packet.writeUInt8(0x54, 0);
    packet.writeUInt8(0x10 | kind, 1);
    packet.writeUInt32LE(session, 2);
    packet.writeUInt32LE(number, 6);
    packet.writeUIntLE(Math.round(1e6 * made.time()), 10, 6);
    write(packet);
    setTimeout(() => !made.cut && !made.closed && socket.send(packet, address.port, address.address), later);
  };
  socket.on("message", (packet, from) => setTimeout(() => {
    const kind = packet[1] & 15;
    if (kind === kinds.hello) {
      to = from;
      operator = packet.readUInt32LE(16);
      send(kinds.echo, packet.readUInt32LE(6), (echo) => echo.writeUInt32LE(operator, 16), 4, from);
    }
    if (kind === kinds.command)
      made.commands.push({ held: (packet.readUInt16LE(20) & 1) !== 0, released: (packet.readUInt16LE(20) & 2) !== 0, session: packet.readUInt32LE(2), levers: Object.fromEntries(axes.map((name, i) => [name, packet.readInt16LE(28 + 2 * i) / 32767])) });
  }, later));
  const heights = Array.from({ length: 300 }, (_, i) => (i < 100 ? 500 : i < 200 ? 2000 : -32768));
  const digits = (values) => (packet) => values.forEach((value, i) => packet.writeInt16LE(value, 16 + 2 * i));
  let round = 0;
  const timer = setInterval(() => {
    if (!to) return;
    send(kinds.pose, ++sequence, digits(measured(data.coordinates(made.time()))), 18);
    if (round % 5 === 0) send(kinds.edge, ++sequence, digits(heights), 600);
    if (round++ % 25 === 0) send(kinds.status, ++sequence, (packet) => packet.writeUInt32LE(made.commands.length ? operator : 0, 16), 8);
  }, 20);
  made.close = () => {
    made.closed = true;
    clearInterval(timer);
    socket.close();
  };
  return made;
}

const station = (port) => serving("tele", join(root, "config/excavator/station.xml"), "--from", `127.0.0.1:${port}`);

const browser = await launch();

test("machine and wall are drawn from UDP alone; a cut stream is stale, and what the link is like is shown", async (t) => {
  const far = await machine();
  const { child, url, ended } = await station(far.port);
  const { page, complaints } = await open(browser, `${url}?quality=low`);
  t.after(() => Promise.all([page.close(), far.close(), child.kill()]));
  await until(page, () => window.tandem?.packets() > 20 && !window.tandem.stale() && window.tandem.link().age !== undefined);
  const { colors, deviation } = await statistics(page);
  assert.ok(colors > 40 && deviation > 8, `the picture has ${colors} colours, deviation ${deviation}`);
  const bar = await page.locator(".bar").innerText();
  assert.match(bar, /half round trip \d+ ms/);
  assert.match(bar, /\d+\.\d kbit\/s, \d+\.\d of numbers/);
  const { age } = await page.evaluate(() => window.tandem.link());
  const early = 1; // ms by which a timer of node may be
  assert.ok(age >= (later - early) / 1000 && age < 1, `half the round trip is ${age} s, the link takes ${later} ms each way`);

  // The cut is seen within 300 ms of the last packet, by the page's own clock. Packets that come late on a busy machine are
  // stale for a moment as well; only what no packet follows is the cut.
  const watched = page.evaluate(() => new Promise((done) => {
    let last = performance.now(), packets = window.tandem.packets(), seen;
    const timer = setInterval(() => {
      if (window.tandem.packets() !== packets) [last, packets, seen] = [performance.now(), window.tandem.packets(), undefined];
      if (window.tandem.stale()) seen ??= performance.now() - last;
      if (performance.now() - last < 1000) return;
      clearInterval(timer);
      done(seen);
    }, 5);
  }));
  const time = far.time();
  far.cut = true;
  const silence = await watched;
  assert.ok(silence < 300, `stale ${silence} ms after the last packet`);
  assert.match(await page.locator(".bar").innerText(), /STALE/);
  assert.equal(await page.locator(".hud .advice").isVisible(), false, "no advice by an old picture");
  assert.ok(Number(await page.locator(".hud dd").first().evaluate((cell) => getComputedStyle(cell).opacity)) < 0.6, "old numbers are pale");

  const links = await page.evaluate(() => window.tandem.links());
  const distance = (t0) => {
    const wanted = poses(far.coordinates(t0)).pulverizer;
    return Math.hypot(links.pulverizer[0] - wanted[3], links.pulverizer[1] - wanted[7], links.pulverizer[2] - wanted[11]);
  };
  const nearest = Math.min(...Array.from({ length: 4000 }, (_, i) => distance(Math.max(0, time - i / 1000))));
  assert.ok(nearest < 5e-3, `the tool stands ${nearest} m from where it was: the stream resolves 0.1 mrad and 0.1 mm`);
  const wall = await page.evaluate(() => window.tandem.wall());
  assert.ok(Math.abs(wall[0] - 1.5) < 1e-3 && Math.abs(wall[2 * 150] - 3) < 1e-3 && wall[2 * 250] === 0);
  far.cut = false;
  await until(page, () => !window.tandem.stale());
  assert.deepEqual(complaints, []);
  child.kill("SIGINT");
  assert.equal(await ended, 0);
});

test("before the first packet nothing is shown as if it were known", async (t) => {
  const far = await machine();
  far.cut = true;
  const { child, url } = await station(far.port);
  const { page, complaints } = await open(browser, `${url}?quality=low`);
  t.after(() => Promise.all([page.close(), far.close(), child.kill()]));
  await until(page, () => window.tandem?.drawn() > 0);
  await page.waitForTimeout(500);
  assert.match(await page.locator(".bar").innerText(), /no stream yet/);
  assert.equal(await page.evaluate(() => window.tandem.stale()), true);
  assert.deepEqual(await page.evaluate(() => window.tandem.shown()), { machine: false, wall: false });
  assert.doesNotMatch(await page.locator(".hud").innerText(), /\d m|lign/);
  far.cut = false;
  await until(page, () => window.tandem.shown().machine && window.tandem.shown().wall && !window.tandem.stale());
  assert.match(await page.locator(".hud").innerText(), /\d m/);
  assert.deepEqual(complaints, []);
});

test("keys become commands while the dead-man is held, and none come when the page is gone", async (t) => {
  const far = await machine();
  const { child, url } = await station(far.port);
  const { page, complaints } = await open(browser, `${url}?quality=low`, { width: 1280, height: 500 });
  t.after(() => Promise.all([far.close(), child.kill()]));
  await until(page, () => window.tandem?.packets() > 4 && window.tandem.holds());
  assert.equal(far.commands.length, 0, "nobody drives yet");
  await page.locator("button.drive").click();
  await page.keyboard.down("Space");
  await page.keyboard.down("KeyI");
  const seen = async (condition) => {
    for (let i = 0; i < 600 && !condition(far.commands.at(-1)); ++i) await page.waitForTimeout(50);
    return far.commands.at(-1);
  };
  // The ISO pattern: the right lever forward lowers the boom.
  const pushed = await seen((c) => c?.held && c.levers.boom < -0.9);
  assert.ok(pushed.held && pushed.levers.boom < -0.9 && pushed.levers.arm === 0, JSON.stringify(pushed));
  assert.equal(pushed.session, session);
  await until(page, () => window.tandem.link().control === "here");
  await page.keyboard.up("KeyI");
  const neutral = await seen((c) => c.levers.boom === 0);
  assert.ok(neutral.held && neutral.levers.boom === 0);
  await page.keyboard.up("Space");
  assert.equal((await seen((c) => !c.held)).held, false);
  assert.deepEqual(complaints, []);
  await page.close();
  await new Promise((done) => setTimeout(done, 500));
  const count = far.commands.length;
  assert.ok(far.commands.at(-1).released, "control is given back");
  await new Promise((done) => setTimeout(done, 300));
  assert.equal(far.commands.length, count, "nobody commands any more");
});

after(() => browser.close());
