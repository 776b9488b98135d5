// What was seen of the signals since the page was opened: columns that grow, thinned by half when they are full, so
// that memory is bounded and the whole run stays visible.
export class History {
  readonly times: Float64Array;
  private readonly columns: Float64Array[];
  length = 0;
  private every = 1;
  private skipped = 0;
  private gaps = new Set<number>(); // times of rows without values, which keep apart what nobody saw the way between
  private interrupted = false;

  constructor(
    signals: number,
    private readonly most = Math.round(Math.min(20000, Math.max(2000, 8e6 / Math.max(1, signals)))),
  ) {
    this.times = new Float64Array(most);
    this.columns = Array.from({ length: signals }, () => new Float64Array(0));
  }

  add(time: number, values: Float64Array): void {
    if (this.length > 0 && time <= this.times[this.length - 1]!) {
      // A step back is a seek or a reset that the server did not name: what lies ahead is not known any more.
      if (time < this.times[this.length - 1]!) this.cut(time);
      else return;
    }
    if (this.interrupted && this.length > 0) {
      const between = (this.times[this.length - 1]! + time) / 2;
      this.gaps.add(between);
      this.append(between, []);
      this.skipped = this.every;
    }
    this.interrupted = false;
    if (++this.skipped < this.every) return;
    this.skipped = 0;
    this.append(time, values);
  }

  /** What comes next does not follow what was seen last. */
  interrupt(): void {
    this.interrupted = true;
  }

  private append(time: number, values: ArrayLike<number>): void {
    if (this.length === this.most) this.thin();
    this.times[this.length] = time;
    for (let i = 0; i < this.columns.length; ++i) {
      let column = this.columns[i]!;
      if (column.length <= this.length) {
        const larger = new Float64Array(Math.min(this.most, Math.max(256, 2 * column.length, this.length + 1)));
        larger.set(column);
        this.columns[i] = column = larger;
      }
      column[this.length] = values[i] ?? NaN;
    }
    ++this.length;
  }

  clear(): void {
    this.length = 0;
    this.every = 1;
    this.gaps.clear();
    this.interrupted = false;
  }

  column(signal: number): Float64Array {
    return (this.columns[signal] ?? new Float64Array(0)).subarray(0, this.length);
  }

  /** All signals at or before a time. */
  rowValues(time: number): Float64Array {
    const row = this.rowAt(time);
    return Float64Array.from(this.columns, (column) => (row < 0 ? NaN : column[row]!));
  }

  /** The row at or before a time; -1 before the first. */
  rowAt(time: number): number {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private cut(time: number): void {
    this.length = Math.max(0, this.rowAt(time));
  }

  private thin(): void {
    const kept = Array.from({ length: Math.ceil(this.length / 2) }, (_, i) => (2 * i + 1 < this.length && this.gaps.has(this.times[2 * i + 1]!) ? 2 * i + 1 : 2 * i));
    for (const column of [this.times, ...this.columns]) kept.forEach((row, i) => (column[i] = column[row]!));
    this.length = kept.length;
    this.every *= 2;
  }
}
