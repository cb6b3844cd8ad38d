import type { Environment } from '../owner.ts';
import type { LayerMeta } from '../../risk/assessment.ts';

/** Why a layer gave no value at a point. */
export type NoValueReason = 'outside' | 'nodata';

/** What a layer said at a point. */
export type LayerSample =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly reason: NoValueReason };

/** One versioned raster layer as the catalogue knows it, and as the models take it. */
export type LayerCard = LayerMeta;

/**
 * Reads the maps that it was made for at many points: `into[c * lngs.length + i]` is what map `c` says at point `i`, NaN
 * where it knows nothing and Infinity where it does not reach.
 */
export type LayerColumns = (lngs: Float64Array, lats: Float64Array, into: Float64Array) => void;

/** One immutable view of the catalogue: every sample of one request comes from the same versions. */
export interface LayerSnapshot {
  cards(layer: string): readonly LayerCard[];
  /**
   * Samples one version of a layer at many points, answered in input order.
   * `lngs` and `lats` are decimal degrees; interpolation is the layer's own (nearest for classes, bilinear for fields);
   * nodata is never averaged in.
   */
  sample(
    card: LayerCard,
    lngs: Float64Array,
    lats: Float64Array,
  ): readonly LayerSample[] | Promise<readonly LayerSample[]>;
  /** The same for several cards, each interpolated in its own way; made once for a snapshot and used for every request. */
  reader(cards: readonly LayerCard[]): LayerColumns;
  /**
   * Digest (hex) of all that these layers answer from: the same wherever the same maps are installed in the same order,
   * another as soon as one of them is not.
   */
  state(layers: readonly string[]): string;
}

export interface LayerReader {
  /** What serves an environment now; the same object for as long as that does not change. */
  snapshot(environment: Environment): LayerSnapshot;
}
