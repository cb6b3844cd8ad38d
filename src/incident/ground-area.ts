import { type Bbox, bboxesOverlap } from '../geo/bbox.ts';
import { type AreaGeometry, polygonsOf } from '../geo/polygon.ts';
import { DisjointSets } from './disjoint-sets.ts';

/** A change whose ground counts. */
interface Ground {
  readonly bounds: Bbox;
  /** Its own area [m2]. */
  readonly areaM2: number;
}

/**
 * Lines across ground that several changes may share. Each is exact along itself; the error of the area is below one line
 * in the height of the ground.
 */
const LINES = 1024;

/** Groups of grounds whose boxes overlap, directly or through others, as indices. Those that overlap none are left out. */
export function sharedGrounds(grounds: readonly Pick<Ground, 'bounds'>[]): readonly (readonly number[])[] {
  const sets = new DisjointSets(grounds.length);
  const order = [...grounds.keys()].toSorted((a, b) => grounds[a]!.bounds[1] - grounds[b]!.bounds[1]);
  let begun: number[] = [];
  for (const i of order) {
    const { bounds } = grounds[i]!;
    begun = begun.filter((other) => grounds[other]!.bounds[3] >= bounds[1]);
    for (const other of begun) if (bboxesOverlap(grounds[other]!.bounds, bounds)) sets.join(other, i);
    begun.push(i);
  }
  return [...Map.groupBy(grounds.keys(), (i) => sets.rootOf(i)).values()].filter(({ length }) => length > 1);
}

/**
 * Area of the ground of changes, each place counted once [m2].
 * @param geometries of those that `sharedGrounds` names, by index; one without a geometry counts as alone
 */
export function groundAreaM2(
  grounds: readonly Ground[],
  geometries: ReadonlyMap<number, AreaGeometry>,
): number {
  let sum = grounds.reduce((total, { areaM2 }) => total + areaM2, 0);
  for (const group of sharedGrounds(grounds)) {
    const known = group.filter((i) => geometries.has(i));
    const theirs = known.reduce((total, i) => total + grounds[i]!.areaM2, 0);
    sum -= theirs * (1 - uniqueShare(known.map((i) => geometries.get(i)!)));
  }
  return sum;
}

/** What share of the areas of geometries is left when each place is counted once: measured along lines of latitude. */
function uniqueShare(geometries: readonly AreaGeometry[]): number {
  const rings = geometries.map((geometry) => polygonsOf(geometry).flat());
  const lats = rings.flatMap((some) => some.flatMap((ring) => ring.map(([, lat]) => lat)));
  const south = lats.reduce((least, lat) => Math.min(least, lat), Infinity);
  const step = (lats.reduce((most, lat) => Math.max(most, lat), -Infinity) - south) / LINES;
  if (!(step > 0)) return 1;
  const lines: [from: number, to: number][][] = Array.from({ length: LINES }, () => []);
  let all = 0;
  for (const some of rings) {
    const crossings: number[][] = Array.from({ length: LINES }, () => []);
    for (const ring of some)
      for (let i = 1; i < ring.length; i++) {
        const [[lngA, latA], [lngB, latB]] = [ring[i - 1]!, ring[i]!];
        const [low, high] = latA < latB ? [latA, latB] : [latB, latA];
        // Lines lie at the middle of their steps: of a line at an end of an edge, one of two edges counts.
        const first = Math.max(0, Math.ceil((low - south) / step - 0.5));
        for (let k = first; k < LINES && south + (k + 0.5) * step < high; k++)
          crossings[k]!.push(lngA + ((lngB - lngA) * (south + (k + 0.5) * step - latA)) / (latB - latA));
      }
    for (const [k, at] of crossings.entries()) {
      at.sort((a, b) => a - b);
      const weight = Math.cos(((south + (k + 0.5) * step) * Math.PI) / 180);
      for (let i = 1; i < at.length; i += 2) {
        lines[k]!.push([at[i - 1]!, at[i]!]);
        all += (at[i]! - at[i - 1]!) * weight;
      }
    }
  }
  let once = 0;
  for (const [k, spans] of lines.entries()) {
    const weight = Math.cos(((south + (k + 0.5) * step) * Math.PI) / 180);
    let reached = -Infinity;
    for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
      once += Math.max(0, to - Math.max(from, reached)) * weight;
      reached = Math.max(reached, to);
    }
  }
  return all > 0 ? once / all : 1;
}
