// A made-up run of the demolition excavator: axes move on sines or by levers, and the poses of the links are calculated
// here, apart from the page.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./browser.mjs";
import { arrayFrame, cloudFrame, packetFrame, stateFrame } from "./source.mjs";

const urdf = readFileSync(join(root, "config/machines/demolition_excavator.urdf"), "utf8");

const numbers = (text) => text.trim().split(/\s+/).map(Number);
const multiply = (a, b) => a.map((_, i) => [0, 1, 2, 3].reduce((s, k) => s + a[4 * Math.floor(i / 4) + k] * b[4 * k + (i % 4)], 0));
const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
function rotation([x, y, z], by) {
  const n = Math.hypot(x, y, z), c = Math.cos(by), s = Math.sin(by), t = 1 - c;
  [x, y, z] = [x / n, y / n, z / n];
  return [t * x * x + c, t * x * y - s * z, t * x * z + s * y, 0, t * x * y + s * z, t * y * y + c, t * y * z - s * x, 0, t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0, 0, 0, 0, 1];
}
function origin(text) {
  const xyz = numbers(/<origin[^>]*xyz="([^"]+)"/.exec(text)?.[1] ?? "0 0 0"), rpy = numbers(/<origin[^>]*rpy="([^"]+)"/.exec(text)?.[1] ?? "0 0 0");
  const turned = multiply(rotation([0, 0, 1], rpy[2]), multiply(rotation([0, 1, 0], rpy[1]), rotation([1, 0, 0], rpy[0])));
  return turned.map((v, i) => (i === 3 ? xyz[0] : i === 7 ? xyz[1] : i === 11 ? xyz[2] : v));
}
export const joints = [...urdf.matchAll(/<joint name="(\w+)" type="(\w+)">([\s\S]*?)<\/joint>/g)].map(([, name, type, text]) => ({
  name,
  moves: type !== "fixed",
  parent: /<parent link="(\w+)"/.exec(text)[1],
  child: /<child link="(\w+)"/.exec(text)[1],
  origin: origin(text),
  axis: numbers(/<axis xyz="([^"]+)"/.exec(text)?.[1] ?? "1 0 0"),
  middle: (numbers(/lower="([^"]+)"/.exec(text)?.[1] ?? "0")[0] + numbers(/upper="([^"]+)"/.exec(text)?.[1] ?? "0")[0]) / 2,
}));

function quaternion(m) {
  const w = Math.sqrt(Math.max(0, 1 + m[0] + m[5] + m[10])) / 2;
  const sign = (value, of) => (of < 0 ? -value : value);
  return [
    sign(Math.sqrt(Math.max(0, 1 + m[0] - m[5] - m[10])) / 2, m[9] - m[6]),
    sign(Math.sqrt(Math.max(0, 1 - m[0] + m[5] - m[10])) / 2, m[2] - m[8]),
    sign(Math.sqrt(Math.max(0, 1 - m[0] - m[5] + m[10])) / 2, m[4] - m[1]),
    w,
  ];
}

/** Poses of all links, root first, in the order of the joints. */
export function poses(coordinates) {
  const at = { ring: identity };
  for (const joint of joints) at[joint.child] = multiply(multiply(at[joint.parent], joint.origin), rotation(joint.axis, coordinates[joint.name] ?? 0));
  return at;
}

const moving = joints.filter((j) => j.moves).map((j) => j.name);
const columns = 61, rows = 3;

export const signals = [
  { name: "time", unit: "s", causality: "independent", type: "real" },
  ...moving.map((name) => ({ name: `joint.${name}`, unit: "rad", shown: { unit: "deg", factor: 180 / Math.PI, offset: 0 }, causality: "output", type: "real", description: "Joint coordinate" })),
  { name: "boom.command", unit: "", causality: "input", type: "real", min: -1, max: 1, start: 0, input: true },
  { name: "mirrored\u202e.angle", unit: "\u202em", causality: "output", type: "real", description: "\u2066" },
  { name: "<img src=x onerror=alert(1)>", unit: "<b>", causality: "output", type: "real", description: "<script>alert(2)</script>" },
];
const command = signals.findIndex((s) => s.name === "boom.command");

/** With `streams` above 1 further machines are shown half a second behind. */
export function excavator({ mode = "live", streams = 1 } = {}) {
  const mapped = Object.fromEntries(moving.map((name) => [name, { signal: signals.findIndex((s) => s.name === `joint.${name}`), factor: 1, offset: 0 }]));
  return {
    protocol: 1, name: "made <up>", title: "A made-up run", version: "0", mode, start: 0, stop: 20, step: 0.01, run: 1,
    streams: Array.from({ length: streams }, (_, i) => `stream ${i}`),
    signals,
    arrays: [{ name: "poses", unit: "", dimensions: [joints.length + 1, 7], type: "real" }, { name: "heights", unit: "m", dimensions: [columns, rows], type: "real" }],
    components: [{ name: "machine", kind: "FMI 3" }, { name: "<img src=x onerror=alert(3)>", kind: "<i>" }],
    wires: [{ from: "machine", fromName: "joint.boom", to: "<img src=x onerror=alert(3)>", toName: "in", signal: mapped.boom.signal, hold: "constant", order: 1, error: 0.01, share: 0.05 }],
    boundary: [],
    view: {
      machines: [{ name: "posed", urdf: "files/machine.urdf", poses: 0 }, ...(streams === 1 ? [{ name: "jointed", urdf: "files/machine.urdf", joints: mapped }] : [])],
      wall: { heights: 1, radius: 29.91, thickness: 0.18, start: 0.083, span: 0.4, base: -1, height: 3, floor: -60 },
      cloud: { machine: "posed", sensor: "lidar" },
      lidar: { machine: "posed", link: "lidar", fov: 1.2287, range: 90, first: 121.567, second: 77.733, ratio: 1 },
      tool: { machine: "posed" },
      operator: { deadZone: 0.08, curve: 1.6, axes: [{ name: "boom", input: command }], patterns: [{ name: "ISO", levers: [{ lever: "right-y", axis: "boom", sign: -1 }] }, { name: "SAE", levers: [{ lever: "left-y", axis: "boom", sign: -1 }] }] },
      plots: [{ title: "Joints", signals: [1, 2, 3] }],
      files: ["machine.urdf"],
    },
  };
}

/** What the source serves; `manual`: only levers move the boom. */
export function motion({ manual = false, streams = 1 } = {}) {
  let boom = 0.5, lever = 0;
  const coordinates = (t) => Object.fromEntries(joints.filter((j) => j.moves).map((j, i) => [j.name, j.name === "travel" ? 0 : j.middle + (manual ? 0 : 0.2 * Math.sin(0.7 * t + i))]));
  const data = {
    coordinates: (t) => (manual ? { ...coordinates(t), boom } : coordinates(t)),
    file(name) {
      if (name !== "machine.urdf") throw new Error(name);
      return urdf;
    },
    values: (t) => [t, ...moving.map((name) => data.coordinates(t)[name]), lever, 0, 0],
    frames(at, state) {
      const list = [];
      for (let stream = 0; stream < streams; ++stream) {
        const t = Math.max(0, at.time - 0.5 * stream), head = { ...at, stream };
        const links = poses(data.coordinates(t));
        list.push(arrayFrame(head, 0, ["ring", ...joints.map((j) => j.child)].flatMap((name) => [links[name][3], links[name][7], links[name][11], ...quaternion(links[name])])));
        list.push(stateFrame(head, data.values(t), state));
      }
      const sensor = poses(data.coordinates(at.time)).lidar;
      list.unshift(arrayFrame(at, 1, Array.from({ length: columns * rows }, (_, i) => (Math.floor(i / rows) < 10 ? 1 : 3))));
      list.unshift(cloudFrame(at, [sensor[3], sensor[7], sensor[11], ...quaternion(sensor)], 0.002, Int16Array.from({ length: 1500 }, (_, i) => (i % 3 === 0 ? 2500 : ((i * 37) % 1200) - 600)), new Uint8Array(500).fill(1)));
      return list;
    },
    levers: ([value]) => (lever = value),
    set: (signal, value) => signal === command && (lever = value),
    advance: (h) => (boom += 0.5 * lever * h),
    history(query) {
      const signal = Number(query.get("signal")), n = 400;
      const from = Number(query.get("from") ?? 0), to = Number(query.get("to") ?? 20);
      // Each signal has points of its own: curves are thinned one by one.
      const at = (row) => from + ((to - from) * (row + 0.1 * (signal % 3))) / n;
      return Buffer.from(Float64Array.from({ length: 2 * n }, (_, i) => (i % 2 === 0 ? at(i >> 1) : data.values(at(i >> 1))[signal])).buffer);
    },
  };
  return data;
}

/** The length of a cylinder beyond its closed one, from the places of its two pins. */
function stroke(name, links) {
  const text = new RegExp(`<cylinder name="${name}" joint="(\\w+)"[^>]*>`).exec(urdf);
  const of = (attribute) => numbers(new RegExp(`${attribute}="([^"]+)"`).exec(text[0])[1]);
  const joint = joints.find((j) => j.name === text[1]);
  const world = (m, [x, y, z]) => [0, 4, 8].map((i) => m[i] * x + m[i + 1] * y + m[i + 2] * z + m[i + 3]);
  const a = world(links[joint.parent], of("base")), b = world(links[joint.child], of("rod"));
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) - of("closed_length")[0];
}

/** What the sensors of a pose measure, in the digits of the stream. */
export function measured(coordinates) {
  const links = poses(coordinates);
  const { boom, adjust, arm, coupler, rotate } = coordinates;
  const values = [boom, boom + adjust, boom + adjust + arm, boom + adjust + arm + coupler, stroke("slew", links), rotate, stroke("jaw", links), 0, 0];
  return values.map((v, i) => Math.round((i === 4 || i === 6 ? v : Math.atan2(Math.sin(v), Math.cos(v))) * 1e4));
}

/** A machine that sends the stream and nothing else, until `cut` is set. */
export function station() {
  const data = motion();
  const made = {
    ...data,
    cut: false,
    frames: (at) => (made.cut ? [] : [packetFrame(at, 1, measured(data.coordinates(at.time))), packetFrame(at, 2, Array.from({ length: 300 }, (_, i) => (i < 100 ? 500 : i < 200 ? 2000 : -32768)))]),
  };
  return made;
}
