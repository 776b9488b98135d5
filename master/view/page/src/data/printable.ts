// Texts from foreign systems as a person reads them. What would steer the direction of reading is spelt out, as the
// program does on a terminal and in reports: a mark in a name would turn around the numbers beside it.
const steering = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export function printable(text: string): string {
  return text.replace(steering, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Members that name something in another file, where it has to be found. */
const names = new Set(["urdf", "link", "frame", "sensor"]);

/** JSON in which every text can be shown. */
export function parseShown(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) => (typeof value === "string" && !names.has(key) ? printable(value) : value));
}
