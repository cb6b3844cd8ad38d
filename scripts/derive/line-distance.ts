import { type DistanceField, distanceToSegments, isSeam } from '../../src/geo/line-distance.ts';
import type { GlobalGrid } from './global-grid.ts';
import type { Path } from './shapefile.ts';

/** Distance from each cell centre to the nearest line. @see distanceToSegments */
export function distanceToLines(grid: GlobalGrid, lines: readonly Path[], limitKm: number): DistanceField {
  return distanceToSegments(grid, segmentsOf(lines), limitKm);
}

/** The segments of the lines that are shores, four numbers each: x0, y0, x1, y1 [degrees]. */
function segmentsOf(lines: readonly Path[]): Float64Array {
  const ends: number[] = [];
  for (const { coordinates: c } of lines)
    for (let i = 0; i + 3 < c.length; i += 2)
      if (!isSeam(c[i]!, c[i + 1]!, c[i + 2]!, c[i + 3]!)) ends.push(c[i]!, c[i + 1]!, c[i + 2]!, c[i + 3]!);
  return Float64Array.from(ends);
}
