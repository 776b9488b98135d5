// What a legend says at a point of a chart.
import type uPlot from "uplot";

/** A value, or where others have a point and this one has not, the last one before; null where it is no number. */
export function lastKnown(chart: uPlot, value: number | null | undefined, column: number, row: number | null): number | null {
  const values = chart.data[column]!;
  for (let at = row ?? 0; value === undefined && at > 0;) value = values[--at];
  return value ?? null;
}
