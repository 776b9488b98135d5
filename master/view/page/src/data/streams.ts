// Recordings that are shown side by side: which rows of them, at which time, and which have ended by then.
import type { StateFrame } from "./frames";
import type { System } from "./system";

export class Streams {
  private readonly times: number[] = []; // of the rows that are shown

  constructor(private readonly system: System) {}

  state(frame: StateFrame): void {
    this.times[frame.stream] = frame.time;
  }

  clear(): void {
    this.times.length = 0;
  }

  /** That of the first recording; where it has ended, that of the one that goes on. */
  get time(): number {
    if (this.times.length === 0) return NaN;
    const [first = NaN] = this.times;
    return first < this.stop(0) ? first : Math.max(...Object.values(this.times)); // of those that have rows
  }

  ended(stream: number): boolean {
    return this.time > this.stop(stream);
  }

  private stop(stream: number): number {
    return stopOf(this.system, stream);
  }
}

/** When a recording ends; a run that goes on has no end yet. */
export function stopOf(system: System, stream: number): number {
  return system.stops?.[stream] ?? Infinity;
}

/** What a recording is called beside others. */
export function streamLabel(system: System, stream: number): string {
  const stop = stopOf(system, stream);
  return `${stream > 0 ? "ghost: " : ""}${system.streams[stream]}${stop < (system.stop ?? Infinity) ? ` (to ${stop} s)` : ""}`;
}
