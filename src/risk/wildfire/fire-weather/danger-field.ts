import { SPRING_CODES } from './fire-weather.ts';
import type { SeasonRule } from './fire-season.ts';
import type { FwiVariant } from './fwi-variant.ts';
import { nextFireDanger } from './next-fire-danger.ts';
import { overwinteredDroughtCode } from './overwintering.ts';
import { SeasonField } from './season-field.ts';

/** Rules for computing a series of fire danger. */
export interface DangerRule {
  readonly variant: FwiVariant;
  /** Rule for the fire season; null if the season lasts all year and the codes are never reset. */
  readonly season: SeasonRule | null;
  /** Parameters of `overwinteredDroughtCode`; null if every season begins with the same drought code. */
  readonly overwintering: { readonly carryOver: number; readonly wetting: number } | null;
}

/** Noon weather of one day at many places; NaN for missing values. */
export interface WeatherFields {
  readonly temperatureC: ArrayLike<number>;
  /** Temperature for the season rule [C]: the maximum of the day, or the temperature at noon. */
  readonly seasonTemperatureC: ArrayLike<number>;
  /** Relative humidity [%]. */
  readonly relativeHumidity: ArrayLike<number>;
  readonly windKmh: ArrayLike<number>;
  readonly rainMm: ArrayLike<number>;
  /** Snow depth [m]; required if the season rule uses snow. */
  readonly snowDepthM?: ArrayLike<number> | undefined;
}

/**
 * Fire danger of many places, day by day: starts and ends their fire seasons, updates their moisture codes, and
 * carries the drought code over the winter. A day with missing weather leaves the codes of a place unchanged, and
 * its index is NaN.
 */
export class DangerField {
  /** Fire Weather Index and Daily Severity Rating of the latest day: 0 out of season, NaN where missing. */
  readonly fwi: Float32Array;
  readonly dsr: Float32Array;
  readonly #latitudes: ArrayLike<number>;
  readonly #rule: DangerRule;
  readonly #season: SeasonField | null;
  readonly #isOpen: Uint8Array;
  readonly #ffmc: Float64Array;
  readonly #dmc: Float64Array;
  readonly #dc: Float64Array;
  /** Precipitation since the season ended [mm]; NaN before the first season. */
  readonly #winterRainMm: Float64Array;

  /** @param latitudes latitude of each place [decimal degrees] */
  constructor(latitudes: ArrayLike<number>, rule: DangerRule) {
    const count = latitudes.length;
    this.#latitudes = latitudes;
    this.#rule = rule;
    this.fwi = new Float32Array(count);
    this.dsr = new Float32Array(count);
    this.#season = rule.season === null ? null : new SeasonField(count, rule.season);
    this.#isOpen = new Uint8Array(count).fill(rule.season === null ? 1 : 0);
    this.#ffmc = new Float64Array(count).fill(SPRING_CODES.ffmc);
    this.#dmc = new Float64Array(count).fill(SPRING_CODES.dmc);
    this.#dc = new Float64Array(count).fill(SPRING_CODES.dc);
    this.#winterRainMm = new Float64Array(count).fill(Number.NaN);
  }

  /** Returns the moisture codes of a place after the latest day. */
  codes(place: number) {
    return { ffmc: this.#ffmc[place]!, dmc: this.#dmc[place]!, dc: this.#dc[place]! };
  }

  /**
   * Adds the next day.
   * @param month 1 to 12
   * @throws RangeError on impossible weather
   */
  next(weather: WeatherFields, month: number): void {
    const { temperatureC, relativeHumidity, windKmh, rainMm, seasonTemperatureC, snowDepthM } = weather;
    const noon = { temperatureC: 0, relativeHumidity: 0, windKmh: 0, rainMm: 0 };
    const codes = { ffmc: 0, dmc: 0, dc: 0 };
    for (let i = 0; i < this.fwi.length; i++) {
      noon.temperatureC = temperatureC[i]!;
      noon.relativeHumidity = relativeHumidity[i]!;
      noon.windKmh = windKmh[i]!;
      noon.rainMm = rainMm[i]!;
      const snowM = snowDepthM?.[i] ?? 0;
      const known = noon.temperatureC + noon.relativeHumidity + noon.windKmh + noon.rainMm;
      if (Number.isNaN(known + seasonTemperatureC[i]! + snowM)) {
        this.fwi[i] = this.dsr[i] = Number.NaN;
        continue;
      }
      this.#turn(i, seasonTemperatureC[i]!, snowM, noon.rainMm);
      if (this.#isOpen[i] === 0) {
        this.fwi[i] = this.dsr[i] = 0;
        continue;
      }
      codes.ffmc = this.#ffmc[i]!;
      codes.dmc = this.#dmc[i]!;
      codes.dc = this.#dc[i]!;
      const today = nextFireDanger(codes, noon, this.#latitudes[i]!, month, this.#rule.variant);
      this.#ffmc[i] = today.ffmc;
      this.#dmc[i] = today.dmc;
      this.#dc[i] = today.dc;
      this.fwi[i] = today.fwi;
      this.dsr[i] = today.dsr;
    }
  }

  /** Starts or ends the season of a place, and adds up the rain between seasons. */
  #turn(i: number, temperatureC: number, snowM: number, rainMm: number): void {
    if (this.#season === null) return;
    const wasOpen = this.#isOpen[i] === 1;
    const isOpen = this.#season.next(i, temperatureC, snowM);
    this.#isOpen[i] = isOpen ? 1 : 0;
    if (isOpen && !wasOpen) this.#begin(i);
    if (!isOpen) this.#winterRainMm[i] = (wasOpen ? 0 : this.#winterRainMm[i]!) + rainMm;
  }

  #begin(i: number): void {
    const { overwintering } = this.#rule;
    this.#ffmc[i] = SPRING_CODES.ffmc;
    this.#dmc[i] = SPRING_CODES.dmc;
    const winterRainMm = this.#winterRainMm[i]!;
    this.#dc[i] =
      overwintering === null || Number.isNaN(winterRainMm)
        ? SPRING_CODES.dc
        : overwinteredDroughtCode(this.#dc[i]!, winterRainMm, overwintering.carryOver, overwintering.wetting);
  }
}
