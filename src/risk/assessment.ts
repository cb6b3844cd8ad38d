import type { Peril } from '../contract/vocabulary.ts';

export type { Peril };

/** Metadata of one map of a layer: its entry (card) in the layer catalogue. */
export interface LayerMeta {
  readonly layer: string;
  readonly version: string;
  readonly unit: string;
  /** Years; null for a layer that is not a hazard map. */
  readonly returnPeriodYears: number | null;
  /** Ground resolution [m] at the equator. */
  readonly resolutionM: number;
  /** Date that the content describes, YYYY-MM-DD. */
  readonly date: string;
  readonly licence: string;
  readonly source: string;
  /** Present when the layer was made from the sandbox's simulated region. */
  readonly simulated?: true;
}

/** Value of a layer at a point, or why it has none. */
export type LayerReading =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly reason: 'outside' | 'nodata' };

/** Why an answer is less certain than the model can be. */
export type ReasonCode =
  | 'outside'
  | 'nodata'
  | 'sea'
  | 'stale'
  | 'prior'
  | 'coarse'
  | 'not-modelled'
  | 'defended';

export interface Reason {
  readonly code: ReasonCode;
  readonly message: string;
}

/** The short answer. No field is ever NaN. */
export interface Assessment {
  /** [0, 1] */
  readonly riskScore: number;
  /** Probability in [0, 1] that the true score lies within 0.1 of this one. */
  readonly confidence: number;
  /** [1/yr] */
  readonly expectedAnnualDamageRatio: number;
}

/** One point of a hazard curve: median intensity, its 5th and 95th percentile, and the mean damage ratio. */
export interface HazardPoint {
  readonly returnPeriodYears: number;
  readonly intensity: number;
  readonly low: number;
  readonly high: number;
  readonly damageRatio: number;
}

/** A layer that the model uses, with its value at the point; null where it has none. */
export interface UsedLayer {
  readonly meta: LayerMeta;
  readonly value: number | null;
}

/** How often a named intensity is reached. Within the range of the hazard maps both probabilities are the same. */
export interface ClassExceedance {
  /** Such as `very high fire danger`. */
  readonly name: string;
  /** Intensity at which the class begins, in the unit of the maps. */
  readonly from: number;
  /** Bounds of the probability [0-1] that the maximum of a year reaches it. */
  readonly lowest: number;
  readonly highest: number;
}

/** The long answer: the short one and everything it was computed from. */
export interface Explanation extends Assessment {
  /** Quantity of the hazard curve, with its unit. */
  readonly intensity: string;
  readonly hazardCurve: readonly HazardPoint[];
  readonly layers: readonly UsedLayer[];
  readonly reasons: readonly Reason[];
  /** Present where hazard maps have values and their intensity has named classes. */
  readonly exceedance?: readonly ClassExceedance[];
}

/**
 * A model bound to the layers of one catalogue snapshot. `readings[i]` is the reading of card `i` of `prepare` at the
 * point; `lat` and `lng` are decimal degrees. The same input always gives the same answer.
 */
export interface Assessor {
  assess(readings: readonly LayerReading[], lat: number, lng: number): Assessment;
  explain(readings: readonly LayerReading[], lat: number, lng: number): Explanation;
}

/** Model of a peril: it declares its layers, is bound to their cards, and then gets their readings at each point. */
export interface RiskModel {
  readonly peril: Peril;
  /** `<peril>-v<major>.<minor>.<patch>`; any change in an answer for the same layers changes it. */
  readonly modelVersion: string;
  /** Names of its layers; it gets all versions and return periods of each that the catalogue has. */
  readonly layers: readonly string[];
  /** One line: hazard, vulnerability, and how they become a score. */
  readonly method: string;
  readonly citations: readonly string[];
  /** What the model does not cover. */
  readonly limits: readonly string[];
  /** Binds the model to the cards of one snapshot. Call it once per snapshot, not per point. */
  prepare(cards: readonly LayerMeta[]): Assessor;
}
