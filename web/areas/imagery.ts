import type { AoiDetail } from '../../src/client/index.ts';

/** The images that one collection has of an area, all metrics together. */
export interface CollectionImagery {
  readonly collection: string;
  readonly metrics: readonly string[];
  /** Number of scenes of the metric that has the most. */
  readonly scenes: number;
  /** Time of the last scene, RFC 3339. */
  readonly lastAt: string;
}

/** Groups the image series of an area by collection, in their given order. */
export function byCollection(imagery: AoiDetail['imagery']): readonly CollectionImagery[] {
  return [...Map.groupBy(imagery, ({ collection }) => collection)].map(([collection, series]) => ({
    collection,
    metrics: series.map(({ metric }) => metric),
    scenes: Math.max(...series.map(({ scenes }) => scenes)),
    lastAt: series.map(({ last_at }) => last_at).reduce((a, b) => (a > b ? a : b)),
  }));
}
