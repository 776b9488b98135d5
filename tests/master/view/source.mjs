// A server that speaks the view's protocol (master/view/README.md) with made-up or recorded data: the page is tested
// against it without a simulation.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { packages, root } from "./browser.mjs";

const require = createRequire(join(packages, "package.json"));
const { WebSocketServer } = require("ws");

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json" };
const policy = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; connect-src 'self'";

function header(kind, size, { stream = 0, sequence = 0, time = 0, run = 1 }) {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt8(kind, 0);
  bytes.writeUInt8(1, 1);
  bytes.writeUInt16LE(stream, 2);
  bytes.writeUInt32LE(sequence, 4);
  bytes.writeDoubleLE(time, 8);
  bytes.writeUInt32LE(run, 16);
  return bytes;
}
export function stateFrame(at, values, { flags = 8, factor = 1, age = 0 } = {}) {
  const bytes = header(1, 48 + 8 * values.length, at);
  bytes.writeUInt32LE(flags, 20);
  bytes.writeDoubleLE(factor, 24);
  bytes.writeDoubleLE(age, 32);
  bytes.writeUInt32LE(values.length, 40);
  values.forEach((v, i) => bytes.writeDoubleLE(v, 48 + 8 * i));
  return bytes;
}
export function arrayFrame(at, index, values) {
  const bytes = header(3, 28 + 4 * values.length, at);
  bytes.writeUInt32LE(index, 20);
  bytes.writeUInt32LE(values.length, 24);
  values.forEach((v, i) => bytes.writeFloatLE(v, 28 + 4 * i));
  return bytes;
}
/** `points`: Int16Array of 3 n, `objects`: Uint8Array of n. */
export function cloudFrame(at, pose, scale, points, objects) {
  const bytes = header(2, 60 + 7 * objects.length, at);
  bytes.writeUInt32LE(objects.length, 20);
  bytes.writeFloatLE(scale, 24);
  pose.forEach((v, i) => bytes.writeFloatLE(v, 28 + 4 * i));
  bytes.writeUInt32LE(objects.length, 56);
  points.forEach((v, i) => bytes.writeInt16LE(v, 60 + 2 * i));
  Buffer.from(objects).copy(bytes, 60 + 6 * objects.length);
  return bytes;
}
export function jsonFrame(at, message) {
  const text = Buffer.from(JSON.stringify(message));
  return Buffer.concat([header(4, 20, at), text]);
}

/** A datagram of the teleoperation stream (interfaces/teleop/stream.hpp); kind 1: pose, 2: edge. */
export function packetFrame(at, kind, digits) {
  const packet = Buffer.alloc(16 + 2 * digits.length);
  packet.writeUInt8(0x54, 0);
  packet.writeUInt8(0x10 | kind, 1);
  packet.writeUInt32LE(at.sequence, 6);
  digits.forEach((d, i) => packet.writeInt16LE(d, 16 + 2 * i));
  return Buffer.concat([header(5, 20, at), packet]);
}

/** Serves a system: `data.frames(t, run)` gives the frames of a time, `data.file(name)` a file, `data.set(signal, value)`
 * takes an input. Time goes on by itself until it is paused. */
export async function serve(system, data, { port = 0, page = join(root, "build/page"), begin = system.start, hold = false } = {}) {
  let time = begin, run = system.run, paused = hold, speed = 1, holder = 0, clients = 0, sequence = 0;
  const seen = []; // everything that clients said
  const live = new Map();
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const answer = (body, type) => {
      response.writeHead(200, { "Content-Type": type, "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache" });
      response.end(body);
    };
    try {
      if (path === "/system.json") return answer(JSON.stringify({ ...system, run }), types[".json"]);
      if (path.startsWith("/files/")) return answer(data.file(decodeURIComponent(path.slice(7))), "text/xml");
      if (path === "/history" && data.history) return answer(data.history(new URL(request.url, "http://localhost").searchParams), "application/octet-stream");
      const name = path === "/" ? "index.html" : path === "/tele" ? "tele.html" : path.slice(1);
      return answer(readFileSync(join(page, name)), types[extname(name)] ?? "application/octet-stream");
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  const sockets = new WebSocketServer({ server, path: "/live", handleProtocols: () => "tandem.view.1" });
  const at = () => ({ sequence: ++sequence, time, run });
  const everybody = (frame) => {
    for (const socket of live.values()) if (socket.bufferedAmount < 1e6) socket.send(frame);
  };
  const asked = [];
  const control = () => everybody(jsonFrame(at(), { type: "control", holder, asked }));
  const flags = () => (paused ? 1 : 0) | 8;
  const show = (socket) => {
    for (const frame of data.frames(at(), { flags: flags(), factor: paused ? NaN : speed })) socket ? socket.send(frame) : everybody(frame);
  };
  /** The end of the run is told before the next one begins; a state of it may come later. */
  const reset = () => {
    const last = at();
    everybody(jsonFrame(last, { type: "end", code: 130, text: "reset" }));
    ++run;
    time = system.start;
    everybody(jsonFrame(at(), { type: "run", phase: "preparing", speed: 0, paused: false }));
    for (const frame of data.frames(last, { flags: 2 | flags(), factor: NaN })) everybody(frame);
    show();
  };
  sockets.on("connection", (socket) => {
    const client = ++clients;
    live.set(client, socket);
    socket.send(jsonFrame(at(), { type: "hello", client, run, mode: system.mode }));
    socket.send(jsonFrame(at(), { type: "control", holder, asked: [] }));
    show(socket);
    socket.on("message", (text) => {
      const message = JSON.parse(text.toString());
      seen.push({ client, ...message });
      const allowed = system.mode === "replay" || holder === client;
      if (message.do === "take" && holder === 0) { holder = client; control(); }
      else if (message.do === "take") { asked.push(client); control(); }
      else if (message.do === "release" && holder === client) { holder = 0; control(); }
      else if (message.do === "seek") { time = message.t; show(); }
      else if (!allowed) return;
      else if (message.do === "pause") { paused = true; show(); }
      else if (message.do === "go") { paused = false; }
      else if (message.do === "speed") { speed = message.factor; }
      else if (message.do === "step") { time += (system.step ?? 0.01) * (message.n ?? 1); show(); }
      else if (message.do === "reset") { reset(); }
      else if (message.do === "set") { data.set?.(message.signal, message.value); everybody(jsonFrame(at(), { type: "set", signal: message.signal, value: message.value, by: client })); }
      else if (message.do === "levers") { data.levers?.(message.alive ? message.values : message.values.map(() => 0)); }
    });
    socket.on("close", () => {
      live.delete(client);
      if (holder === client) { holder = 0; control(); }
    });
  });
  const period = 1 / 30;
  const timer = setInterval(() => {
    if (paused) return;
    time = Math.min(system.stop ?? Infinity, time + period * (speed || 10));
    data.advance?.(period * (speed || 10));
    show();
  }, 1000 * period);
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  return {
    port: server.address().port,
    url: `http://127.0.0.1:${server.address().port}/`,
    seen,
    send: (message) => everybody(jsonFrame(at(), message)),
    get time() { return time; },
    set time(t) { time = t; show(); },
    get clients() { return live.size; },
    get holder() { return holder; },
    async close() {
      clearInterval(timer);
      for (const socket of live.values()) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
