// Operator control: keys and gamepad become levers, levers become axes by the chosen pattern. Nothing moves unless the
// dead-man key is held; the server watches that, too.
import { button, choice, element, svg } from "../dom";
import type { OperatorInfo } from "../data/system";

export type Levers = Record<string, number>;

/** Two keys per lever: towards plus and towards minus. */
const keys: [string, string, string][] = [
  ["left-y", "KeyW", "KeyS"],
  ["left-x", "KeyD", "KeyA"],
  ["left-twist", "KeyE", "KeyQ"],
  ["right-y", "KeyI", "KeyK"],
  ["right-x", "KeyL", "KeyJ"],
  ["right-twist", "KeyO", "KeyU"],
  ["trigger", "KeyR", "KeyF"],
  ["pedal-y", "KeyT", "KeyG"],
  ["pedal-x", "KeyX", "KeyZ"],
];
const deadMan = "Space";

/** Full travel of a lever takes a key so long, s. */
const rampTime = 0.25;

export class OperatorPanel {
  readonly root = element("div");
  private readonly held = new Set<string>();
  private pattern: OperatorInfo["patterns"][number] | null;
  private levers: Levers = {};
  private driving = false;
  private last = performance.now();
  private readonly sticks = new Map<string, SVGElement>();
  private readonly labels = new Map<string, SVGElement>();
  private readonly table = element("table");
  private readonly bars: HTMLElement[] = [];
  private readonly status = element("p", { class: "soft", role: "status" });
  private readonly driveButton: HTMLButtonElement;
  private waiting: number[] = [];

  constructor(
    private readonly info: OperatorInfo,
    private readonly send: (alive: boolean, values: number[]) => void,
    private readonly holds: () => boolean,
  ) {
    this.pattern = info.patterns[0] ?? null;
    this.driveButton = button("Drive", "Operate the axes by keys or gamepad; hold the dead-man key", () => this.drive(!this.driving), "drive");
    this.driveButton.setAttribute("aria-pressed", "false");
    this.root.append(
      element("div", { class: "search" }, [
        this.driveButton,
        choice("Lever pattern", info.patterns.map((p): [string, string] => [p.name, `${p.name} pattern`]), this.pattern?.name ?? "", (name) => {
          this.pattern = info.patterns.find((p) => p.name === name) ?? null;
          this.write();
        }),
      ]),
      this.status,
      element("div", { class: "levers" }, [this.stick("left"), this.stick("right")]),
      this.response(),
      this.table,
    );
    this.write();
    window.addEventListener("keydown", (e) => this.key(e, true));
    window.addEventListener("keyup", (e) => this.key(e, false));
    window.addEventListener("blur", () => this.held.clear());
    document.addEventListener("visibilitychange", () => this.held.clear());
    setInterval(() => this.tick(), 33);
  }

  neutral(axes: number[]): void {
    this.waiting = axes;
  }

  drive(on: boolean): void {
    this.driving = on;
    this.held.clear();
    this.levers = {};
    this.driveButton.setAttribute("aria-pressed", String(on));
    if (!on && this.holds()) this.send(false, this.info.axes.map(() => 0));
    if (on) (document.activeElement as HTMLElement | null)?.blur?.();
  }

  private key(event: KeyboardEvent, down: boolean): void {
    if (!this.driving || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.code !== deadMan && !keys.some(([, plus, minus]) => event.code === plus || event.code === minus)) return;
    event.preventDefault();
    if (event.repeat) return;
    if (down) this.held.add(event.code);
    else this.held.delete(event.code);
    this.tick();
  }

  private tick(): void {
    const now = performance.now();
    const elapsed = Math.min(0.2, (now - this.last) / 1000);
    this.last = now;
    if (!this.driving) return;
    const pad = [...(navigator.getGamepads?.() ?? [])].find((p) => p?.connected) ?? null;
    const wanted = gamepadLevers(pad);
    for (const [lever, plus, minus] of keys) {
      const target = (this.held.has(plus) ? 1 : 0) - (this.held.has(minus) ? 1 : 0);
      const before = this.levers[lever] ?? 0;
      const step = elapsed / rampTime;
      // A key that is let go is neutral at once; only the way out takes time.
      const ramped = target === 0 ? 0 : before + Math.max(-step, Math.min(step, target - before));
      this.levers[lever] = target !== 0 || before !== 0 ? ramped : 0;
      if (Math.abs(wanted[lever] ?? 0) > Math.abs(this.levers[lever]!)) this.levers[lever] = wanted[lever]!;
    }
    const alive = this.held.has(deadMan) || Boolean(pad && (pad.buttons[4]?.pressed || pad.buttons[5]?.pressed));
    const values = this.axes();
    if (this.holds()) this.send(alive, values);
    this.show(alive, values);
  }

  /** One value for each axis, dead zone and curve applied. */
  private axes(): number[] {
    return this.info.axes.map((axis) => {
      let value = 0;
      for (const lever of this.pattern?.levers ?? [])
        if (lever.axis === axis.name) value += lever.sign * shaped(this.levers[lever.lever] ?? 0, this.info);
      return Math.max(-1, Math.min(1, value));
    });
  }

  private show(alive: boolean, values: number[]): void {
    for (const side of ["left", "right"]) {
      const x = this.levers[`${side}-x`] ?? 0, y = this.levers[`${side}-y`] ?? 0;
      this.sticks.get(side)?.setAttribute("transform", `translate(${100 + 55 * x} ${100 - 55 * y})`);
      this.sticks.get(side)?.setAttribute("fill", alive ? "var(--good)" : "var(--soft)");
    }
    values.forEach((value, i) => {
      const bar = this.bars[i];
      if (bar) bar.textContent = `${value >= 0 ? " " : ""}${(100 * value).toFixed(0)} %${this.waiting.includes(i) ? " (lever to neutral)" : ""}`;
    });
    this.status.textContent = !this.holds() ? "Somebody else is in control." : alive ? "Dead-man held: axes follow the levers." : "Hold the dead-man key (space bar, or a shoulder button) to move.";
  }

  private stick(side: string): SVGElement {
    const dot = svg("circle", { r: 16, fill: "var(--soft)", transform: "translate(100 100)" });
    this.sticks.set(side, dot);
    const label = (name: string, x: number, y: number, anchor: string) => {
      const text = svg("text", { x, y, "text-anchor": anchor, fill: "var(--text)", "font-size": 13 });
      this.labels.set(`${side}${name}`, text);
      return text;
    };
    return svg("svg", { viewBox: "0 0 200 214", role: "img", "aria-label": `${side} lever` }, [
      svg("circle", { cx: 100, cy: 100, r: 74, fill: "none", stroke: "var(--line)", "stroke-width": 2 }),
      svg("path", { d: "M100 30v140M30 100h140", stroke: "var(--line)" }),
      svg("circle", { cx: 100, cy: 100, r: 55 * this.info.deadZone, fill: "var(--warn)", opacity: 0.35 }, [svg("title", { text: "dead zone" })]),
      dot,
      label("+y", 100, 18, "middle"),
      label("-y", 100, 190, "middle"),
      label("+x", 196, 94, "end"),
      label("-x", 4, 94, "start"),
      svg("text", { x: 100, y: 209, "text-anchor": "middle", fill: "var(--soft)", "font-size": 12, text: `${side} lever` }),
    ]);
  }

  /** How much of an axis a lever commands: dead zone and curve. */
  private response(): HTMLElement {
    const { deadZone, curve } = this.info;
    const place = (x: number) => `${100 + 90 * x} ${60 - 50 * shaped(x, this.info)}`;
    const steps = Array.from({ length: 81 }, (_, i) => place((i - 40) / 40));
    return element("figure", { class: "response" }, [
      svg("svg", { viewBox: "0 0 200 120", role: "img", "aria-label": "Axis over lever" }, [
        svg("rect", { x: 100 - 90 * deadZone, y: 6, width: 180 * deadZone, height: 108, fill: "var(--warn)", opacity: 0.25 }),
        svg("path", { d: "M10 60H190M100 6V114", stroke: "var(--line)" }),
        svg("path", { d: `M${steps.join("L")}`, fill: "none", stroke: "var(--accent)", "stroke-width": 2.5 }),
      ]),
      element("figcaption", { class: "soft", text: `Axis over lever: dead zone ${Math.round(100 * deadZone)} %, curve ${curve}` }),
    ]);
  }

  /** The pattern on the screen: which lever and which keys move which axis. */
  private write(): void {
    const of = (lever: string) => this.pattern?.levers.find((l) => l.lever === lever);
    for (const side of ["left", "right"])
      for (const way of ["x", "y"])
        for (const [sign, mark] of [["+", 1], ["-", -1]] as const) {
          const lever = of(`${side}-${way}`);
          const text = this.labels.get(`${side}${sign}${way}`);
          if (text) text.textContent = lever ? `${lever.axis} ${lever.sign * mark > 0 ? "+" : "−"}` : "";
        }
    this.bars.length = 0;
    const rows = this.info.axes.map((axis) => {
      const lever = this.pattern?.levers.find((l) => l.axis === axis.name);
      const key = keys.find(([name]) => name === lever?.lever);
      const [plus, minus] = key ? (lever!.sign > 0 ? [key[1], key[2]] : [key[2], key[1]]) : ["", ""];
      const bar = element("td", { class: "number", text: "0 %" });
      this.bars.push(bar);
      return element("tr", {}, [
        element("td", { text: axis.name }),
        element("td", {}, key ? [element("kbd", { text: plus!.replace("Key", "") }), element("kbd", { text: minus!.replace("Key", "") })] : [element("span", { class: "soft", text: "no lever" })]),
        bar,
      ]);
    });
    this.table.replaceChildren(element("tr", {}, [element("th", { text: "axis" }), element("th", { text: "+ / −" }), element("th", { text: "lever" })]), ...rows);
  }
}

export function shaped(value: number, { deadZone, curve }: { deadZone: number; curve: number }): number {
  const size = Math.abs(value);
  if (size <= deadZone) return 0;
  return Math.sign(value) * Math.pow(Math.min(1, (size - deadZone) / (1 - deadZone)), curve);
}

function gamepadLevers(pad: Gamepad | null): Levers {
  if (!pad) return {};
  const axis = (i: number) => pad.axes[i] ?? 0;
  const pressed = (i: number) => pad.buttons[i]?.value ?? 0;
  return {
    "left-x": axis(0),
    "left-y": -axis(1),
    "right-x": axis(2),
    "right-y": -axis(3),
    trigger: pressed(7) - pressed(6),
    "left-twist": pressed(15) - pressed(14),
    "right-twist": pressed(1) - pressed(2),
    "pedal-y": pressed(12) - pressed(13),
  };
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(input|select|textarea)$/i.test(target.tagName);
}
