/** Growing arrays with the observations of one station, in the order of the file. */
class StationBuffer {
  timesMs = new Float64Array(64);
  values = new Float64Array(64);
  lines = new Float64Array(64);
  count = 0;
  isOrdered = true;

  add(timeMs: number, value: number, line: number): void {
    if (this.count === this.timesMs.length) {
      const more = (before: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
        const after = new Float64Array(2 * before.length);
        after.set(before);
        return after;
      };
      [this.timesMs, this.values, this.lines] = [more(this.timesMs), more(this.values), more(this.lines)];
    }
    if (this.count > 0 && !(timeMs > this.timesMs[this.count - 1]!)) this.isOrdered = false;
    this.timesMs[this.count] = timeMs;
    this.values[this.count] = value;
    this.lines[this.count++] = line;
  }
}

/** A conflict: two different values of one station at the same time. */
export interface Conflict {
  readonly station: number;
  readonly timeMs: number;
  readonly lines: readonly [number, number];
  readonly values: readonly [number, number];
}

/** Observations of one station in order of time, at most one per time. */
export interface OrderedSeries {
  readonly station: number;
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
}

/** Collects the observations of many stations and sorts them by time. */
export class SeriesBuffer {
  total = 0;
  readonly #stations = new Map<number, StationBuffer>();

  add(station: number, timeMs: number, value: number, line: number): void {
    let series = this.#stations.get(station);
    if (series === undefined) this.#stations.set(station, (series = new StationBuffer()));
    series.add(timeMs, value, line);
    this.total++;
  }

  /**
   * Returns all observations sorted by time and empties the buffer. Duplicates are merged.
   * @param onConflict called for each time with two different values
   */
  *take(onConflict: (conflict: Conflict) => void): Generator<OrderedSeries> {
    for (const [station, series] of this.#stations) {
      yield series.isOrdered
        ? {
            station,
            timesMs: series.timesMs.slice(0, series.count),
            values: series.values.slice(0, series.count),
          }
        : sorted(station, series, onConflict);
    }
    this.clear();
  }

  clear(): void {
    this.#stations.clear();
    this.total = 0;
  }
}

function sorted(
  station: number,
  series: StationBuffer,
  onConflict: (conflict: Conflict) => void,
): OrderedSeries {
  const order = Uint32Array.from({ length: series.count }, (_, i) => i).sort(
    (a, b) => series.timesMs[a]! - series.timesMs[b]! || a - b,
  );
  const [timesMs, values] = [new Float64Array(series.count), new Float64Array(series.count)];
  let [count, before] = [0, -1];
  for (const i of order) {
    const timeMs = series.timesMs[i]!;
    if (before >= 0 && series.timesMs[before] === timeMs) {
      if (series.values[before] !== series.values[i])
        onConflict({
          station,
          timeMs,
          lines: [series.lines[before]!, series.lines[i]!],
          values: [series.values[before]!, series.values[i]!],
        });
      continue;
    }
    timesMs[count] = timeMs;
    values[count++] = series.values[i]!;
    before = i;
  }
  return { station, timesMs: timesMs.slice(0, count), values: values.slice(0, count) };
}
