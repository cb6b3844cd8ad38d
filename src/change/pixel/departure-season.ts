import { DAY_MS, JULIAN_YEAR_MS } from '../../base/time.ts';
import { PARAMETERS } from '../parameters.ts';
import type { StateStream } from '../state/state-stream.ts';

/** Number of parts of the year in which the season of a departure is recorded. */
export const YEAR_PARTS = 24;

/** Returns the part of the year of a time, from 0. */
export function partOfYear(timeMs: number): number {
  const phase = (((timeMs % JULIAN_YEAR_MS) + JULIAN_YEAR_MS) % JULIAN_YEAR_MS) / JULIAN_YEAR_MS;
  return Math.min(YEAR_PARTS - 1, Math.floor(phase * YEAR_PARTS));
}

/**
 * Seasons in which an open departure was low and in which it was normal. Ground whose forest became a field is as
 * green as before for half of the year, so a departure ends only in the season in which it was low.
 */
export class DepartureSeason {
  /** Largest size of a low observation in each part of the year [noise floors]; 0 where there was none. */
  readonly #sizes = new Float32Array(YEAR_PARTS);
  /** Day of the latest low observation in each part of the year [days since the Unix epoch]. */
  readonly #lowDay = new Float32Array(YEAR_PARTS);
  /** Bit mask of the parts of the year that were normal again in a later year than they were low. */
  #again = 0;
  /** Bit mask of the parts of the year in which an observation was normal. */
  #normal = 0;

  clear(): void {
    this.#sizes.fill(0);
    this.#lowDay.fill(0);
    this.#again = 0;
    this.#normal = 0;
  }

  /** Records a low observation. @param size size of the departure [noise floors] */
  sawLow(timeMs: number, size: number): void {
    const part = partOfYear(timeMs);
    this.#sizes[part] = Math.max(this.#sizes[part]!, size);
    this.#lowDay[part] = timeMs / DAY_MS;
    this.#again &= ~(1 << part);
  }

  /** Records a normal observation. */
  sawNormal(timeMs: number): void {
    const part = partOfYear(timeMs);
    this.#normal |= 1 << part;
    const seasonAgoDay = (timeMs - PARAMETERS.seasonAgainMs) / DAY_MS;
    for (let near = part - 1; near <= part + 1; near++) {
      const its = (near + YEAR_PARTS) % YEAR_PARTS;
      if (this.#lowDay[its]! < seasonAgoDay) this.#again |= 1 << its;
    }
  }

  /** Whether most of the seasons in which the departure had a given size or more have been normal again. */
  isNormalAgain(size: number): boolean {
    let low = 0;
    let again = 0;
    for (let part = 0; part < YEAR_PARTS; part++) {
      if (this.#sizes[part]! < size) continue;
      low += 1;
      again += (this.#again >> part) & 1;
    }
    return again >= PARAMETERS.returnedSeason * low;
  }

  /**
   * Whether the departure had a given size or more in some seasons and was normal in others. Low and normal parts of the
   * year that alternate often are noise.
   */
  isPartOfYear(size: number): boolean {
    let low = 0;
    let normal = 0;
    let turns = 0;
    let [first, last] = [0, 0];
    for (let part = 0; part < YEAR_PARTS; part++) {
      const isLow = this.#sizes[part]! >= size;
      if (!isLow && ((this.#normal >> part) & 1) === 0) continue;
      const state = isLow ? 1 : -1;
      if (isLow) low += 1;
      else normal += 1;
      if (first === 0) first = state;
      else if (state !== last) turns += 1;
      last = state;
    }
    if (first !== last) turns += 1;
    const { seasonParts, seasonTurns } = PARAMETERS;
    return low >= seasonParts && normal >= seasonParts && turns <= seasonTurns;
  }

  /** Writes or reads the saved fields, always in the same order. */
  fields(stream: StateStream): void {
    this.#again = stream.natural(this.#again);
    this.#normal = stream.natural(this.#normal);
    for (let part = 0; part < YEAR_PARTS; part++) {
      this.#sizes[part] = stream.single(this.#sizes[part]!);
      this.#lowDay[part] = stream.single(this.#lowDay[part]!);
    }
  }
}
