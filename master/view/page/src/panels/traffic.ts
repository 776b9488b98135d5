// What goes over the buses of a run, and what it publishes: rates over the scene, every message and topic in a table.
import { element, readable } from "../dom";
import type { System } from "../data/system";

interface BusMessage {
  id: number;
  extended: boolean;
  count: number;
  t: number;
  data: string;
}
interface BusWord {
  bus: number;
  frames: number;
  bits: number;
  beyond: number;
  messages: BusMessage[];
}
interface Topic {
  name: string;
  type: string;
  size: number;
  rate?: number; // per real second
  age?: number;
}

/** How often per simulated second a counter has grown, over the last of them. */
class Rate {
  private readonly samples: [number, number][] = [];
  add(time: number, count: number): void {
    const { samples } = this;
    if (samples.length > 0 && (time < samples[samples.length - 1]![0] || count < samples[samples.length - 1]![1])) samples.length = 0; // another run
    if (samples.length > 0 && time === samples[samples.length - 1]![0]) return;
    samples.push([time, count]);
    while (samples.length > 2 && samples[1]![0] < time - 1) samples.shift();
  }
  get value(): number {
    const { samples } = this;
    if (samples.length < 2) return NaN;
    const [first, last] = [samples[0]!, samples[samples.length - 1]!];
    return (last[1] - first[1]) / (last[0] - first[0]);
  }
}

interface Bus {
  name: string;
  frames: Rate;
  bits: Rate;
  messages: Map<string, Rate>;
  word: BusWord | null;
}

const identifier = (message: BusMessage) => message.id.toString(16).toUpperCase().padStart(message.extended ? 8 : 3, "0");
const perSecond = (rate: number) => (Number.isFinite(rate) ? `${rate < 10 ? rate.toFixed(1) : rate.toFixed(0)} /s` : "–");
const spaced = (hex: string) => hex.replace(/../g, "$& ").trim();

export class Traffic {
  readonly root = element("div", { class: "traffic" });
  /** Over the scene. */
  readonly overlay = element("button", { type: "button", class: "rates glass", title: "Every message and topic", hidden: true });
  private readonly buses: Bus[];
  private topics: Topic[] = [];

  constructor(system: System, onOpen: () => void) {
    this.buses = (system.buses ?? []).map((name) => ({ name, frames: new Rate(), bits: new Rate(), messages: new Map(), word: null }));
    this.overlay.addEventListener("click", onOpen);
    this.write();
  }

  bus(message: Record<string, unknown>, time: number): void {
    const word = message as unknown as BusWord;
    const bus = this.buses[word.bus];
    if (!bus || !Array.isArray(word.messages)) return;
    bus.word = word;
    bus.frames.add(time, word.frames);
    bus.bits.add(time, word.bits);
    for (const each of word.messages) {
      const key = identifier(each);
      if (!bus.messages.has(key)) bus.messages.set(key, new Rate());
      bus.messages.get(key)!.add(time, each.count);
    }
    this.write();
  }

  published(message: Record<string, unknown>): void {
    if (Array.isArray(message["topics"])) this.topics = message["topics"] as Topic[];
    this.write();
  }

  /** What is shown, for tests. */
  shown(): { buses: { name: string; frames: number; rate: number; messages: number }[]; topics: string[] } {
    return {
      buses: this.buses.map((b) => ({ name: b.name, frames: b.word?.frames ?? 0, rate: b.frames.value, messages: b.word?.messages.length ?? 0 })),
      topics: this.topics.map((t) => t.name),
    };
  }

  /** The table is written only while somebody looks at it. */
  write(): void {
    const rows = this.buses.map((b) => [b.name, perSecond(b.frames.value), `${readable(Number((b.bits.value / 1000).toPrecision(3)))} kbit/s`]);
    const values = this.topics.reduce((sum, topic) => sum + (topic.rate ?? 0), 0);
    if (this.topics.length > 0) rows.push([`${this.topics.length} ${this.topics.length === 1 ? "topic" : "topics"}`, perSecond(values), ""]);
    this.overlay.hidden = rows.length === 0;
    this.overlay.replaceChildren(...rows.flatMap((row) => row.map((text) => element("span", { text }))));
    if (this.root.offsetParent === null) return;
    this.root.replaceChildren(...this.tables());
  }

  private tables(): HTMLElement[] {
    const made: HTMLElement[] = [];
    const table = (title: string, heads: string[], rows: string[][]) => {
      const cell = (tag: "td" | "th", text: string, i: number) => element(tag, { text, class: i === 0 ? "" : heads[i] === "last data" || heads[i] === "type" ? "code" : "number" });
      made.push(element("h3", { text: title }), element("table", {}, [element("tr", {}, heads.map((h, i) => cell("th", h, i))), ...rows.map((row) => element("tr", {}, row.map((t, i) => cell("td", t, i))))]));
    };
    for (const { name, word, frames, bits, messages } of this.buses) {
      const title = `${name}: ${word?.frames ?? 0} frames, ${perSecond(frames.value)}, ${readable(Number((bits.value / 1000).toPrecision(3)))} kbit/s${word && word.beyond > 0 ? `, ${word.beyond} of identifiers beyond these` : ""}`;
      table(title, ["id", "rate", "count", "at", "last data"], (word?.messages ?? []).map((m) => [identifier(m), perSecond(messages.get(identifier(m))?.value ?? NaN), String(m.count), `${m.t.toFixed(3)} s`, spaced(m.data)]));
    }
    if (this.topics.length > 0)
      table(
        "Topics on this machine",
        ["topic", "rate", "bytes", "age", "type"],
        this.topics.map((t) => [t.name, perSecond(t.rate ?? NaN), String(t.size), t.age === undefined ? "–" : `${t.age.toFixed(2)} s`, t.type]),
      );
    if (made.length === 0) made.push(element("p", { class: "soft", text: "No bus, and nothing is published (--publish)." }));
    return made;
  }
}
