// What was said: notes, warnings, violations; a click goes to their time.
import { element } from "../dom";

const most = 500;

export class Log {
  readonly root = element("ul", { class: "log", "aria-live": "polite" });

  constructor(private readonly onPick: (time: number) => void) {}

  add(level: string, time: number | null, where: string, text: string): void {
    const line = element("li", { class: level === "warning" || level === "error" ? level : "note" });
    if (time !== null) {
      const at = element("button", { type: "button", text: `${time.toFixed(2)} s`, title: "Go to this time", onclick: () => this.onPick(time) });
      line.append(at, " ");
    }
    line.append(where ? `${where}: ${text}` : text);
    this.root.prepend(line);
    while (this.root.children.length > most) this.root.lastChild!.remove();
  }
}
