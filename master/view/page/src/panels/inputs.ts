// Free inputs and tunable parameters as sliders.
import { element, readable } from "../dom";
import { type Signal, type System, shownUnit, shownValue } from "../data/system";

export class Inputs {
  readonly root = element("div");
  private readonly rows: { signal: number; slider: HTMLInputElement; value: HTMLInputElement; used: number; last: number }[] = [];

  constructor(
    private readonly system: System,
    private readonly set: (signal: number, value: number) => void,
    private readonly refuse: (text: string) => void,
  ) {
    const inputs: number[] = [], tunable: number[] = [];
    system.signals.forEach((signal, i) => (signal.input ? inputs.push(i) : signal.tunable ? tunable.push(i) : 0));
    if (inputs.length + tunable.length === 0) this.root.append(element("p", { class: "soft", text: "Every input of this system is wired, and nothing can be tuned." }));
    this.section("Free inputs", inputs);
    this.section("Parameters that may be tuned", tunable);
  }

  private section(title: string, signals: number[]): void {
    if (signals.length === 0) return;
    this.root.append(element("h3", { text: title }));
    for (const index of signals.slice(0, 300)) this.root.append(this.row(index));
  }

  private row(index: number): HTMLElement {
    const signal = this.system.signals[index]!;
    const axis = this.system.view?.operator?.axes.find(({ input }) => input === index);
    const limits = axis ? { min: axis.least ?? -1, max: axis.most ?? 1 } : signal.type === "boolean" ? { min: 0, max: 1 } : {};
    const { least, most } = rangeOf({ ...signal, ...limits });
    const discrete = signal.type === "boolean" || signal.type === "integer" || signal.type === "natural";
    const step = discrete ? 1 : (most - least) / 1000;
    const id = `input${index}`;
    const slider = element("input", { type: "range", id, min: least, max: most, step, value: signal.start ?? 0 });
    const value = element("input", { type: "number", step: discrete ? 1 : "any", ...limits, value: signal.start ?? 0, "aria-label": `${signal.name}, value` });
    const row = { signal: index, slider, value, used: 0, last: signal.start ?? 0 };
    const send = (from: HTMLInputElement) => {
      const number = from.value.trim() === "" ? NaN : Number(from.value);
      const { min = -Infinity, max = Infinity } = limits;
      if (!Number.isFinite(number) || number < min || number > max) {
        this.refuse(`${signal.name} keeps ${row.last}: expected a number${axis ? ` from ${min} to ${max}, the range of its axis` : ""}`);
        from.value = String(row.last);
        return;
      }
      row.last = number;
      row.used = performance.now();
      (from === slider ? value : slider).value = String(number);
      this.set(index, number);
    };
    slider.addEventListener("input", () => send(slider));
    value.addEventListener("change", () => send(value));
    this.rows.push(row);
    const label = element("label", { for: id, text: signal.name, title: signal.description ?? "" });
    label.append(element("span", { class: "soft", text: ` ${signal.unit === "1" ? "" : signal.unit}${signal.shown ? `  (${readable(shownValue(signal, 1))} ${shownUnit(signal)} each)` : ""}` }));
    return element("div", { class: "slider" }, [label, slider, value]);
  }

  /** Shows what the system has; not while somebody moves the slider. */
  state(values: Float64Array): void {
    if (this.root.offsetParent === null) return;
    const now = performance.now();
    for (const row of this.rows) {
      const value = values[row.signal];
      if (value === undefined || !Number.isFinite(value) || now - row.used < 1000) continue;
      if (document.activeElement === row.value) continue;
      row.last = value;
      row.slider.value = String(value);
      row.value.value = readable(value);
    }
  }
}

function rangeOf(signal: Signal): { least: number; most: number } {
  if (signal.type === "boolean") return { least: 0, most: 1 };
  const reach = Math.max(1, 2 * Math.abs(signal.start ?? 0));
  const least = signal.min !== undefined && Number.isFinite(signal.min) ? signal.min : -reach;
  const most = signal.max !== undefined && Number.isFinite(signal.max) ? signal.max : reach;
  return most > least ? { least, most } : { least: -reach, most: reach };
}
