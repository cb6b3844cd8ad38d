import { DANGER_DAYS } from '../fire-climate.ts';

const MONTHS = 12;
/** Months of a season: June to September around the Mediterranean, wherever the worst four lie elsewhere. */
export const SEASON_MONTHS = 4;
/** Days of each month of the year that must be known before its mean counts, over all years together (ours). */
const ENOUGH_DAYS = 20;
/** Share of a year's days that must be known before its worst week counts [1] (ours). */
const ENOUGH_OF_YEAR = 0.9;
const DAYS_OF_YEAR = 365;
/** Fire years begin with January north of the equator and with July south of it: never within a summer. */
const SOUTHERN_FIRST_MONTH = 7;

/** What a run of fire danger leaves behind: worst weeks of the years and means of the months of many places. */
export class DangerRecord {
  readonly #count: number;
  readonly #isSouth: Uint8Array;
  /** The last week, `[place * 7 + day % 7]`; NaN where missing. */
  readonly #week: Float32Array;
  readonly #worst: Float32Array;
  readonly #known: Uint16Array;
  /** Worst weeks of the years that are complete, one array of places a year. */
  readonly #years: Float32Array[] = [];
  readonly #fireYears = [Number.NaN, Number.NaN];
  /** Sums of index and severity and their days, `[month * count + place]`. */
  readonly #fwi: Float32Array;
  readonly #dsr: Float32Array;
  readonly #days: Uint16Array;
  #day = 0;
  #isFinished = false;

  constructor(latitudes: ArrayLike<number>) {
    this.#count = latitudes.length;
    this.#isSouth = Uint8Array.from(latitudes, (latitude) => (latitude < 0 ? 1 : 0));
    this.#week = new Float32Array(this.#count * DANGER_DAYS).fill(Number.NaN);
    this.#worst = new Float32Array(this.#count).fill(Number.NaN);
    this.#known = new Uint16Array(this.#count);
    this.#fwi = new Float32Array(this.#count * MONTHS);
    this.#dsr = new Float32Array(this.#count * MONTHS);
    this.#days = new Uint16Array(this.#count * MONTHS);
  }

  /**
   * Takes in the next day; NaN is missing. Days of which nothing is known must be given too.
   * @param month 1 to 12
   */
  add(fwi: Float32Array, dsr: Float32Array, year: number, month: number): void {
    for (const south of [0, 1]) {
      const fireYear = south === 1 && month >= SOUTHERN_FIRST_MONTH ? year + 1 : year;
      if (fireYear !== this.#fireYears[south] && !Number.isNaN(this.#fireYears[south]!)) this.#endYear(south);
      this.#fireYears[south] = fireYear;
    }
    const slot = this.#day++ % DANGER_DAYS;
    const base = (month - 1) * this.#count;
    for (let i = 0; i < this.#count; i++) {
      const today = fwi[i]!;
      this.#week[i * DANGER_DAYS + slot] = today;
      if (Number.isNaN(today)) continue;
      this.#known[i]!++;
      this.#fwi[base + i]! += today;
      this.#dsr[base + i]! += dsr[i]!;
      this.#days[base + i]!++;
      let sum = 0;
      for (let k = i * DANGER_DAYS; k < (i + 1) * DANGER_DAYS; k++) sum += this.#week[k]!;
      if (sum / DANGER_DAYS > this.#worst[i]! || (Number.isNaN(this.#worst[i]!) && !Number.isNaN(sum)))
        this.#worst[i] = sum / DANGER_DAYS;
    }
  }

  #endYear(south: number): void {
    if (!this.#isSouth.includes(south)) return;
    const year = new Float32Array(this.#count).fill(Number.NaN);
    for (let i = 0; i < this.#count; i++) {
      if (this.#isSouth[i] !== south) continue;
      if (this.#known[i]! >= ENOUGH_OF_YEAR * DAYS_OF_YEAR) year[i] = this.#worst[i]!;
      this.#worst[i] = Number.NaN;
      this.#known[i] = 0;
    }
    this.#years.push(year);
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    for (const south of [0, 1]) this.#endYear(south);
  }

  /** Highest 7-day mean of the index in each complete year of a place; no day can be added afterwards. */
  worstWeeks(place: number): Float64Array {
    this.#finish();
    return Float64Array.from(this.#years.map((year) => year[place]!).filter((value) => !Number.isNaN(value)));
  }

  /** Means over the four months in a row that are worst on average; NaN unless every month is known. */
  season(place: number): { readonly fwi: number; readonly dsr: number } {
    let best = { fwi: Number.NaN, dsr: Number.NaN };
    for (let first = 0; first < MONTHS; first++) {
      let [fwi, dsr] = [0, 0];
      for (let k = first; k < first + SEASON_MONTHS; k++) {
        const at = (k % MONTHS) * this.#count + place;
        const days = this.#days[at]!;
        if (days < ENOUGH_DAYS) return { fwi: Number.NaN, dsr: Number.NaN };
        fwi += this.#fwi[at]! / days / SEASON_MONTHS;
        dsr += this.#dsr[at]! / days / SEASON_MONTHS;
      }
      if (!(dsr <= best.dsr)) best = { fwi, dsr };
    }
    return best;
  }
}
