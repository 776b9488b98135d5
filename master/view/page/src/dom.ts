// Elements made in code. Text is always text: names from foreign systems never become markup.
export interface Attributes {
  class?: string;
  text?: string;
  title?: string;
  [name: string]: string | number | boolean | undefined | ((event: Event) => void);
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  children: (Node | null)[] = [],
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  apply(made, attributes);
  made.append(...children.filter((c) => c !== null));
  return made;
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, children: Node[] = []): SVGElementTagNameMap[K] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(made, attributes);
  made.append(...children);
  return made;
}

function apply(made: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.replace(/^on/, ""), value);
    else if (name === "text") made.textContent = String(value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
}

export function button(text: string, title: string, action: () => void, classes = ""): HTMLButtonElement {
  return element("button", { class: classes, type: "button", text, title, "aria-label": title, onclick: action });
}

export function choice(title: string, options: [string, string][], chosen: string, action: (value: string) => void): HTMLSelectElement {
  const select = element("select", { title, "aria-label": title });
  for (const [value, label] of options) select.append(element("option", { value, text: label }));
  select.value = chosen;
  select.addEventListener("change", () => action(select.value));
  return select;
}

export function toggle(text: string, title: string, on: boolean, action: (on: boolean) => void): HTMLButtonElement {
  const made = button(text, title, () => {
    const now = made.getAttribute("aria-pressed") !== "true";
    made.setAttribute("aria-pressed", String(now));
    action(now);
  });
  made.setAttribute("aria-pressed", String(on));
  return made;
}

/** A number as a person reads it: four significant digits, no exponent where it can be avoided. */
export function readable(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(3);
  return Number(value.toPrecision(size >= 1000 ? 6 : 4)).toString();
}
