import type { Bbox } from '../../geo/bbox.ts';
import type { Environment } from '../owner.ts';
import type { LayerMeta } from '../../risk/assessment.ts';

/** Reason why a layer has no value at a point: the point is outside the map, or the pixel is nodata. */
export type NoValueReason = 'outside' | 'nodata';

/** Value of a layer at a point. */
export type LayerSample =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly reason: NoValueReason };

/** Description of one version of a raster layer. */
export type LayerCard = LayerMeta;

/**
 * Reads a fixed list of maps at many points: `into[c * lngs.length + i]` receives the value of map `c` at point
 * `i`; NaN: nodata; Infinity: outside the map.
 */
export type LayerColumns = (lngs: Float64Array, lats: Float64Array, into: Float64Array) => void;

/** Immutable view of the layers. All samples of one request come from the same versions. */
export interface LayerSnapshot {
  cards(layer: string): readonly LayerCard[];
  /** The box around the pieces of a map. */
  coverage(card: LayerCard): Bbox;
  /**
   * Samples one version of a layer at many points; results are in input order. `lngs` and `lats` are decimal degrees.
   * Classes are sampled by nearest neighbour, other values bilinearly; nodata pixels are left out.
   */
  sample(
    card: LayerCard,
    lngs: Float64Array,
    lats: Float64Array,
  ): readonly LayerSample[] | Promise<readonly LayerSample[]>;
  /** Makes a function that samples the maps of several cards. The function can be reused for many requests. */
  reader(cards: readonly LayerCard[]): LayerColumns;
  /**
   * Digest (hex) of the maps of these layers. It is equal on all nodes on which the same maps are installed in the
   * same order, and changes when one of the maps changes.
   */
  state(layers: readonly string[]): string;
}

export interface LayerReader {
  /** The current snapshot of an environment: the same object until a layer changes. */
  snapshot(environment: Environment): LayerSnapshot;
}
