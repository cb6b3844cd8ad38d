/** The perils of the contract. */
export type Peril = 'flood' | 'subsidence' | 'wildfire' | 'storm';

/** What is known of one layer version, whatever the point: the catalogue's card. */
export interface LayerMeta {
  readonly layer: string;
  readonly version: string;
  readonly unit: string;
  /** Years; null for a layer that is no hazard map. */
  readonly returnPeriodYears: number | null;
  /** Ground resolution [m] at the equator. */
  readonly resolutionM: number;
  /** Date that the content stands for, YYYY-MM-DD. */
  readonly date: string;
  readonly licence: string;
  readonly source: string;
  /** Present when the layer was made from the sandbox's simulated region. */
  readonly simulated?: true;
}

/** What a layer said at the point: a finite value, or why there is none. */
export type LayerReading =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly reason: 'outside' | 'nodata' };

/** Why an answer is weaker than the model at its best; the first four are those of the contract. */
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

/** A layer that the model asked for, with what it said here; null where it said nothing. */
export interface UsedLayer {
  readonly meta: LayerMeta;
  readonly value: number | null;
}

/** How often an intensity that has a name is reached: between what the hazard maps hold the two are the same. */
export interface ClassExceedance {
  /** Such as `very high fire danger`. */
  readonly name: string;
  /** Intensity at which the class begins, in the unit of the maps. */
  readonly from: number;
  /** Probability in a year [0-1] that a year's maximum reaches it. */
  readonly lowest: number;
  readonly highest: number;
}

/** The long answer: everything that the short one was made from. */
export interface Explanation extends Assessment {
  /** What the hazard curve measures, with its unit. */
  readonly intensity: string;
  readonly hazardCurve: readonly HazardPoint[];
  readonly layers: readonly UsedLayer[];
  readonly reasons: readonly Reason[];
  /** Where hazard maps and classes of their intensity are known. */
  readonly exceedance?: readonly ClassExceedance[];
}

/**
 * A model bound to the layer versions of one catalogue snapshot. `readings[i]` is what card `i` of `prepare` said at the
 * point; `lat` and `lng` are decimal degrees. Pure: the same input gives the same answer.
 */
export interface Assessor {
  assess(readings: readonly LayerReading[], lat: number, lng: number): Assessment;
  explain(readings: readonly LayerReading[], lat: number, lng: number): Explanation;
}

/** A peril's model: it declares the layers it wants and is given their cards, then what they say at each point. */
export interface RiskModel {
  readonly peril: Peril;
  /** `<peril>-v<major>.<minor>.<patch>`; any change in an answer for the same layers changes it. */
  readonly modelVersion: string;
  /** Names of the layers wanted: all versions and return periods that the catalogue has of each. */
  readonly layers: readonly string[];
  /** One line: hazard, vulnerability, and how they become a score. */
  readonly method: string;
  readonly citations: readonly string[];
  /** What the model does not know or do. */
  readonly limits: readonly string[];
  /** Binds the model to the cards of one snapshot; do it once per snapshot, not per point. */
  prepare(cards: readonly LayerMeta[]): Assessor;
}
