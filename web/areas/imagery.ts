import type { AoiDetail } from '../../src/client/index.ts';

/** What one collection holds of an area, its metrics together. */
export interface CollectionImagery {
  readonly collection: string;
  readonly metrics: readonly string[];
  /** Of the metric that has the most. */
  readonly scenes: number;
  /** RFC 3339. */
  readonly lastAt: string;
}

/** The image series of an area by collection, in the order in which they came. */
export function byCollection(imagery: AoiDetail['imagery']): readonly CollectionImagery[] {
  return [...Map.groupBy(imagery, ({ collection }) => collection)].map(([collection, series]) => ({
    collection,
    metrics: series.map(({ metric }) => metric),
    scenes: Math.max(...series.map(({ scenes }) => scenes)),
    lastAt: series.map(({ last_at }) => last_at).reduce((a, b) => (a > b ? a : b)),
  }));
}
