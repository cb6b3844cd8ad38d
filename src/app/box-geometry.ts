import { type Bbox, splitBbox } from '../geo/bbox.ts';
import type { AreaGeometry } from '../geo/polygon.ts';

/** A box as GeoJSON: a polygon, or two of them at the antimeridian. */
export function boxGeometry(box: Bbox): AreaGeometry {
  const polygons = splitBbox(box).map(([west, south, east, north]): [number, number][][] => [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ]);
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0]! }
    : { type: 'MultiPolygon', coordinates: polygons };
}
