import type { LayerMeta, LayerReading, Reason } from './assessment.ts';
import { NO_LAND_MAPPED, SHORE_TOLERANCE_KM } from './coast-layer.ts';
import { absenceOf, candidatesOf, valueOf, type Candidates } from './layer-choice.ts';

/**
 * What the layers show at a point: `land`; `water` of a lake or permanent water; no mapped land (`unmapped`), which is
 * open sea or an islet that the coast layer lacks; or `unknown` where no coast layer has a value.
 */
export type Ground = 'land' | 'water' | 'unmapped' | 'unknown';

/** Minimum reading of the permanent-water layer that counts as water; readings may be interpolated between 0 and 1. */
const WATER_FROM = 0.5;

/**
 * Distance from the mapped shore of a lake [km] up to which a point in the lake does not count as water, because it may
 * be on an islet, a pier or a shore that the map draws too far inland. It is just below the half width of Lake Geneva
 * on the shipped map, and half a diagonal of its cells beyond 40 degrees of latitude.
 */
const LAKE_TOLERANCE_KM = 3;

/** Reason for a point in a lake or in permanent water. */
const IN_WATER: Reason = {
  code: 'sea',
  message: 'the point lies in a lake or permanent water: no building stands there',
};

/** Whether a model that needs no coast layer answers: nothing shows that the point is water. */
export function mayBeLand(ground: Ground): ground is 'land' | 'unknown' {
  return ground === 'land' || ground === 'unknown';
}

/** Tells land from water, by one rule for all perils. */
export class Shores {
  readonly #coast: Candidates;
  readonly #lake: Candidates;
  readonly #water: Candidates;

  constructor(cards: readonly LayerMeta[]) {
    this.#coast = candidatesOf(cards, 'coast-distance');
    this.#lake = candidatesOf(cards, 'lake-distance');
    this.#water = candidatesOf(cards, 'permanent-water');
  }

  /** Distance to the shore of the sea [km], negative at sea; NaN where it is not known. */
  coastKm(readings: readonly LayerReading[]): number {
    return valueOf(readings, this.#coast);
  }

  /**
   * Returns what the layers show at a point.
   * @param isLandShown whether another layer of the model shows ground there, such as a land cover or a measured
   *   movement: it outweighs the coarse shores, but not permanent water
   */
  at(readings: readonly LayerReading[], isLandShown: boolean): Ground {
    if (valueOf(readings, this.#water) >= WATER_FROM) return 'water';
    if (isLandShown) return 'land';
    const coastKm = this.coastKm(readings);
    if (coastKm < -SHORE_TOLERANCE_KM) return 'unmapped';
    if (valueOf(readings, this.#lake) > LAKE_TOLERANCE_KM) return 'water';
    return Number.isNaN(coastKm) ? 'unknown' : 'land';
  }

  /** Returns why a place that is not known to be land has no answer but the prior. */
  priorReason(readings: readonly LayerReading[], ground: Exclude<Ground, 'land'>): Reason {
    if (ground === 'water') return IN_WATER;
    if (ground === 'unmapped') return NO_LAND_MAPPED;
    const message = 'no coast layer covers the point: this is the prior for any place';
    return { code: absenceOf(readings, this.#coast), message };
  }

  /** Returns the reasons why an answer for land may be one for water: shores that no layer maps at the point. */
  doubts(readings: readonly LayerReading[]): Reason[] {
    const unknown: Reason[] = [];
    for (const [layer, candidates, water] of [
      ['coast-distance', this.#coast, 'the open sea'],
      ['lake-distance', this.#lake, 'a lake'],
    ] as const) {
      if (!Number.isNaN(valueOf(readings, candidates))) continue;
      if (layer === 'lake-distance' && !Number.isNaN(valueOf(readings, this.#water))) continue;
      const message = `no ${layer} here: ${water} is not told from land`;
      unknown.push({ code: absenceOf(readings, candidates), message });
    }
    return unknown;
  }
}
