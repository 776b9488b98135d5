// The system as a diagram: components, and between two of them one line for all their wires; the wires of a line stand
// below it with hold, coupling error and value, and a click on one plots it.
import { element, readable, svg } from "../dom";
import { type Component, type System, type Wire, shownUnit, shownValue } from "../data/system";

interface Box {
  component: Component;
  row: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** All wires from one component to another. */
interface Bundle {
  from: Box;
  to: Box;
  wires: Wire[];
  way: "direct" | "left" | "right"; // to the next row, over rows between, or back
}

const width = 168, height = 58, gapX = 44, gapY = 52;

/** How far a coupling error matters, as a share of what the signal does. */
const grade = (share: number) => (share < 0.01 ? "fine" : share < 0.1 ? "fair" : "poor");

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

export class Diagram {
  readonly root = element("div", { class: "diagram" });
  private readonly picture = svg("svg", { role: "group", "aria-label": "Components and wires" });
  private readonly heading = element("h3");
  private readonly table = element("table", { class: "wires" });
  private readonly rows: { wire: Wire; value: HTMLElement }[] = [];
  private chosen: Element | null = null;
  private values: Float64Array | null = null;

  constructor(
    private readonly system: System,
    private readonly onWire: (wire: Wire) => void,
  ) {
    const boxes = this.layout();
    const bundles = this.bundles(boxes);
    const lines = svg("g"), parts = svg("g");
    for (const box of boxes.values()) parts.append(this.part(box));
    for (const path of routes(bundles)) lines.append(this.line(path));
    this.picture.append(lines, parts);
    const all = [...boxes.values()];
    const beside = (way: Bundle["way"]) => 16 + lane * bundles.filter((b) => b.way === way).length;
    const right = Math.max(width, ...all.map((b) => b.x + b.width)), bottom = Math.max(height, ...all.map((b) => b.y + b.height));
    const [across, down] = [beside("left") + right + beside("right"), bottom + 72];
    this.picture.setAttribute("viewBox", `${-beside("left")} -36 ${across} ${down}`);
    // Larger than life is no easier to read.
    this.picture.setAttribute("style", `max-width:${(1.35 * across) / 14}rem`);
    this.root.append(element("div", { class: "picture" }, [this.picture]), this.heading, element("div", { class: "scroll" }, [this.table]));
    const known = system.wires.some((w) => w.share !== undefined);
    const errors = known ? "; its colour is its largest coupling error" : system.mode === "live" ? "; coupling errors are known of runs that nobody drives: tandem view shows them on a recording" : "";
    this.heading.textContent = system.components.length === 0 ? "" : `${counted(system.components.length, "component")}, ${counted(system.wires.length, "wire")}.${system.wires.length > 0 ? ` Choose a line to see its wires${errors}.` : ""}`;
    const worst = system.wires.filter((w) => w.share !== undefined).sort((a, b) => b.share! - a.share!).slice(0, 12);
    if (worst.length > 0) this.list("Largest coupling errors", worst, true);
  }

  /** Values at the time that is shown. */
  state(values: Float64Array): void {
    this.values = values;
    if (this.root.offsetParent !== null) this.write();
  }

  private write(): void {
    for (const { wire, value } of this.rows) {
      const signal = wire.signal === undefined ? undefined : this.system.signals[wire.signal];
      const text = signal && this.values ? `${readable(shownValue(signal, this.values[wire.signal!] ?? NaN))} ${shownUnit(signal)}` : "";
      if (value.textContent !== text) value.textContent = text;
    }
  }

  private part(box: Box): SVGElement {
    const { component } = box;
    const name = component.name === "" ? "system" : component.name;
    const lines = component.name === "" ? ["inputs and outputs"] : [component.kind ?? "", component.step ? `step ${readable(component.step)} s` : ""].filter(Boolean);
    const short = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
    return svg("g", { class: component.name === "" ? "part boundary" : "part" }, [
      svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 8 }),
      svg("text", { x: box.x + 11, y: box.y + 22, "font-weight": 600, text: short(name, 20) }),
      ...lines.map((line, i) => svg("text", { class: "small", x: box.x + 11, y: box.y + 37 + 13 * i, text: short(line, 28) })),
      svg("title", { text: `${name}${component.source ? `: ${component.source}` : ""}` }),
    ]);
  }

  private line({ bundle, d, middle, end }: Route): SVGElement {
    const { wires } = bundle;
    const name = `${nameOf(bundle.from.component.name)} → ${nameOf(bundle.to.component.name)}`;
    const shares = wires.flatMap((w) => (w.share === undefined ? [] : [w.share]));
    const holds = [...new Set(wires.map(holdOf).filter(Boolean))];
    const about = [`${wires.length} ${wires.length === 1 ? "wire" : "wires"}`, ...holds, ...(shares.length > 0 ? [`coupling error up to ${percent(Math.max(...shares))}`] : [])];
    const classes = `bundle${shares.length > 0 ? ` ${grade(Math.max(...shares))}` : ""}`;
    const group = svg("g", { class: classes, tabindex: 0, role: "button", "aria-label": `${name}: ${about.join(", ")}` }, [
      svg("path", { class: "line", d, "stroke-width": 1.4 + 0.5 * Math.log2(wires.length) }),
      svg("path", { class: "touch", d }),
      svg("path", { class: "tip", d: `M${end.x - 4} ${end.y - 7}h8l-4 7z` }),
      svg("circle", { cx: middle.x, cy: middle.y, r: 9.5 }),
      svg("text", { class: "count", x: middle.x, y: middle.y + 3.5, "text-anchor": "middle", text: String(wires.length) }),
      svg("title", { text: `${name}: ${about.join(", ")}` }),
    ]);
    const choose = () => {
      this.chosen?.classList.remove("chosen");
      this.chosen = group;
      group.classList.add("chosen");
      this.list(`${name}: ${about.join(", ")}`, wires, false);
      if (wires.length === 1) this.onWire(wires[0]!);
    };
    group.addEventListener("click", choose);
    group.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" && e.key !== " ") return;
      e.preventDefault();
      e.stopPropagation();
      choose();
    });
    return group;
  }

  private list(title: string, wires: Wire[], whole: boolean): void {
    this.heading.textContent = title;
    this.rows.length = 0;
    const rows = wires.map((wire) => {
      const from = whole ? `${wire.from ? `${wire.from}.` : ""}${wire.fromName}` : wire.fromName;
      const to = whole ? `${wire.to ? `${wire.to}.` : ""}${wire.toName}` : wire.toName;
      const value = element("td", { class: "number" });
      this.rows.push({ wire, value });
      const signal = wire.signal === undefined ? undefined : this.system.signals[wire.signal];
      const error = wire.share === undefined ? "" : `${wire.error !== undefined && signal ? `${readable(wire.error * Math.abs(signal.shown?.factor ?? 1))} ${shownUnit(signal)}, ` : ""}${percent(wire.share)}`;
      const plot = element("button", { type: "button", class: "wire", text: from === to ? from : `${from} → ${to}`, title: "Plot what it carries", onclick: () => this.onWire(wire) });
      if (wire.signal === undefined) plot.disabled = true;
      return element("tr", {}, [element("td", {}, [plot]), element("td", { text: holdOf(wire) }), element("td", { class: `number ${wire.share === undefined ? "" : grade(wire.share)}`, text: error }), value]);
    });
    const errors = wires.some((w) => w.share !== undefined);
    const heads = ["wire", "hold", errors ? "coupling error" : "", "value"].map((text, i) => element("th", { text, class: i > 1 ? "number" : "" }));
    this.table.replaceChildren(element("tr", {}, heads), ...rows);
    this.write();
  }

  private bundles(boxes: Map<string, Box>): Bundle[] {
    const found = new Map<string, Bundle>();
    const placed = this.placed();
    for (const wire of this.system.wires) {
      const from = boxes.get(wire.from), to = boxes.get(wire.to);
      if (!from || !to) continue;
      const key = `${wire.from}\n${wire.to}`;
      if (!found.has(key)) found.set(key, { from, to, wires: [], way: to.y < from.y + from.height ? "right" : placed || to.row === from.row + 1 ? "direct" : "left" });
      found.get(key)!.wires.push(wire);
    }
    return [...found.values()];
  }

  /** From the SSD's geometry where every component has one, else in rows along the wires. */
  private layout(): Map<string, Box> {
    const { system } = this;
    const all: Component[] = [...system.components];
    if (system.wires.some((w) => w.from === "" || w.to === "")) all.unshift({ name: "" });
    const boxes = new Map(all.map((component) => [component.name, { component, row: 0, x: 0, y: 0, width, height }]));
    if (this.placed()) this.place(boxes);
    else this.stack(boxes);
    return boxes;
  }

  private placed(): boolean {
    return this.system.components.length > 0 && this.system.components.every((c) => c.geometry);
  }

  private place(boxes: Map<string, Box>): void {
    const all = this.system.components.map((c) => c.geometry!);
    const least = { x: Math.min(...all.map((g) => Math.min(g.x1, g.x2))), y: Math.max(...all.map((g) => Math.max(g.y1, g.y2))) };
    const scale = width / Math.max(1e-6, Math.min(...all.map((g) => Math.abs(g.x2 - g.x1)).filter((w) => w > 0)));
    for (const component of this.system.components) {
      const g = component.geometry!, box = boxes.get(component.name)!;
      box.x = (Math.min(g.x1, g.x2) - least.x) * scale;
      box.y = height + gapY + (least.y - Math.max(g.y1, g.y2)) * scale; // SSP's y points up
      box.width = Math.max(80, Math.abs(g.x2 - g.x1) * scale);
      box.height = Math.max(50, Math.abs(g.y2 - g.y1) * scale);
    }
  }

  private stack(boxes: Map<string, Box>): void {
    const names = [...boxes.keys()];
    const position = new Map(names.map((n, i) => [n, i]));
    // Wires that point back in the order of the file close loops and do not count.
    for (let round = 0; round < names.length; ++round)
      for (const wire of this.system.wires) {
        const from = boxes.get(wire.from), to = boxes.get(wire.to);
        if (from && to && position.get(wire.from)! < position.get(wire.to)!) to.row = Math.max(to.row, Math.min(7, from.row + 1));
      }
    const rows = new Map<number, Box[]>();
    for (const box of boxes.values()) rows.set(box.row, [...(rows.get(box.row) ?? []), box]);
    const widest = Math.max(...[...rows.values()].map((r) => r.length));
    [...rows.keys()].sort((a, b) => a - b).forEach((row, i) => {
      const list = rows.get(row)!;
      list.forEach((box, k) => {
        box.x = (k + (widest - list.length) / 2) * (width + gapX);
        box.y = i * (height + gapY);
      });
    });
  }
}

interface Point {
  x: number;
  y: number;
}
interface Route {
  bundle: Bundle;
  d: string;
  middle: Point;
  end: Point;
}

/** Lanes beside the boxes, and tracks between their rows, are so far from each other. */
const lane = 11, track = 6;

/** From bottom to top: straight to the next row, else along lanes beside the boxes; ends are spread over a box's side. */
function routes(bundles: Bundle[]): Route[] {
  const all = bundles.flatMap((b) => [b.from, b.to]);
  const left = Math.min(0, ...all.map((b) => b.x)), right = Math.max(0, ...all.map((b) => b.x + b.width));
  const middleOf = (box: Box) => box.x + box.width / 2;
  const share = (bundle: Bundle, box: Box, side: "from" | "to") => {
    const other = (b: Bundle) => (side === "from" ? b.to : b.from);
    const list = bundles.filter((b) => b[side] === box).sort((a, b) => key(a) - key(b));
    function key(b: Bundle): number {
      return b.way === "direct" ? middleOf(other(b)) : b.way === "left" ? -1e6 : 1e6;
    }
    return (list.indexOf(bundle) + 1) / (list.length + 1);
  };
  const used = new Map<string, number>();
  const next = (what: string) => {
    used.set(what, (used.get(what) ?? 0) + 1);
    return used.get(what)!;
  };
  return bundles.map((bundle): Route => {
    const { from, to, way } = bundle;
    const a = { x: from.x + from.width * share(bundle, from, "from"), y: from.y + from.height };
    const b = { x: to.x + to.width * share(bundle, to, "to"), y: to.y };
    if (way === "direct") {
      const bend = Math.max(24, 0.5 * (b.y - a.y));
      // Off the middle, so that counts of lines that cross do not lie on each other.
      const t = 0.36;
      const along = (p: number, q: number, r: number, s: number) => (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t * t * r + t ** 3 * s;
      return { bundle, end: b, d: `M${a.x} ${a.y} C${a.x} ${a.y + bend} ${b.x} ${b.y - bend} ${b.x} ${b.y}`, middle: { x: along(a.x, a.x, b.x, b.x), y: along(a.y, a.y + bend, b.y - bend, b.y) } };
    }
    const number = next(way);
    const x = way === "left" ? left - 4 - lane * number : right + 4 + lane * number;
    const below = a.y + 8 + track * (next(`below ${a.y}`) % 4), above = b.y - 8 - track * (next(`above ${b.y}`) % 4);
    return { bundle, end: b, d: rounded([a, { x: a.x, y: below }, { x, y: below }, { x, y: above }, { x: b.x, y: above }, b]), middle: { x, y: below + (above - below) * (0.3 + 0.13 * (number % 4)) } };
  });
}

/** A line with level and upright parts, its corners drawn round. */
function rounded(points: Point[]): string {
  let d = `M${points[0]!.x} ${points[0]!.y}`;
  for (let i = 1; i + 1 < points.length; ++i) {
    const [p, q, r] = [points[i - 1]!, points[i]!, points[i + 1]!];
    const before = Math.hypot(q.x - p.x, q.y - p.y), after = Math.hypot(r.x - q.x, r.y - q.y);
    const cut = Math.min(8, before / 2, after / 2);
    const toward = (s: Point, length: number) => (length > 0 ? `${q.x + ((s.x - q.x) * cut) / length} ${q.y + ((s.y - q.y) * cut) / length}` : `${q.x} ${q.y}`);
    d += ` L${toward(p, before)} Q${q.x} ${q.y} ${toward(r, after)}`;
  }
  const last = points[points.length - 1]!;
  return `${d} L${last.x} ${last.y}`;
}

const nameOf = (component: string) => component || "system";
const percent = (share: number) => `${readable(Number((100 * share).toPrecision(2)))} %`;
function holdOf(wire: Wire): string {
  if (!wire.hold) return "";
  return wire.hold === "sampled" ? "sampled" : `${wire.hold}${wire.order ? `, order ${wire.order}` : ""}`;
}
