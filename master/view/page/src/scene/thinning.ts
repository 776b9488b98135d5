// Fewer columns of a wall, where fewer look the same.

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
