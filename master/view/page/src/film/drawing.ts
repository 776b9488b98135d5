// What is drawn over a picture: words on glass, and the time as blocks that a program can read.
export interface Line {
  text: string;
  size: number; // pixels of a picture that is 720 high
  weight: number;
  color: string;
}
export const line = (text: string, size: number, weight = 450, color = "#e6ebf1"): Line => ({ text, size, weight, color });

interface Place {
  left: boolean;
  top: boolean;
  fill?: string;
  within?: { left: number; top: number; width: number; height: number }; // else the whole picture
}

export function font(line: { size: number; weight: number }, unit: number): string {
  return `${line.weight} ${line.size * unit}px system-ui, "Noto Sans", "DejaVu Sans", sans-serif`;
}

/** Lines of text on glass, in a corner. */
export function card(context: CanvasRenderingContext2D, unit: number, lines: Line[], place: Place): void {
  const within = place.within ?? { left: 0, top: 0, width: context.canvas.width, height: context.canvas.height };
  const margin = 16 * unit, inside = 12 * unit;
  let width = 0, height = 0;
  for (const each of lines) {
    context.font = font(each, unit);
    width = Math.max(width, context.measureText(each.text).width);
    height += 1.3 * each.size * unit;
  }
  // Numbers that change must not shake the glass.
  width = Math.ceil(width / (24 * unit)) * 24 * unit + 2 * inside;
  height += 1.2 * inside;
  const x = place.left ? within.left + margin : within.left + within.width - margin - width;
  let y = place.top ? within.top + margin : within.top + within.height - margin - height;
  context.fillStyle = place.fill ?? "rgba(16, 20, 26, 0.74)";
  context.beginPath();
  context.roundRect(x, y, width, height, 7 * unit);
  context.fill();
  context.textBaseline = "middle";
  y += 0.6 * inside;
  for (const each of lines) {
    context.font = font(each, unit);
    context.fillStyle = each.color;
    context.fillText(each.text, x + inside, y + 0.65 * each.size * unit);
    y += 1.3 * each.size * unit;
  }
}

/** 4 blocks to find it (light, dark, light, dark), 64 of the time as IEEE 754 with its first bit first, 8 of the sum of its bytes. */
export function bitsOf(time: number): boolean[] {
  const view = new DataView(new ArrayBuffer(9));
  view.setFloat64(0, time);
  let sum = 0;
  for (let i = 0; i < 8; ++i) sum += view.getUint8(i);
  view.setUint8(8, sum & 255);
  return [true, false, true, false, ...Array.from({ length: 72 }, (_, i) => ((view.getUint8(i >> 3) >> (7 - (i & 7))) & 1) === 1)];
}

/** Along the lower edge, from the left: blocks as wide as the picture is high by 180, twice as high, at least two pixels each. */
export function strip(context: CanvasRenderingContext2D, unit: number, time: number): void {
  const width = Math.max(2, Math.floor(4 * unit)), height = 2 * width;
  bitsOf(time).forEach((bit, i) => {
    context.fillStyle = bit ? "#e6ebf1" : "#10141a";
    context.fillRect(i * width, context.canvas.height - height, width, height);
  });
}
