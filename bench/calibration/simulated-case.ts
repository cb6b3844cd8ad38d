import type { LayerMeta, LayerReading } from '../../src/risk/assessment.ts';
import { riskScore } from '../../src/risk/score.ts';

/** A place with known hazard and building, and the readings of degraded layers there. */
export interface SimulatedCase {
  readonly cards: readonly LayerMeta[];
  readonly readings: readonly LayerReading[];
  readonly lat: number;
  readonly lng: number;
  readonly trueScore: number;
  /** True intensity of the hazard at a return period [years]. */
  readonly trueIntensity: (returnPeriodYears: number) => number;
  /**
   * Station, tile or set of seasons whose sampling error the case shares with others; absent when cases are
   * independent.
   */
  readonly unit?: string;
}

/** Pseudo-random numbers from a seed, independent of the quasi-random draws of the models. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Uniform in (0, 1). @see mulberry32 (Ettinger 2017, public domain) */
  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** Standard normal (Box & Muller 1958). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.uniform() * from.length)]!;
  }
}

/**
 * Return periods over which the true damage is integrated [years]: finely spaced, and up to far longer ones than in
 * any layer.
 */
const FINE_YEARS = Float64Array.from({ length: 240 }, (_, i) => 1.02 * 10 ** (i / 48));

/**
 * Score of the true damage, integrated over all return periods, not only those of a layer.
 * @param besides annual damage ratio [1/yr] that does not depend on a return period; it is added to the integral
 */
export function trueScoreOf(damageAt: (returnPeriodYears: number) => number, besides = 0): number {
  let annual = besides;
  let last = damageAt(FINE_YEARS[0]!);
  for (let i = 1; i < FINE_YEARS.length; i++) {
    const damage = damageAt(FINE_YEARS[i]!);
    annual += 0.5 * (last + damage) * (1 / FINE_YEARS[i - 1]! - 1 / FINE_YEARS[i]!);
    last = damage;
  }
  return riskScore(Math.min(1, annual + last / FINE_YEARS.at(-1)!));
}

/** Metadata of a simulated layer. */
export function simulatedCard(
  layer: string,
  returnPeriodYears: number | null,
  resolutionM: number,
): LayerMeta {
  const rest = { version: 'simulated', unit: '', date: '2026-01-01', licence: 'none', source: 'simulated' };
  return { layer, returnPeriodYears, resolutionM, ...rest };
}
