// Reports: the drawn plots become ones that can be zoomed and read out when they come into sight; printed, they stay
// drawings. The numbers stand in the page itself.
import uPlot from "uplot";
import css from "uplot/dist/uPlot.min.css";
import { lastKnown } from "./panels/legend";

interface Series {
  label: string;
  held: boolean;
  time: Float64Array;
  values: Float64Array;
}

function numbers(text: string): Float64Array {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

function seriesOf(figure: HTMLElement): Series[] {
  return [...figure.querySelectorAll<HTMLElement>(".data > i")].map((node) => ({
    label: node.dataset["label"] ?? "",
    held: node.dataset["held"] === "1",
    time: numbers(node.dataset["time"] ?? ""),
    values: numbers(node.dataset["values"] ?? ""),
  }));
}

/** A number with as many digits as a person reads. */
function readable(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  return Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(4) : String(Number(value.toPrecision(6)));
}

function make(figure: HTMLElement): void {
  const drawing = figure.querySelector<SVGElement>(":scope > svg");
  const series = seriesOf(figure);
  if (!drawing || series.length === 0 || figure.querySelector(".chart")) return;
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const unit = figure.querySelector<HTMLElement>(".data")?.dataset["unit"] ?? "";
  const tables = series.map((s): uPlot.AlignedData => [s.time, Array.from(s.values, (v) => (Number.isFinite(v) ? v : null))]);
  const data = tables.length === 1 ? tables[0]! : uPlot.join(tables, tables.map(() => [0, 1]));
  const holder = document.createElement("div");
  holder.className = "chart";
  const width = Math.max(280, figure.clientWidth);
  const axis = { stroke: color("--quiet"), grid: { stroke: color("--grid"), width: 1 }, ticks: { stroke: color("--grid") } };
  const chart = new uPlot(
    {
      width,
      height: Math.round(drawing.getBoundingClientRect().height) || 220,
      scales: { x: { time: false } },
      cursor: { sync: { key: "report" }, drag: { x: true, y: true, uni: 20 } },
      axes: [
        { ...axis, label: "time in s", labelSize: 16, size: 36 },
        { ...axis, label: unit, labelSize: 16, size: 62 },
      ],
      series: [
        { label: "t / s", value: (_, v) => readable(v) },
        ...series.map((s, i): uPlot.Series => ({
          label: s.label,
          stroke: color(`--c${i % 6}`),
          width: 1.5,
          points: { show: false },
          paths: s.held ? uPlot.paths.stepped!({ align: 1 }) : undefined,
          value: (u, v, column, row) => readable(lastKnown(u, v, column, row)),
        })),
      ],
    },
    data,
    holder,
  );
  drawing.style.display = "none";
  figure.classList.add("live");
  figure.querySelectorAll<HTMLElement>("figcaption .key").forEach((key) => (key.style.display = "none")); // the chart has its own
  drawing.after(holder);
  new ResizeObserver(() => chart.setSize({ width: Math.max(280, figure.clientWidth), height: chart.height })).observe(figure);
}

const sheet = document.createElement("style");
sheet.textContent = `${css}.chart .u-legend{font-size:12px;text-align:left}@media print{figure.live figcaption .key{display:inline-flex!important}}`;
document.head.append(sheet);
const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      make(entry.target as HTMLElement);
    }
  },
  { rootMargin: "200px" },
);
for (const figure of document.querySelectorAll<HTMLElement>("figure:has(> .data)")) seen.observe(figure);
