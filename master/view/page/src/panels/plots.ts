// Plots of any signal, found by search; one time cursor for all of them.
import uPlot from "uplot";
import { button, element, readable } from "../dom";
import { lastKnown } from "./legend";
import type { History } from "../data/history";
import { stopOf } from "../data/streams";
import { type Signal, type System, shownUnit, shownValue } from "../data/system";

/** Told apart on dark and on light ground. */
const colors = {
  dark: ["#f2a10f", "#4fb3ff", "#4fd08a", "#ff6f91", "#b28dff", "#ffe066", "#2fd3c7", "#ff8a4c"],
  light: ["#c26a00", "#0b6fc2", "#16834a", "#c2185b", "#6a3fc4", "#8a7400", "#007c78", "#a33d0f"],
};
const palette = () => colors[document.documentElement.dataset["theme"] === "light" ? "light" : "dark"];
const sync = "tandem";

/** Sizes are given for letters of 14 pixels and grow with them. */
const scaled = (pixels: number) => Math.round((pixels * parseFloat(getComputedStyle(document.documentElement).fontSize)) / 14);

/** Something that happened at a time: a warning, a violation. */
export interface Mark {
  time: number;
  level: string;
  text: string;
}

interface Plot {
  title: string;
  signals: number[];
  holder: HTMLElement;
  chart: uPlot | null;
  zoomed: boolean;
  line: HTMLElement; // at the time that is shown
  marks: HTMLElement;
  full: Map<number, Curve[]>; // replay: each signal over the whole of every recording
  detail: Map<number, Curve[]> | null; // and over what is zoomed into
}

/** Times and values. */
type Curve = [Float64Array, Float64Array];

export class Plots {
  readonly root = element("div", { class: "plots" });
  private readonly list = element("div");
  private readonly plots: Plot[] = [];
  private readonly style = () => getComputedStyle(document.documentElement);
  private time = NaN; // that is shown: in the scene of a recording, in the legends, as a line
  private values: ArrayLike<number> = []; // of all signals, at that time of a recording
  /** The time that was asked for; what is shown is the row before it. */
  sought = NaN;
  private hovered = false;
  private loading: Promise<unknown> = Promise.resolve();
  private readonly happened: Mark[] = [];

  /** `onPick`: somebody chose a time. */
  constructor(
    private readonly system: System,
    private readonly history: History,
    private readonly onPick: (time: number) => void,
    private readonly height = scaled(176),
  ) {
    this.root.append(this.search(), this.list, element("p", { class: "soft hint", text: "Search for a signal above to plot it, or choose a wire in the diagram." }));
    // Each new plot goes on top.
    for (const plot of [...(system.view?.plots ?? [])].reverse()) if (plot.signals.length > 0) this.add(plot.title, plot.signals);
    new ResizeObserver(() => this.resize()).observe(this.list);
  }

  private search(): HTMLElement {
    const found = element("ul", { class: "found", hidden: true });
    const input = element("input", { type: "search", placeholder: `Search ${this.system.signals.length} signals`, "aria-label": "Search signals" });
    const show = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      found.hidden = words.length === 0;
      found.replaceChildren();
      if (words.length === 0) return;
      let count = 0;
      this.system.signals.forEach((signal, i) => {
        const text = `${signal.name} ${signal.description ?? ""}`.toLowerCase();
        if (count >= 60 || !words.every((w) => text.includes(w))) return;
        ++count;
        const entry = element("button", { type: "button", "aria-label": `Plot ${signal.name}`, title: `${signal.description ?? signal.name}\nWith Shift: into the topmost plot` }, [element("span", { text: signal.name }), element("small", { text: shownUnit(signal) })]);
        entry.addEventListener("click", (e) => {
          const top = this.plots[0];
          if (e.shiftKey && top) this.extend(top, i);
          else this.add(signal.name, [i]);
        });
        found.append(element("li", {}, [entry]));
      });
      if (count === 0) found.append(element("li", { text: "nothing found" }));
    };
    input.addEventListener("input", show);
    input.addEventListener("keydown", (e) => {
      if (e.key === "Enter") found.querySelector("button")?.click();
      if (e.key === "Escape") {
        input.value = "";
        show();
      }
    });
    return element("div", {}, [element("div", { class: "search" }, [input]), found]);
  }

  /** A new plot, above the others. */
  add(title: string, signals: number[]): void {
    const known = signals.filter((i) => this.system.signals[i]);
    if (known.length === 0) return;
    const holder = element("section", { class: "plot", "aria-label": title });
    const plot: Plot = { title, signals: known, holder, chart: null, zoomed: false, line: element("div", { class: "now" }), marks: element("div"), full: new Map(), detail: null };
    const heading = element("strong", { text: title });
    holder.append(
      element("header", {}, [
        heading,
        button("+", "Add the signal that is searched for", () => this.addFound(plot)),
        button("All", "Show everything", () => this.unzoom(plot)),
        button("CSV", "Export as CSV", () => this.export(plot)),
        button("✕", "Remove this plot", () => this.remove(plot)),
      ]),
    );
    this.plots.unshift(plot);
    this.list.prepend(holder);
    this.make(plot);
    this.loading = Promise.all([this.loading, this.load(plot)]);
  }

  /** Where nothing says what is worth a plot: the first few signals, of as many units as a plot has axes. */
  addFirst(): void {
    if (this.plots.length > 0) return;
    const given = ["independent", "parameter", "input"];
    const calculated = this.system.signals.flatMap((signal, i) => (signal.type === "real" && !given.includes(signal.causality) ? [i] : []));
    const unit = (i: number) => unitOf(this.system.signals[i]!);
    const units = [...new Set(calculated.map(unit))].slice(0, 2);
    this.add("First signals", calculated.filter((i) => units.includes(unit(i))).slice(0, 6));
  }

  private addFound(plot: Plot): void {
    const words = (this.root.querySelector("input")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const index = words.length === 0 ? -1 : this.system.signals.findIndex((s, i) => !plot.signals.includes(i) && words.every((w) => s.name.toLowerCase().includes(w)));
    if (index >= 0) this.extend(plot, index);
  }

  private extend(plot: Plot, signal: number): void {
    if (plot.signals.includes(signal)) return;
    plot.signals.push(signal);
    this.make(plot);
    void this.load(plot);
  }

  private remove(plot: Plot): void {
    plot.chart?.destroy();
    plot.holder.remove();
    this.plots.splice(this.plots.indexOf(plot), 1);
  }

  private make(plot: Plot): void {
    plot.chart?.destroy();
    plot.zoomed = false;
    plot.detail = null;
    const style = this.style();
    const text = style.getPropertyValue("--soft"), grid = style.getPropertyValue("--line");
    const signals = plot.signals.map((i) => this.system.signals[i]!);
    const units = [...new Set(signals.map(unitOf))];
    const font = `${scaled(12)}px system-ui, sans-serif`;
    const axis = { stroke: text, font, labelFont: `600 ${font}`, ticks: { stroke: grid } };
    const axes: uPlot.Axis[] = [
      { ...axis, grid: { stroke: grid, width: 1 }, label: "time in s", labelSize: scaled(16), size: scaled(30) },
      ...units.slice(0, 2).map((unit, k): uPlot.Axis => ({
        ...axis,
        scale: `u${k}`,
        side: k === 0 ? 3 : 1,
        grid: { show: k === 0, stroke: grid, width: 1 },
        label: unit,
        labelSize: unit ? scaled(16) : 0,
        size: scaled(50),
        values: (_, ticks) => ticks.map(tick),
      })),
    ];
    const scaleOf = (signal: Signal) => `u${Math.min(1, units.indexOf(unitOf(signal)))}`;
    plot.chart = new uPlot(
      {
        width: Math.max(200, this.list.clientWidth - 4),
        height: this.height,
        scales: { x: { time: false } },
        cursor: { sync: { key: sync }, drag: { x: true, y: false } },
        axes,
        series: [
          { label: "t / s", value: (_, v) => (this.stands(plot) ? this.time.toFixed(3) : v == null ? "–" : v.toFixed(3)) }, // undefined: a row that a reset took,
          ...signals.flatMap((signal, k) =>
            this.streams.map((name, stream): uPlot.Series => ({
              label: `${signal.name}${unitOf(signal) ? ` / ${unitOf(signal)}` : ""}${stream > 0 ? ` (ghost: ${name})` : ""}`,
              scale: scaleOf(signal),
              stroke: palette()[k % palette().length]!,
              width: 1.6,
              dash: stream > 0 ? [6, 4] : undefined,
              points: { show: false },
              paths: signal.type === "real" ? undefined : uPlot.paths.stepped!({ align: 1 }), // holds until it changes
              value: (u, v, column, row) => {
                const stands = this.stands(plot);
                if ((stands ? this.time : (u.data[0][row ?? 0] ?? NaN)) > stopOf(this.system, stream)) return "–";
                const read = stream === 0 && stands ? shownValue(signal, this.values[plot.signals[k]!] ?? NaN) : lastKnown(u, v, column, row);
                return read == null ? "–" : readable(read);
              },
            })),
          ),
        ],
        hooks: {
          setSelect: [(u) => this.zoom(plot, u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"))],
          setCursor: [(u) => this.hover((u.cursor.left ?? -1) >= 0)],
          draw: [() => queueMicrotask(() => this.place(plot))], // after the chart has written its legend
        },
      },
      this.data(plot),
      plot.holder,
    );
    const { over } = plot.chart;
    over.append(plot.line, plot.marks);
    over.tabIndex = 0;
    over.setAttribute("role", "img");
    over.setAttribute("aria-label", `${plot.title}: a click or the arrow keys choose the time, dragging zooms`);
    over.addEventListener("dblclick", () => this.unzoom(plot));
    over.addEventListener("click", (e) => {
      if ((plot.chart?.select.width ?? 0) >= 3) return;
      this.hover(false); // until the pointer moves again, legends show the time that was chosen
      this.onPick(plot.chart!.posToVal(e.offsetX, "x"));
    });
    over.addEventListener("keydown", (e) => {
      const { min, max } = plot.chart!.scales["x"]!;
      const way = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (way === undefined || min == null || max == null) return;
      e.preventDefault();
      const from = Number.isFinite(this.sought) ? this.sought : Number.isFinite(this.time) ? this.time : max;
      this.onPick(Math.min(max, Math.max(min, from + (way * (max - min)) / (e.shiftKey ? 20 : 200))));
    });
  }

  /** The pointer is over a plot, or has left them: legends show where it is, or the time that is shown. */
  private hover(over: boolean): void {
    const left = this.hovered && !over;
    this.hovered = over;
    if (left) queueMicrotask(() => this.plots.forEach((plot) => this.place(plot)));
  }

  /** What a plot has a curve of, of each signal. */
  private get streams(): string[] {
    return this.system.mode === "replay" && this.system.streams.length > 1 ? this.system.streams : [""];
  }

  /** The line of the time that is shown, and what happened, where they belong in this plot. */
  private place(plot: Plot): void {
    const { chart } = plot;
    if (!chart) return;
    const width = chart.over.clientWidth;
    const left = (time: number) => chart.valToPos(time, "x");
    const x = left(this.time);
    plot.line.hidden = !(x >= 0 && x <= width);
    if (!plot.line.hidden) plot.line.style.left = `${x}px`;
    plot.marks.replaceChildren(
      ...this.happened.flatMap(({ time, level, text }) => {
        const at = left(time);
        return at >= 0 && at <= width ? [element("i", { class: `mark ${level}`, title: text, style: `left:${at}px` })] : [];
      }),
    );
    // Null says "no value"; the type of uPlot does not know it.
    if (!this.hovered) chart.setLegend({ idx: rowAt(chart.data[0], this.time) as number }, false);
  }

  private data(plot: Plot, has: (value: number) => boolean = Number.isFinite): uPlot.AlignedData {
    const convert = (signal: number, values: ArrayLike<number>) =>
      Array.from(values, (v) => (has(v) ? shownValue(this.system.signals[signal]!, v) : null));
    if (isRecorded(plot)) {
      const tables = plot.signals.flatMap((i) =>
        (plot.detail ?? plot.full).get(i)!.map(([times, values]) => [times, convert(i, values)] as uPlot.AlignedData),
      );
      return tables.length === 1 ? tables[0]! : uPlot.join(tables, tables.map(() => [0, 1])); // what is no number stays a gap
    }
    const times = this.history.times.subarray(0, this.history.length);
    // What was seen while it played is of the first recording; of others nothing is known until their curves come.
    const columns = plot.signals.flatMap((i) => this.streams.map((_, stream) => (stream === 0 ? convert(i, this.history.column(i)) : Array<null>(times.length).fill(null))));
    return [times, ...columns] as uPlot.AlignedData;
  }

  /** A recording is known as a whole: its curves come from the server, decimated by least and greatest. */
  private async load(plot: Plot): Promise<void> {
    if (this.system.mode !== "replay") return;
    for (const signal of plot.signals) {
      if (plot.full.has(signal)) continue;
      const curves = await this.curvesOf(signal);
      if (!curves) return;
      plot.full.set(signal, curves);
    }
    plot.chart?.setData(this.data(plot));
  }

  /** Of a recording, what was left out of the whole is seen in a part. */
  private async zoom(plot: Plot, from: number, to: number): Promise<void> {
    plot.zoomed = true;
    const { chart } = plot;
    if (this.system.mode !== "replay") return;
    const curves = await Promise.all(plot.signals.map((signal) => this.curvesOf(signal, from, to)));
    const scale = chart?.scales["x"];
    // By now there may be another chart, another part, or the whole again.
    if (plot.chart !== chart || !plot.zoomed || !scale || !(Math.abs(scale.min! - from) + Math.abs(scale.max! - to) < 1e-6 * (to - from))) return;
    if (curves.some((curve) => curve === null)) return;
    plot.detail = new Map(plot.signals.map((signal, k) => [signal, curves[k]!]));
    chart!.setData(this.data(plot), false);
    chart!.redraw();
  }

  private async curvesOf(signal: number, from?: number, to?: number): Promise<Curve[] | null> {
    const curves = await Promise.all(this.streams.map((_, stream) => curveOf(stream, signal, from, to)));
    return curves.some((curve) => curve === null) ? null : (curves as Curve[]);
  }

  /** The legend shows the time of the scene, whose values are known however few points the curves have. */
  private stands(plot: Plot): boolean {
    return !this.hovered && isRecorded(plot) && Number.isFinite(this.time);
  }

  /** New values have come; `time` is what is shown, `values` those of all signals where it is a recording's. */
  update(time = this.time, values = this.values): void {
    this.time = time;
    this.values = values;
    for (const plot of this.plots) {
      if (!plot.chart || !plot.holder.isConnected || plot.holder.offsetParent === null) continue;
      if (isRecorded(plot)) {
        this.place(plot);
        continue;
      }
      plot.chart.setData(this.data(plot), !plot.zoomed);
      if (plot.zoomed) plot.chart.redraw();
    }
  }

  /** Something happened; the last hundred such things are marked. */
  mark(mark: Mark): void {
    this.happened.push(mark);
    if (this.happened.length > 100) this.happened.shift();
  }

  /** Another run begins: nothing has happened in it yet. */
  forget(): void {
    this.happened.length = 0;
  }

  redraw(): void {
    for (const plot of this.plots) this.make(plot);
  }

  /** Every curve of a recording has come. */
  async loaded(): Promise<void> {
    await this.loading;
  }

  /** The plots as they are drawn, from the top; `x`: where a time lies in the picture. */
  pictures(): { title: string; series: { text: string; color: string }[]; picture: HTMLCanvasElement; x: (time: number) => number }[] {
    return this.plots.flatMap(({ title, chart }) => {
      if (!chart) return [];
      const each = this.streams.length;
      const series = chart.series.slice(1).map(({ label }, k) => ({ text: String(label), color: palette()[Math.floor(k / each) % palette().length]! }));
      return [{ title, series, picture: chart.ctx.canvas, x: (time) => chart.valToPos(time, "x", true) }];
    });
  }

  /** What a plot shows, for tests. */
  shown(): { title: string; time: number; points: number; span: (number | undefined)[]; signals: string[] }[] {
    return this.plots.map((p) => ({ title: p.title, time: this.time, points: p.chart?.data[0].length ?? 0, span: [p.chart?.data[0][0], p.chart?.data[0].at(-1)], signals: p.signals.map((i) => this.system.signals[i]!.name) }));
  }

  private unzoom(plot: Plot): void {
    plot.zoomed = false;
    plot.detail = null;
    plot.chart?.setData(this.data(plot), true);
  }

  private resize(): void {
    const width = this.list.clientWidth - 4;
    if (width > 100) for (const { chart } of this.plots) chart?.setSize({ width, height: this.height });
  }

  private export(plot: Plot): void {
    const data = this.data(plot, (v) => !Number.isNaN(v));
    const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const heading = plot.signals.flatMap((i) => {
      const signal = this.system.signals[i]!;
      const name = unitOf(signal) ? `${signal.name} [${unitOf(signal)}]` : signal.name;
      return this.streams.map((stream, k) => quote(k > 0 ? `${name} (${stream})` : name));
    });
    const spelt = (value: number | null | undefined) => (value == null ? "" : Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf");
    const lines = [["time [s]", ...heading].join(",")];
    for (let row = 0; row < data[0].length; ++row) lines.push(data.map((column) => spelt(column[row])).join(","));
    const link = element("a", { href: URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" })), download: `${plot.title.replace(/[^\w.-]+/g, "_")}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}

/** Large numbers in few letters: 6M, 50K. */
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });
const tick = (value: number | null) => (value === null ? "" : Math.abs(value) >= 1e4 ? compact.format(value) : Math.abs(value) < 1e-3 && value !== 0 ? value.toExponential() : String(Number(value.toPrecision(6))));

/** The unit of a plain number is not worth a label. */
const unitOf = (signal: Signal) => (shownUnit(signal) === "1" ? "" : shownUnit(signal));

/** The curves of all its signals have come. */
const isRecorded = (plot: Plot) => plot.full.size === plot.signals.length;

/** A signal of a recording, or of a part of it, in at most so many points that its extremes are among them. */
async function curveOf(stream: number, signal: number, from?: number, to?: number): Promise<Curve | null> {
  try {
    const answer = await fetch(`history?stream=${stream}&signal=${signal}&n=4000${from === undefined ? "" : `&from=${from}&to=${to}`}`);
    if (!answer.ok) return null;
    const pairs = new Float64Array(await answer.arrayBuffer());
    return [pairs.filter((_, i) => i % 2 === 0), pairs.filter((_, i) => i % 2 === 1)];
  } catch {
    return null;
  }
}

/** The row at or before a time; null before the first. */
function rowAt(times: ArrayLike<number>, time: number): number | null {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? low - 1 : null;
}
