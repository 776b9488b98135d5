// The wall as numbers: which columns are enough to draw it, and how far it is.
import type { Ring } from "./wall";

/** Columns that are enough: what lies between two of them is as near to a straight line as the tolerance says, at most `longest` apart. */
export function thinned(heights: Float32Array, columns: number, rows: number, tolerance: number, longest: number): number[] {
  const isStraight = (from: number, to: number) => {
    for (let k = 0; k < rows; ++k) {
      const first = heights[from * rows + k]!, slope = (heights[to * rows + k]! - first) / (to - from);
      for (let i = from + 1; i < to; ++i) if (!(Math.abs(heights[i * rows + k]! - first - slope * (i - from)) <= tolerance)) return false;
    }
    return true;
  };
  const kept = [0];
  for (let from = 0; from < columns - 1; from = kept[kept.length - 1]!) {
    let to = from + 1;
    while (to + 1 < columns && to + 1 - from <= longest && isStraight(from, to + 1)) ++to;
    kept.push(to);
  }
  return kept;
}

/** Distance of a point to the wall that stands, whether that is below, before or beside the point. */
export function distanceTo(ring: Ring, top: { heights: Float32Array; columns: number; rows: number }, point: { x: number; y: number; z: number }): number {
  const { radius, thickness, start, span, base, height } = ring;
  const azimuth = Math.atan2(point.y, point.x), r = Math.hypot(point.x, point.y);
  /** To what stands up to a height over the azimuths around one. */
  const to = (middle: number, reach: number, upTo: number) => {
    const turn = Math.atan2(Math.sin(azimuth - middle), Math.cos(azimuth - middle));
    const beyond = Math.min(Math.max(0, Math.abs(turn) - reach), Math.PI / 2);
    const out = r * Math.cos(beyond);
    return Math.hypot(Math.max(radius - out, out - radius - thickness, 0), r * Math.sin(beyond), Math.max(0, point.z - upTo));
  };
  const ahead = to(start + span + Math.PI / 2, Math.PI / 2, base + height), lowered = to(start + span / 2 + 1.5 * Math.PI, (Math.PI - span) / 2, 0);
  let least = Math.min(ahead, lowered);
  const half = span / (top.columns - 1) / 2; // a column is drawn as far as half way to its neighbours
  for (let i = 0; i < top.columns; ++i) {
    let above = 0;
    for (let k = 0; k < top.rows; ++k) above = Math.max(above, top.heights[i * top.rows + k]!);
    least = Math.min(least, to(start + 2 * half * i, half, base + above));
  }
  return least;
}
