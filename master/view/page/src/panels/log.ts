// What was said: notes, warnings, violations; a click goes to their time, and those of later times than the one that is
// shown are pale.
import { element } from "../dom";

const most = 500;

export class Log {
  readonly root = element("ul", { class: "log", "aria-live": "polite" });
  private lines: { time: number; line: HTMLElement }[] = []; // those that have a time, newest first
  private time = Infinity;

  constructor(private readonly onPick: (time: number) => void) {}

  add(level: string, time: number | null, where: string, text: string): void {
    const line = element("li", { class: level === "warning" || level === "error" ? level : "note" });
    if (time !== null) {
      const at = element("button", { type: "button", text: `${time.toFixed(2)} s`, title: "Go to this time", onclick: () => this.onPick(time) });
      line.append(at, " ");
      this.lines.unshift({ time, line });
    }
    line.append(where ? `${where}: ${text}` : text);
    this.root.prepend(line);
    while (this.root.children.length > most) this.root.lastChild!.remove();
    this.lines = this.lines.slice(0, most);
    this.show(this.time);
  }

  /** The time that is shown. */
  show(time: number): void {
    this.time = time;
    const here = Math.max(...this.lines.map((l) => l.time).filter((t) => t <= time));
    for (const { time: at, line } of this.lines) {
      line.classList.toggle("later", at > time);
      line.classList.toggle("here", at === here);
    }
  }
}
