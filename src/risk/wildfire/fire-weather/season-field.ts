import { isSeasonOpen, type SeasonRule } from './fire-season.ts';

/**
 * Fire seasons of many places at once. Does the same as `nextSeasonDay`, but without creating an object per place
 * and day.
 */
export class SeasonField {
  readonly #rule: SeasonRule;
  readonly #open: Uint8Array;
  /** Temperatures [C] and snow depths [m] of the latest days, `[place * days + day % days]`. */
  readonly #temperatures: Float32Array;
  readonly #depths: Float32Array;
  /** Number of days added so far for each place. */
  readonly #seen: Uint32Array;

  constructor(count: number, rule: SeasonRule) {
    this.#rule = rule;
    this.#open = new Uint8Array(count);
    this.#temperatures = new Float32Array(count * rule.days);
    this.#depths = new Float32Array(count * rule.days);
    this.#seen = new Uint32Array(count);
  }

  /** Adds one more day of a place. @returns whether that day belongs to its season */
  next(place: number, temperatureC: number, snowDepthM: number): boolean {
    const { days, countsToday } = this.#rule;
    const seen = this.#seen[place]!;
    const slot = place * days + (seen % days);
    this.#seen[place] = seen + 1;
    if (countsToday) this.#note(slot, temperatureC, snowDepthM);
    if ((countsToday ? seen + 1 : seen) >= days) this.#open[place] = this.#judge(place) ? 1 : 0;
    if (!countsToday) this.#note(slot, temperatureC, snowDepthM);
    return this.#open[place] === 1;
  }

  #note(slot: number, temperatureC: number, snowDepthM: number): void {
    this.#temperatures[slot] = temperatureC;
    this.#depths[slot] = snowDepthM;
  }

  #judge(place: number): boolean {
    const { days, by } = this.#rule;
    let [coldest, warmest, deepest, sumC, sumM] = [Infinity, -Infinity, 0, 0, 0];
    for (let k = place * days; k < (place + 1) * days; k++) {
      const temperature = this.#temperatures[k]!;
      const depth = this.#depths[k]!;
      coldest = Math.min(coldest, temperature);
      warmest = Math.max(warmest, temperature);
      deepest = Math.max(deepest, depth);
      sumC += temperature;
      sumM += depth;
    }
    if (by === 'mean') [coldest, warmest, deepest] = [sumC / days, sumC / days, sumM / days];
    return isSeasonOpen(this.#open[place] === 1, coldest, warmest, deepest, this.#rule);
  }
}
