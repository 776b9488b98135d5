// The system as a diagram: components and wires; a click on a wire plots what it carries.
import { readable, svg } from "../dom";
import { type Component, type System, type Wire, shownUnit, shownValue } from "../data/system";

interface Box {
  component: Component;
  x: number;
  y: number;
  width: number;
  height: number;
  ins: number;
  outs: number;
}

const width = 190, gapX = 120, gapY = 46, pitch = 7;

export class Diagram {
  readonly root = svg("svg", { class: "diagram", role: "group", "aria-label": "Components and wires" });
  private readonly note = svg("text", { x: 12, y: 22 });
  private chosen: Element | null = null;
  private values: Float64Array | null = null;

  constructor(
    private readonly system: System,
    private readonly onWire: (wire: Wire) => void,
  ) {
    const boxes = this.layout();
    const wires = svg("g");
    const parts = svg("g");
    const used = new Map<string, number>();
    const port = (name: string, side: "in" | "out") => {
      const box = boxes.get(name)!;
      const key = `${name}/${side}`;
      const n = used.get(key) ?? 0;
      used.set(key, n + 1);
      const count = side === "in" ? box.ins : box.outs;
      return { x: side === "in" ? box.x : box.x + box.width, y: box.y + (box.height * (n + 1)) / (count + 1) };
    };
    for (const wire of system.wires) {
      if (!boxes.has(wire.from) || !boxes.has(wire.to)) continue;
      wires.append(this.wire(wire, port(wire.from, "out"), port(wire.to, "in")));
    }
    for (const box of boxes.values()) parts.append(this.part(box));
    this.root.append(wires, parts, this.note);
    const all = [...boxes.values()];
    const right = Math.max(200, ...all.map((b) => b.x + b.width)), bottom = Math.max(120, ...all.map((b) => b.y + b.height));
    this.root.setAttribute("viewBox", `-60 -70 ${right + 120} ${bottom + 160}`);
    this.note.setAttribute("x", "-40");
    this.note.setAttribute("y", "-44");
    this.note.textContent = `${system.components.length} components, ${system.wires.length} wires; click a wire to plot it`;
  }

  state(values: Float64Array): void {
    this.values = values;
  }

  private part(box: Box): SVGElement {
    const { component } = box;
    const name = component.name === "" ? "system" : component.name;
    const lines = [component.kind ?? "", component.step ? `step ${readable(component.step)} s` : ""].filter(Boolean);
    return svg("g", { class: component.name === "" ? "part boundary" : "part" }, [
      svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 8 }),
      svg("text", { x: box.x + 12, y: box.y + 24, "font-weight": 600, text: name.length > 24 ? `${name.slice(0, 23)}…` : name }),
      ...lines.map((line, i) => svg("text", { class: "small", x: box.x + 12, y: box.y + 41 + 15 * i, text: line })),
      svg("title", { text: `${name}${component.source ? `: ${component.source}` : ""}` }),
    ]);
  }

  private wire(wire: Wire, from: { x: number; y: number }, to: { x: number; y: number }): SVGElement {
    const back = to.x < from.x + 20;
    const bend = back ? 70 + 0.12 * Math.abs(from.y - to.y) : Math.max(40, (to.x - from.x) / 2);
    const d = `M${from.x} ${from.y} C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
    const name = `${wire.from ? `${wire.from}.` : ""}${wire.fromName} → ${wire.to ? `${wire.to}.` : ""}${wire.toName}`;
    const group = svg("g", { class: "wire", tabindex: wire.signal === undefined ? -1 : 0, role: "button", "aria-label": name }, [
      svg("path", { class: "line", d }),
      svg("path", { class: "touch", d }),
      svg("title", { text: name }),
    ]);
    const describe = () => {
      const parts = [name];
      if (wire.hold) parts.push(`hold ${wire.hold}${wire.order ? ` (order ${wire.order})` : ""}`);
      const signal = wire.signal === undefined ? undefined : this.system.signals[wire.signal];
      if (wire.error !== undefined) parts.push(`coupling error ${readable(wire.error)}`);
      if (signal && this.values) parts.push(`${readable(shownValue(signal, this.values[wire.signal!] ?? NaN))} ${shownUnit(signal)}`);
      this.note.textContent = parts.join("   ");
    };
    const choose = () => {
      this.chosen?.classList.remove("chosen");
      this.chosen = group;
      group.classList.add("chosen");
      this.onWire(wire);
    };
    group.addEventListener("pointerenter", describe);
    group.addEventListener("focus", describe);
    group.addEventListener("click", choose);
    group.addEventListener("keydown", (e) => {
      if (e.key === "Enter" || e.key === " ") {
        e.preventDefault();
        choose();
      }
    });
    return group;
  }

  /** From the SSD's geometry where every component has one, else in layers along the wires. */
  private layout(): Map<string, Box> {
    const { system } = this;
    const boxes = new Map<string, Box>();
    const all: Component[] = [...system.components];
    if (system.wires.some((w) => w.from === "" || w.to === "")) all.unshift({ name: "" });
    for (const component of all) {
      const ins = system.wires.filter((w) => w.to === component.name).length;
      const outs = system.wires.filter((w) => w.from === component.name).length;
      boxes.set(component.name, { component, x: 0, y: 0, width, height: Math.max(64, pitch * Math.max(ins, outs) + 16), ins, outs });
    }
    if (system.components.length > 0 && system.components.every((c) => c.geometry)) this.place(boxes);
    else this.layers(boxes);
    return boxes;
  }

  private place(boxes: Map<string, Box>): void {
    const all = this.system.components.map((c) => c.geometry!);
    const least = { x: Math.min(...all.map((g) => Math.min(g.x1, g.x2))), y: Math.max(...all.map((g) => Math.max(g.y1, g.y2))) };
    const scale = width / Math.max(1e-6, Math.min(...all.map((g) => Math.abs(g.x2 - g.x1)).filter((w) => w > 0)));
    for (const component of this.system.components) {
      const g = component.geometry!, box = boxes.get(component.name)!;
      box.x = 240 + (Math.min(g.x1, g.x2) - least.x) * scale;
      box.y = (least.y - Math.max(g.y1, g.y2)) * scale; // SSP's y points up
      box.width = Math.max(80, Math.abs(g.x2 - g.x1) * scale);
      box.height = Math.max(50, Math.abs(g.y2 - g.y1) * scale);
    }
  }

  private layers(boxes: Map<string, Box>): void {
    const names = [...boxes.keys()];
    const layer = new Map(names.map((n) => [n, 0]));
    const position = new Map(names.map((n, i) => [n, i]));
    // Wires that point back in the order of the file close loops and do not count.
    for (let round = 0; round < names.length; ++round)
      for (const wire of this.system.wires)
        if (wire.from !== wire.to && (position.get(wire.from) ?? 0) < (position.get(wire.to) ?? 0) && layer.has(wire.from) && layer.has(wire.to))
          layer.set(wire.to, Math.max(layer.get(wire.to)!, Math.min(5, layer.get(wire.from)! + 1)));
    const heights = new Map<number, number>();
    for (const [name, box] of boxes) {
      const column = layer.get(name)!;
      box.x = column * (width + gapX);
      box.y = heights.get(column) ?? 0;
      heights.set(column, box.y + box.height + gapY);
    }
    const tallest = Math.max(...heights.values());
    for (const [name, box] of boxes) box.y += (tallest - heights.get(layer.get(name)!)!) / 2;
  }
}
