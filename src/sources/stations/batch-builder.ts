import type { PointBatch } from '../../app/stations/points-reader.ts';

/** Collects observations in arrays that grow. */
export class BatchBuilder implements PointBatch {
  count = 0;
  stations = new Int32Array(1 << 15);
  timesMs = new Float64Array(1 << 15);
  values = new Float64Array(1 << 15);
  lines = new Float64Array(1 << 15);

  add(station: number, timeMs: number, value: number, line: number): void {
    if (this.count === this.stations.length) this.#grow();
    this.stations[this.count] = station;
    this.timesMs[this.count] = timeMs;
    this.values[this.count] = value;
    this.lines[this.count++] = line;
  }

  #grow(): void {
    const larger = 2 * this.count;
    const grown = <T extends Int32Array | Float64Array>(before: T, after: T): T => {
      after.set(before);
      return after;
    };
    this.stations = grown(this.stations, new Int32Array(larger));
    this.timesMs = grown(this.timesMs, new Float64Array(larger));
    this.values = grown(this.values, new Float64Array(larger));
    this.lines = grown(this.lines, new Float64Array(larger));
  }
}
