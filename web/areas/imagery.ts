import type { AoiDetail } from '../../src/client/index.ts';

/** Summary of the images of an area in one collection, over all its metrics. */
export interface CollectionImagery {
  readonly collection: string;
  readonly metrics: readonly string[];
  /** Number of scenes of the metric with the most scenes. */
  readonly scenes: number;
  /** Time of the last scene, RFC 3339. */
  readonly lastAt: string;
}

/** Groups the image series of an area by collection. The collections stay in the given order. */
export function byCollection(imagery: AoiDetail['imagery']): readonly CollectionImagery[] {
  return [...Map.groupBy(imagery, ({ collection }) => collection)].map(([collection, series]) => ({
    collection,
    metrics: series.map(({ metric }) => metric),
    scenes: Math.max(...series.map(({ scenes }) => scenes)),
    lastAt: series.map(({ last_at }) => last_at).reduce((a, b) => (a > b ? a : b)),
  }));
}
