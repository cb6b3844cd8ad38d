import { DAY_MS } from '../../../src/base/time.ts';

const COMPOSITE_DAYS = 16; // MOD13Q1
const IN_YEAR = 23; // number of composites per calendar year; the last one is shorter

/** Years of a record of 16-day composites, counted from its first composite. */
export class CompositeYears {
  /** Number of years, the last of which may be incomplete. */
  readonly years: number;
  readonly #slots: readonly number[];
  readonly #indexOf: ReadonlyMap<number, number>;

  /** @param startsMs first day of each composite [ms since the Unix epoch], ascending */
  constructor(startsMs: readonly number[]) {
    const count = startsMs.map((ms) => {
      const year = new Date(ms).getUTCFullYear();
      return year * IN_YEAR + Math.floor((ms - Date.UTC(year, 0)) / DAY_MS / COMPOSITE_DAYS);
    });
    this.#slots = count.map((slot) => slot - count[0]!);
    this.#indexOf = new Map(this.#slots.map((slot, t) => [slot, t]));
    this.years = Math.floor(this.#slots.at(-1)! / IN_YEAR) + 1;
  }

  /** Year of a composite, from 0. */
  yearOf(t: number): number {
    return Math.floor(this.#slots[t]! / IN_YEAR);
  }

  /** Index of the composite of the same season in another year; -1 if the record does not have it. */
  inYear(t: number, year: number): number {
    return this.#indexOf.get(year * IN_YEAR + (this.#slots[t]! % IN_YEAR)) ?? -1;
  }

  /** Index of the composite of the same season a number of years later, counted around the end of the record. */
  shifted(t: number, years: number): number {
    return this.inYear(t, (this.yearOf(t) + years) % this.years);
  }
}

/** Values of a series at other indices; NaN where the index is -1. */
export function valuesAt(
  series: ArrayLike<number>,
  times: number,
  indexOf: (t: number) => number,
): Float32Array {
  return Float32Array.from({ length: times }, (_, t) => {
    const index = indexOf(t);
    return index < 0 ? Number.NaN : series[index]!;
  });
}
