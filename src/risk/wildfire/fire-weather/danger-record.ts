import { DANGER_DAYS } from '../fire-climate.ts';

const MONTHS = 12;
/**
 * Length of a fire season [months]: the four consecutive months with the highest mean severity, such as June to
 * September around the Mediterranean.
 */
const SEASON_MONTHS = 4;
/**
 * Minimum number of days with data in a calendar month, over all years together, for its mean to count (our
 * choice).
 */
const ENOUGH_DAYS = 20;
/** Minimum share of days with data in a year for its worst week to count [1] (our choice). */
const ENOUGH_OF_YEAR = 0.9;
const DAYS_OF_YEAR = 365;
/**
 * First month of a fire year south of the equator, chosen so that no summer is split between two fire years.
 * North of the equator, fire years start in January.
 */
const SOUTHERN_FIRST_MONTH = 7;

/**
 * Summary of a series of daily fire danger at many places: the worst week of each year and the mean of each
 * month.
 */
export class DangerRecord {
  readonly #count: number;
  readonly #isSouth: Uint8Array;
  /** Fire Weather Index of the last seven days, `[place * 7 + day % 7]`; NaN where missing. */
  readonly #week: Float32Array;
  readonly #worst: Float32Array;
  readonly #known: Uint16Array;
  /**
   * Worst weeks of the finished years: per year one array with a value for each place; NaN if too few days have
   * data.
   */
  readonly #years: Float32Array[] = [];
  readonly #fireYears = [Number.NaN, Number.NaN];
  /** Sums of the Fire Weather Index, sums of the severity, and numbers of days, each `[month * count + place]`. */
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
   * Adds the next day; NaN means no data. Days without any data must be added too.
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

  /**
   * Returns the highest 7-day mean of the Fire Weather Index in each complete year of a place. After this call no
   * more days can be added.
   */
  worstWeeks(place: number): Float64Array {
    this.#finish();
    return Float64Array.from(this.#years.map((year) => year[place]!).filter((value) => !Number.isNaN(value)));
  }

  /**
   * Returns the means of the Fire Weather Index and the severity over the four consecutive months with the
   * highest mean severity; NaN unless all calendar months have enough data.
   */
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
