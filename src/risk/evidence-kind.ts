import type { EvidenceClass } from '../contract/vocabulary.ts';

export type { EvidenceClass };

/**
 * One kind of evidence that a model can use, and the layers that give it. It is present at a point where any of
 * `layers` has a value (and any of `besides`, if set).
 */
export interface EvidenceKind {
  readonly class: EvidenceClass;
  /** Name of the kind, unique within the model, such as `height above nearest drainage`. */
  readonly name: string;
  readonly layers: readonly string[];
  /** Layers of which another one must have a value too. */
  readonly besides?: readonly string[];
  /** Maximum cell size of `layers` [m]; larger cells do not count. */
  readonly withinM?: number;
}

/** What is known about a place, as a class and as information. */
export interface Evidence {
  readonly class: EvidenceClass;
  /**
   * Expected information about the score [bits]: the mutual information between the true score and what a model says
   * from evidence of this kind and cell size, measured on simulated places (bench/calibration). 0 for a prior.
   */
  readonly bits: number;
  /** The calibration check that corrects the confidence of the answer (`GET /v1/models`); empty for a prior. */
  readonly basis: string;
}
