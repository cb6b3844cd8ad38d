import { EdgeIndex } from './edge-index.ts';
import { type AreaGeometry, countVertices, polygonsOf, type Ring } from './polygon.ts';
import { turn } from './turn.ts';

/** Number of positions of the smallest ring: a closed triangle. */
const TRIANGLE = 4;
/**
 * Maximum share of the vertices that is removed before the costs are recomputed [1]. A smaller share makes the order
 * of removal closer to the exact order, but takes more time.
 */
const SHARE_PER_PASS = 0.25;

/** Vertices of all rings in common arrays; each ring is a circular linked list. */
interface LinkedVertices {
  readonly lng: Float64Array;
  readonly lat: Float64Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  readonly ring: Int32Array;
  readonly removed: Uint8Array;
}

function link(rings: readonly Ring[]): LinkedVertices {
  const count = rings.reduce((sum, ring) => sum + ring.length - 1, 0);
  const all: LinkedVertices = {
    lng: new Float64Array(count),
    lat: new Float64Array(count),
    next: new Int32Array(count),
    previous: new Int32Array(count),
    ring: new Int32Array(count),
    removed: new Uint8Array(count),
  };
  let from = 0;
  for (const [r, ring] of rings.entries()) {
    const size = ring.length - 1;
    for (let i = 0; i < size; i++) {
      all.lng[from + i] = ring[i]![0];
      all.lat[from + i] = ring[i]![1];
      all.next[from + i] = from + ((i + 1) % size);
      all.previous[from + i] = from + ((i + size - 1) % size);
      all.ring[from + i] = r;
    }
    from += size;
  }
  return all;
}

/** Twice the change in area if a vertex is removed [square degrees, scaled by the cosine of the latitude]. */
function removalCosts({ lng, lat, next, previous }: LinkedVertices): Float64Array {
  return lng.map((x, i) => {
    const [a, c] = [previous[i]!, next[i]!];
    const area = (lng[a]! - x) * (lat[c]! - lat[i]!) - (lng[c]! - x) * (lat[a]! - lat[i]!);
    return Math.abs(area) * Math.cos((lat[i]! * Math.PI) / 180);
  });
}

/**
 * Whether an edge at a vertex points straight towards a place, so that a new edge from the vertex to the place would
 * overlap that edge.
 */
function leadsAlong(
  { lng, lat, next, previous }: LinkedVertices,
  vertex: number,
  x: number,
  y: number,
): boolean {
  const [vx, vy] = [lng[vertex]!, lat[vertex]!];
  return [next[vertex]!, previous[vertex]!].some(
    (end) =>
      turn(vx, vy, x, y, lng[end]!, lat[end]!) === 0 &&
      (lng[end]! - vx) * (x - vx) + (lat[end]! - vy) * (y - vy) > 0,
  );
}

/**
 * Whether removing a vertex keeps the rings valid: no other vertex lies in or on the triangle of the vertex and its
 * two neighbours.
 */
function isRemovable(all: LinkedVertices, vertex: number, byLng: Int32Array, lngs: Float64Array): boolean {
  const { lng, lat } = all;
  const [a, c] = [all.previous[vertex]!, all.next[vertex]!];
  const [ax, ay, bx, by, cx, cy] = [lng[a]!, lat[a]!, lng[vertex]!, lat[vertex]!, lng[c]!, lat[c]!];
  if (Math.abs(cx - ax) > 180) return false; // the new edge would count as crossing the antimeridian
  const [west, east] = [Math.min(ax, bx, cx), Math.max(ax, bx, cx)];
  const [south, north] = [Math.min(ay, by, cy), Math.max(ay, by, cy)];
  let [low, high] = [0, lngs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lngs[middle]! < west) low = middle + 1;
    else high = middle;
  }
  for (let k = low; k < lngs.length && lngs[k]! <= east; k++) {
    const other = byLng[k]!;
    if (all.removed[other] === 1 || other === vertex) continue;
    const [x, y] = [lng[other]!, lat[other]!];
    if (y < south || y > north) continue;
    if (x === ax && y === ay) {
      if (other !== a && leadsAlong(all, other, cx, cy)) return false;
      continue;
    }
    if (x === cx && y === cy) {
      if (other !== c && leadsAlong(all, other, ax, ay)) return false;
      continue;
    }
    const sides = new Set([
      turn(ax, ay, bx, by, x, y),
      turn(bx, by, cx, cy, x, y),
      turn(cx, cy, ax, ay, x, y),
    ]);
    if (!(sides.has(1) && sides.has(-1))) return false;
  }
  return true;
}

/** Removes up to `excess` vertices in one pass, in ascending order of their cost. @returns the thinned rings */
function thin(rings: readonly Ring[], excess: number): Ring[] {
  const all = link(rings);
  const costs = removalCosts(all);
  const order = Int32Array.from(costs.keys()).sort((a, b) => costs[a]! - costs[b]! || a - b);
  const byLng = Int32Array.from(costs.keys()).sort((a, b) => all.lng[a]! - all.lng[b]!);
  const lngs = Float64Array.from(byLng, (i) => all.lng[i]!);
  const left = rings.map((ring) => ring.length);
  const isStale = new Uint8Array(order.length);
  let budget = Math.min(excess, Math.ceil(order.length * SHARE_PER_PASS));
  for (const vertex of order) {
    if (budget === 0) break;
    const ring = all.ring[vertex]!;
    if (isStale[vertex] === 1 || left[ring]! <= TRIANGLE || !isRemovable(all, vertex, byLng, lngs)) continue;
    const [a, c] = [all.previous[vertex]!, all.next[vertex]!];
    all.removed[vertex] = 1;
    all.next[a] = c;
    all.previous[c] = a;
    isStale[a] = 1;
    isStale[c] = 1;
    left[ring]!--;
    budget--;
  }
  let from = 0;
  return rings.map((ring) => {
    const start = from;
    from += ring.length - 1;
    const open = ring.slice(0, -1).filter((_, i) => all.removed[start + i] === 0);
    return [...open, [...open[0]!]];
  });
}

/** Thins polygons until they have at most `maxVertices` positions or no more vertices can be removed. */
function thinAll(polygons: readonly Ring[][], maxVertices: number): Ring[][] {
  let rings = polygons.flat();
  let count = rings.reduce((sum, ring) => sum + ring.length, 0);
  while (count > maxVertices) {
    const before = count;
    rings = thin(rings, count - maxVertices);
    count = rings.reduce((sum, ring) => sum + ring.length, 0);
    if (count === before) break;
  }
  let at = 0;
  return polygons.map((part) => rings.slice(at, (at += part.length)));
}

/**
 * Approximate size of a ring, used only to decide which rings are dropped first: twice the area [square degrees,
 * scaled by the cosine of the latitude].
 */
function roughSize(ring: Ring): number {
  let sum = 0;
  const [x0, y0] = ring[0]!;
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1]!, ring[i]!];
    sum += (a[0] - x0) * (b[1] - y0) - (b[0] - x0) * (a[1] - y0);
  }
  return Math.abs(sum) * Math.cos((y0 * Math.PI) / 180);
}

/** Whether a ring lies inside a hole, even if it touches the hole at all corners. */
function liesIn(ring: Ring, hole: EdgeIndex): boolean {
  return ring.some(([lng, lat], i) => {
    const [nextLng, nextLat] = ring[(i + 1) % ring.length]!;
    return hole.locate(lng, lat) > 0 || hole.locate((lng + nextLng) / 2, (lat + nextLat) / 2) > 0;
  });
}

/**
 * Drops the smallest holes with the parts inside them, then the smallest parts, until the rest has at most
 * `maxVertices` positions. Always keeps the largest part.
 */
function dropSmallest(polygons: Ring[][], maxVertices: number): Ring[][] {
  let kept = polygons;
  let count = countVertices({ type: 'MultiPolygon', coordinates: kept });
  const holes = kept.flatMap(([, ...rest]) => rest).sort((a, b) => roughSize(a) - roughSize(b));
  for (const hole of holes) {
    if (count <= maxVertices) return kept;
    const index = new EdgeIndex([hole]);
    kept = kept
      .filter(([shell]) => !liesIn(shell!, index))
      .map((rings) => rings.filter((ring) => ring !== hole));
    count = countVertices({ type: 'MultiPolygon', coordinates: kept });
  }
  const parts = [...kept].sort((a, b) => roughSize(a[0]!) - roughSize(b[0]!));
  const dropped = new Set<Ring[]>();
  for (const part of parts.slice(0, -1)) {
    if (count <= maxVertices) break;
    dropped.add(part);
    for (const ring of part) count -= ring.length;
  }
  return kept.filter((part) => !dropped.has(part));
}

/**
 * Simplifies an area to at most `maxVertices` positions, including closing positions. Vertices that change the area
 * least are removed first (Visvalingam & Whyatt 1993). A vertex is removed only if no other vertex is in the way, so
 * that a valid area stays valid. Small holes, then small parts, are dropped only if no more vertices can be removed.
 * @throws RangeError when `maxVertices` is less than 4
 * @see https://doi.org/10.1179/000870493786962263
 */
export function simplifyArea(area: AreaGeometry, maxVertices: number): AreaGeometry {
  if (!(maxVertices >= TRIANGLE)) throw new RangeError(`expected at least 4 vertices, got ${maxVertices}`);
  const thinned = thinAll(polygonsOf(area), maxVertices);
  const fitting = thinAll(dropSmallest(thinned, maxVertices), maxVertices);
  return area.type === 'Polygon'
    ? { type: 'Polygon', coordinates: fitting[0]! }
    : { type: 'MultiPolygon', coordinates: fitting };
}
