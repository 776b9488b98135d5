// Everything can be done by keys; this says how.
import { element } from "../dom";

export function keyHelp(): HTMLDialogElement {
  const keys: [string, string][] = [
    ["P", "pause or go on"],
    [".", "one communication point, while paused"],
    ["1 … 4", "number of panes"],
    ["M", "distance between two clicked points"],
    ["arrows, + and −", "in the scene: turn and zoom; with Shift: move"],
    ["← →", "in a plot: choose the time; with Shift: in larger steps"],
    ["Escape", "back to now"],
    ["Enter", "on a line of the diagram: its wires; on a wire: plot it"],
    ["space", "while driving: the dead-man key; levers as the tab Drive shows"],
  ];
  const rows = keys.map(([key, text]) => element("tr", {}, [element("td", {}, [element("kbd", { text: key })]), element("td", { text })]));
  const dialog = element("dialog", { "aria-label": "Keys" }, [element("table", {}, rows), element("form", { method: "dialog" }, [element("button", { text: "Close" })])]);
  return dialog;
}
