// Plots of any signal, found by search; one time cursor for all of them.
import uPlot from "uplot";
import { button, element, readable } from "../dom";
import type { History } from "../data/history";
import { type Signal, type System, shownUnit, shownValue } from "../data/system";

const colors = ["#f2a10f", "#4fb3ff", "#4fd08a", "#ff6f91", "#b28dff", "#ffd34d", "#2fd3c7", "#ff8a4c"];
const sync = "tandem";

interface Plot {
  title: string;
  signals: number[];
  holder: HTMLElement;
  chart: uPlot | null;
  zoomed: boolean;
  full: Map<number, [Float64Array, Float64Array]>; // replay: time and value of each signal over the whole recording
}

export class Plots {
  readonly root = element("div", { class: "plots" });
  private readonly list = element("div");
  private readonly plots: Plot[] = [];
  private readonly style = () => getComputedStyle(document.documentElement);
  cursor: number | null = null;

  /** `onPick`: somebody clicked at a time. */
  constructor(
    private readonly system: System,
    private readonly history: History,
    private readonly onPick: (time: number) => void,
  ) {
    this.root.append(this.search(), this.list);
    for (const plot of system.view?.plots ?? []) if (plot.signals.length > 0) this.add(plot.title, plot.signals);
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
        const entry = button("", `Plot ${signal.name}`, () => this.add(signal.name, [i]));
        entry.append(element("span", { text: signal.name }), element("small", { text: shownUnit(signal) }));
        entry.addEventListener("click", (e) => {
          if (!e.shiftKey) return;
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

  /** A new plot, or one more signal in an empty one. */
  add(title: string, signals: number[]): void {
    const known = signals.filter((i) => this.system.signals[i]);
    if (known.length === 0) return;
    const holder = element("section", { class: "plot", "aria-label": title });
    const plot: Plot = { title, signals: known, holder, chart: null, zoomed: false, full: new Map() };
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
    void this.load(plot);
  }

  private addFound(plot: Plot): void {
    const words = (this.root.querySelector("input")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const index = words.length === 0 ? -1 : this.system.signals.findIndex((s, i) => !plot.signals.includes(i) && words.every((w) => s.name.toLowerCase().includes(w)));
    if (index < 0) return;
    plot.signals.push(index);
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
    const style = this.style();
    const text = style.getPropertyValue("--soft"), grid = style.getPropertyValue("--line");
    const signals = plot.signals.map((i) => this.system.signals[i]!);
    const units = [...new Set(signals.map(shownUnit))];
    const axes: uPlot.Axis[] = [
      { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, label: "s", labelSize: 14, size: 34 },
      ...units.slice(0, 2).map((unit, k): uPlot.Axis => ({
        scale: `u${k}`,
        side: k === 0 ? 3 : 1,
        stroke: text,
        grid: { show: k === 0, stroke: grid, width: 1 },
        ticks: { stroke: grid },
        label: unit,
        labelSize: 16,
        size: 52,
      })),
    ];
    const scaleOf = (signal: Signal) => `u${Math.min(1, units.indexOf(shownUnit(signal)))}`;
    plot.chart = new uPlot(
      {
        width: Math.max(200, this.list.clientWidth - 4),
        height: 190,
        scales: { x: { time: false } },
        cursor: { sync: { key: sync }, drag: { x: true, y: false } },
        axes,
        series: [
          { label: "t / s", value: (_, v) => (v === null ? "–" : v.toFixed(3)) },
          ...signals.map((signal, k): uPlot.Series => ({
            label: `${signal.name}${shownUnit(signal) ? ` / ${shownUnit(signal)}` : ""}`,
            scale: scaleOf(signal),
            stroke: colors[k % colors.length]!,
            width: 1.6,
            points: { show: false },
            value: (_, v) => (v === null ? "–" : readable(v)),
          })),
        ],
        hooks: {
          setSelect: [() => (plot.zoomed = true)],
          setCursor: [(u) => this.hover(u)],
        },
      },
      this.data(plot),
      plot.holder,
    );
    plot.chart.over.addEventListener("dblclick", () => this.unzoom(plot));
    plot.chart.over.addEventListener("click", () => {
      if (this.cursor !== null && (plot.chart?.select.width ?? 0) < 3) this.onPick(this.cursor);
    });
  }

  private hover(chart: uPlot): void {
    const { left } = chart.cursor;
    this.cursor = left === undefined || left === null || left < 0 ? null : chart.posToVal(left, "x");
  }

  private data(plot: Plot): uPlot.AlignedData {
    const convert = (signal: number, values: ArrayLike<number>) =>
      Array.from(values, (v) => (Number.isFinite(v) ? shownValue(this.system.signals[signal]!, v) : null));
    if (plot.full.size === plot.signals.length) {
      const tables = plot.signals.map((i): uPlot.AlignedData => {
        const [times, values] = plot.full.get(i)!;
        return [times, convert(i, values)] as uPlot.AlignedData;
      });
      return tables.length === 1 ? tables[0]! : uPlot.join(tables, tables.map(() => [0, 0]));
    }
    const times = this.history.times.subarray(0, this.history.length);
    return [times, ...plot.signals.map((i) => convert(i, this.history.column(i)))] as uPlot.AlignedData;
  }

  /** A recording is known as a whole: its curves come from the server, decimated by least and greatest. */
  private async load(plot: Plot): Promise<void> {
    if (this.system.mode !== "replay") return;
    for (const signal of plot.signals) {
      if (plot.full.has(signal)) continue;
      try {
        const answer = await fetch(`history?stream=0&signal=${signal}&n=4000`);
        if (!answer.ok) return;
        const pairs = new Float64Array(await answer.arrayBuffer());
        plot.full.set(signal, [pairs.filter((_, i) => i % 2 === 0), pairs.filter((_, i) => i % 2 === 1)]);
      } catch {
        return;
      }
    }
    plot.chart?.setData(this.data(plot));
  }

  /** New values have come. */
  update(): void {
    for (const plot of this.plots) {
      if (!plot.chart || !plot.holder.isConnected || plot.holder.offsetParent === null) continue;
      if (plot.full.size === plot.signals.length) continue;
      plot.chart.setData(this.data(plot), !plot.zoomed);
      if (plot.zoomed) plot.chart.redraw();
    }
  }

  /** Marks a time in all plots. */
  mark(time: number): void {
    for (const { chart } of this.plots) {
      if (!chart) continue;
      chart.setCursor({ left: chart.valToPos(time, "x"), top: 10 }, false);
    }
  }

  redraw(): void {
    for (const plot of this.plots) this.make(plot);
  }

  /** What a plot shows, for tests. */
  shown(): { title: string; points: number; signals: string[] }[] {
    return this.plots.map((p) => ({ title: p.title, points: p.chart?.data[0].length ?? 0, signals: p.signals.map((i) => this.system.signals[i]!.name) }));
  }

  private unzoom(plot: Plot): void {
    plot.zoomed = false;
    plot.chart?.setData(this.data(plot), true);
  }

  private resize(): void {
    const width = this.list.clientWidth - 4;
    if (width > 100) for (const { chart } of this.plots) chart?.setSize({ width, height: 190 });
  }

  private export(plot: Plot): void {
    const data = this.data(plot);
    const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const heading = plot.signals.map((i) => {
      const signal = this.system.signals[i]!;
      return quote(shownUnit(signal) ? `${signal.name} [${shownUnit(signal)}]` : signal.name);
    });
    const lines = [["time [s]", ...heading].join(",")];
    for (let row = 0; row < data[0].length; ++row) lines.push(data.map((column) => column[row] ?? "").join(","));
    const link = element("a", { href: URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" })), download: `${plot.title.replace(/[^\w.-]+/g, "_")}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}
