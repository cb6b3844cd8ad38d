import type { Peril } from '../contract/vocabulary.ts';
import type { Evidence, EvidenceKind } from './evidence-kind.ts';

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
  /** True when the layer comes from the simulated region of the sandbox; otherwise absent. */
  readonly simulated?: true;
}

/** Value of a layer at a point, or the reason why the layer has no value there. */
export type LayerReading =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly reason: 'outside' | 'nodata' };

/** Reason why an answer is less certain than the best answer of the model. */
export type ReasonCode =
  | 'outside'
  | 'nodata'
  | 'sea'
  | 'unmapped'
  | 'stale'
  | 'prior'
  | 'coarse'
  | 'not-modelled'
  | 'defended';

export interface Reason {
  readonly code: ReasonCode;
  readonly message: string;
}

/** Short form of an answer. No field is ever NaN. */
export interface Assessment {
  /** [0, 1] */
  readonly riskScore: number;
  /** Probability in [0, 1] that the true score lies within 0.1 of this one. */
  readonly confidence: number;
  /** Expected damage per year as a share of the value of the building [1/yr]. */
  readonly expectedAnnualDamageRatio: number;
}

/** Range that holds the true score with a probability of 0.9. */
export interface ScoreRange {
  /** [0, 1] */
  readonly low: number;
  readonly high: number;
}

/** One point of a hazard curve: median intensity, its 5th and 95th percentile, and the mean damage ratio. */
export interface HazardPoint {
  readonly returnPeriodYears: number;
  readonly intensity: number;
  readonly low: number;
  readonly high: number;
  readonly damageRatio: number;
}

/** A layer that the model uses, with its value at the point; null where the layer has no value. */
export interface UsedLayer {
  readonly meta: LayerMeta;
  readonly value: number | null;
}

/**
 * Probability that a class of intensity is reached in a year, as a lower and an upper bound. The bounds are equal
 * within the range of the hazard maps.
 */
export interface ClassExceedance {
  /** Name of the class, such as `very high fire danger`. */
  readonly name: string;
  /** Intensity at which the class begins, in the unit of the maps. */
  readonly from: number;
  /** Lower and upper bound of the probability [0-1] that the maximum of a year reaches the class. */
  readonly lowest: number;
  readonly highest: number;
}

/**
 * Long form of an answer: the short form, its range, what it rests on, the hazard curve, the layers used, and the reasons for a lower
 * confidence.
 */
export interface Explanation extends Assessment {
  readonly range: ScoreRange;
  readonly evidence: Evidence;
  /** Quantity that the hazard curve shows, with its unit. */
  readonly intensity: string;
  readonly hazardCurve: readonly HazardPoint[];
  readonly layers: readonly UsedLayer[];
  readonly reasons: readonly Reason[];
  /** Present where hazard maps have values and their intensity has named classes. */
  readonly exceedance?: readonly ClassExceedance[];
}

/**
 * A model prepared for the layers of one catalogue snapshot. `readings[i]` is the reading, at the point, of the
 * card with index `i` in the list passed to `prepare`; `lat` and `lng` are decimal degrees. The same input
 * always gives the same answer.
 */
export interface Assessor {
  assess(readings: readonly LayerReading[], lat: number, lng: number): Assessment;
  explain(readings: readonly LayerReading[], lat: number, lng: number): Explanation;
}

/**
 * Model of a peril. It declares the layers it needs, is prepared once for their cards, and then receives their
 * readings at each point.
 */
export interface RiskModel {
  readonly peril: Peril;
  /** `<peril>-v<major>.<minor>.<patch>`. The version changes whenever any answer for the same layers changes. */
  readonly modelVersion: string;
  /**
   * Names of the layers that the model uses. For each of them, the model receives all versions and return
   * periods in the catalogue.
   */
  readonly layers: readonly string[];
  /**
   * Kinds of evidence that the model can use, in ascending order: that of their classes, and within a class that of
   * their information about the score.
   */
  readonly evidence: readonly EvidenceKind[];
  /** Method in one line: hazard, vulnerability, and how the score is computed from them. */
  readonly method: string;
  readonly citations: readonly string[];
  /** What the model does not cover. */
  readonly limits: readonly string[];
  /** Prepares the model for the cards of one snapshot. Call it once per snapshot, not per point. */
  prepare(cards: readonly LayerMeta[]): Assessor;
}
