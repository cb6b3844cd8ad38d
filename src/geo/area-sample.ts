import { type AreaGeometry, polygonsOf, type Ring } from './polygon.ts';

/** Sample places inside an area. Each represents an equal share of the area. */
export interface AreaSample {
  /** Coordinates of the middle of each share [decimal degrees]. */
  readonly lngs: Float64Array;
  readonly lats: Float64Array;
}

const RADIANS = Math.PI / 180;
const EARTH_RADIUS_M = 6_371_007.181; // authalic radius of WGS84 (Moritz 2000, doi:10.1007/s001900050278)
/**
 * Maximum number of points at which rows cross polygon edges, for a number of edges: limits the work on outlines with
 * thousands of long edges.
 */
const mostCrossings = (edges: number): number => 40 + 20 * edges;

/** Part of a parallel that lies inside the area. */
interface Stretch {
  readonly lat: number;
  readonly west: number;
  /**
   * Area of one degree of longitude of the row along this parallel; the unit is the area of a square degree at the
   * equator.
   */
  readonly perDegree: number;
  readonly area: number;
}

/**
 * Divides an area into equal shares and returns a place in each. Every polygon is divided into rows of equal height
 * along parallels. The places lie on the rows, in order from south to north, one per share. Thin, small and ragged
 * areas get at least one place too. The same area always gives the same places.
 * @param areaM2 size of `area` [m2]
 * @param shareM2 approximate area per place [m2]; there is at least one place
 * @param most maximum number of places
 */
export function sampleArea(
  area: AreaGeometry,
  areaM2: number,
  { shareM2, most }: { readonly shareM2: number; readonly most: number },
): AreaSample {
  const count = Math.max(1, Math.min(most, Math.ceil(areaM2 / shareM2)));
  // The distance between rows equals the distance between places along a row.
  const spacing = Math.sqrt(areaM2 / count) / EARTH_RADIUS_M / RADIANS;
  const stretches = polygonsOf(area).flatMap((rings) => stretchesOf(rings, spacing));
  const total = stretches.reduce((sum, stretch) => sum + stretch.area, 0);
  if (!(total > 0)) {
    // The area is so thin that, after floating-point rounding, no row has a part inside it.
    const [lng, lat] = polygonsOf(area)[0]![0]![0]!;
    return { lngs: Float64Array.of(lng), lats: Float64Array.of(lat) };
  }
  const lngs = new Float64Array(count);
  const lats = new Float64Array(count);
  let [at, before] = [0, 0];
  for (let i = 0; i < count; i++) {
    const target = ((i + 0.5) / count) * total;
    while (at < stretches.length - 1 && before + stretches[at]!.area < target)
      before += stretches[at++]!.area;
    const { lat, west, perDegree, area: size } = stretches[at]!;
    lats[i] = lat;
    lngs[i] = west + Math.min(Math.max(target - before, 0), size) / perDegree;
  }
  return { lngs, lats };
}

/** Parts of the rows that lie inside one polygon, from south to north and west to east. */
function stretchesOf(rings: readonly Ring[], spacing: number): readonly Stretch[] {
  const edges = rings.flatMap((ring) => ring.slice(1).map((end, i) => [ring[i]!, end] as const));
  let [south, north, climb] = [Infinity, -Infinity, 0];
  for (const [[, from], [, to]] of edges) {
    [south, north] = [Math.min(south, from), Math.max(north, from)];
    climb += Math.abs(to - from);
  }
  const crossingsOfARow = climb / (north - south);
  const wanted = Math.min(
    Math.round((north - south) / spacing),
    Math.floor(mostCrossings(edges.length) / crossingsOfARow),
  );
  const rows = Math.max(1, wanted);
  const height = (north - south) / rows;
  const latOf = (row: number): number => south + (row + 0.5) * height;
  const crossings: number[][] = Array.from({ length: rows }, () => []);
  for (const [[x1, y1], [x2, y2]] of edges) {
    const [low, high] = y1 < y2 ? [y1, y2] : [y2, y1];
    // Half-open interval low <= lat < high, so that a vertex on a parallel counts once.
    for (let row = Math.max(0, Math.floor((low - south) / height - 0.5)); row < rows; row++) {
      const lat = latOf(row);
      if (lat >= high) break;
      if (lat >= low) crossings[row]!.push(x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1));
    }
  }
  return crossings.flatMap((xs, row) => {
    xs.sort((a, b) => a - b);
    const lat = latOf(row);
    const [bottom, top] = [(south + row * height) * RADIANS, (south + (row + 1) * height) * RADIANS];
    const perDegree = (Math.sin(top) - Math.sin(bottom)) / RADIANS;
    const found: Stretch[] = [];
    for (let k = 0; k + 1 < xs.length; k += 2) {
      const size = (xs[k + 1]! - xs[k]!) * perDegree;
      if (size > 0) found.push({ lat, west: xs[k]!, perDegree, area: size });
    }
    return found;
  });
}
