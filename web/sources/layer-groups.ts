import type { Layer } from '../../src/client/index.ts';
import type { AreaGeometry, Bounds } from '../map/bounds.ts';

/** The maps of one layer, version and place: those of several return periods are one group. */
export interface LayerGroup {
  readonly key: string;
  readonly first: Layer;
  /** Ascending; empty when the maps have none. */
  readonly returnPeriods: readonly number[];
}

/** Gathers the maps that differ only in their return period, in their order. */
export function layerGroups(layers: readonly Layer[]): readonly LayerGroup[] {
  const keyOf = (of: Layer): string => [of.layer, of.version, of.resolution_m, ...of.coverage].join(' ');
  return [...Map.groupBy(layers, keyOf)].map(([key, group]) => ({
    key,
    first: group[0]!,
    returnPeriods: group.flatMap((one) => one.return_period_years ?? []).toSorted((a, b) => a - b),
  }));
}

/** Whether a map covers the middle of a view. */
export function coversMiddle({ coverage }: Layer, [west, south, east, north]: Bounds): boolean {
  const [left, bottom, right, top] = coverage as [number, number, number, number];
  const middle = (west + (east < west ? east + 360 : east)) / 2;
  const lng = middle > 180 ? middle - 360 : middle;
  const lat = (south + north) / 2;
  const within = left <= right ? lng >= left && lng <= right : lng >= left || lng <= right;
  return within && lat >= bottom && lat <= top;
}

/** The outline of the box around a map, for the map of the page. */
export function outlineOfLayer({ coverage }: Layer): AreaGeometry {
  const [west, south, right, north] = coverage as [number, number, number, number];
  const east = right < west ? right + 360 : right;
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Polygon', coordinates: [ring] };
}
