import { turn } from './turn.ts';
import type { Position } from './position.ts';

/**
 * A closed ring on the cylinder of longitudes: its vertices with unchanged coordinates, and for each edge whether it
 * crosses the antimeridian. Longitudes are never shifted, which avoids rounding.
 */
export interface CylinderRing {
  /** Vertices without the closing vertex; longitudes in [-180, 180]. */
  readonly positions: readonly Position[];
  /** Index of each vertex in the caller's ring. */
  readonly origins: readonly number[];
  /**
   * Crossing of the antimeridian by the edge from each vertex to the next: 1 eastwards, -1 westwards, 0 none.
   */
  readonly wraps: Int8Array;
  /** Number of times the ring runs round the Earth's axis, eastwards positive. If not 0, it encloses a pole. */
  readonly winding: number;
}

function atSamePole(a: Position, b: Position): boolean {
  return Math.abs(a[1]) === 90 && a[1] === b[1];
}

/**
 * Decides in which direction each edge goes. An edge of more than 180 and less than 360 degrees of longitude goes the
 * short way. An edge of exactly 360 degrees is a full parallel, unless the ring crosses the antimeridian elsewhere;
 * then the edge has no length, because 180 and -180 are the same meridian. Edges at a pole have no length either. If
 * the other edges wind once round the Earth's axis, the first edge at a pole gets the opposite crossing, which closes
 * the ring.
 */
function edgeWraps(positions: readonly Position[]): Int8Array {
  const count = positions.length;
  const wraps = new Int8Array(count);
  let short = false;
  let firstPolar = -1;
  for (let i = 0; i < count; i++) {
    const a = positions[i]!;
    const b = positions[(i + 1) % count]!;
    if (atSamePole(a, b)) {
      if (firstPolar < 0) firstPolar = i;
      continue;
    }
    const step = b[0] - a[0];
    if (Math.abs(step) > 180 && Math.abs(step) < 360) {
      wraps[i] = step < 0 ? 1 : -1;
      short = true;
    }
  }
  if (short) {
    for (let i = 0; i < count; i++) {
      const a = positions[i]!;
      const b = positions[(i + 1) % count]!;
      const step = b[0] - a[0];
      if (Math.abs(step) === 360 && !atSamePole(a, b)) wraps[i] = step < 0 ? 1 : -1;
    }
  }
  if (firstPolar >= 0) {
    const winding = wraps.reduce((sum, wrap) => sum + wrap, 0);
    if (Math.abs(winding) === 1) wraps[firstPolar] = -winding;
  }
  return wraps;
}

/** Longitudes of the vertices along the ring, continued beyond -180 and 180 without jumps. */
function unrolledLongitudes(ring: CylinderRing): Float64Array {
  const lngs = new Float64Array(ring.positions.length);
  let turns = 0;
  for (let i = 0; i < lngs.length; i++) {
    lngs[i] = ring.positions[i]![0] + 360 * turns;
    turns += ring.wraps[i]!;
  }
  return lngs;
}

/** Marks with 1 the vertices that repeat their neighbour or are the tip of a spike (out and straight back). */
function idleVertices(ring: CylinderRing): Uint8Array {
  const { positions, winding } = ring;
  const count = positions.length;
  const lngs = unrolledLongitudes(ring);
  const idle = new Uint8Array(count);
  const lap = 360 * winding;
  const kept: number[] = [];
  const isIdle = (a: number, aShift: number, b: number, c: number, cShift: number): boolean => {
    const [ax, ay, cx, cy] = [lngs[a]! + aShift, positions[a]![1], lngs[c]! + cShift, positions[c]![1]];
    const [bx, by] = [lngs[b]!, positions[b]![1]];
    if (ax === bx && ay === by) return true;
    if ((ax - bx) * (cx - bx) + (ay - by) * (cy - by) <= 0) return false;
    return turn(ax, ay, bx, by, cx, cy) === 0;
  };
  for (let i = 0; i < count; i++) {
    while (kept.length > 1 && isIdle(kept.at(-2)!, 0, kept.at(-1)!, i, 0)) kept.pop();
    if (kept.length === 1 && lngs[kept[0]!] === lngs[i] && positions[kept[0]!]![1] === positions[i]![1])
      continue;
    kept.push(i);
  }
  let from = 0;
  let changed = true;
  while (changed && kept.length - from > 2) {
    changed = false;
    const [first, second, last, beforeLast] = [kept[from]!, kept[from + 1]!, kept.at(-1)!, kept.at(-2)!];
    if (isIdle(beforeLast, 0, last, first, lap)) {
      kept.pop();
      changed = true;
    } else if (isIdle(last, -lap, first, second, 0)) {
      from++;
      changed = true;
    }
  }
  idle.fill(1);
  for (let i = from; i < kept.length; i++) idle[kept[i]!] = 0;
  return idle;
}

function build(positions: readonly Position[], origins: readonly number[]): CylinderRing {
  const wraps = edgeWraps(positions);
  return { positions, origins, wraps, winding: wraps.reduce((sum, wrap) => sum + wrap, 0) };
}

/**
 * Converts a closed ring to a ring on the cylinder, without repeated vertices and spikes, which enclose nothing.
 * Fewer than three vertices remain when the ring encloses no area.
 */
export function cylinderRing(closed: readonly Position[]): CylinderRing {
  const positions = closed.slice(0, -1);
  const ring = build(positions, [...positions.keys()]);
  const idle = idleVertices(ring);
  if (!idle.includes(1)) return ring;
  const keep = ring.origins.filter((i) => idle[i] === 0);
  return build(
    keep.map((i) => positions[i]!),
    keep,
  );
}

/** The same ring in the opposite direction. */
export function reversed(ring: CylinderRing): CylinderRing {
  const count = ring.positions.length;
  const wraps = new Int8Array(count);
  for (let i = 0; i < count; i++) wraps[i] = -ring.wraps[(2 * count - 2 - i) % count]!;
  return {
    positions: [...ring.positions].reverse(),
    origins: [...ring.origins].reverse(),
    wraps,
    winding: -ring.winding,
  };
}

/** Latitude at which an edge crosses the antimeridian. */
function seamLatitude(a: Position, b: Position, wrap: number): number {
  const [east, west] = wrap > 0 ? [a, b] : [b, a];
  const toSeam = 180 - east[0];
  const beyond = west[0] + 180;
  if (beyond === 0) return west[1];
  if (toSeam === 0) return east[1];
  return east[1] + (toSeam / (toSeam + beyond)) * (west[1] - east[1]);
}

/** Calls `visit` with each straight piece of a ring: one per edge, two for an edge that crosses the antimeridian. */
export function forEachPiece(
  ring: CylinderRing,
  visit: (x1: number, y1: number, x2: number, y2: number, edge: number) => void,
): void {
  const count = ring.positions.length;
  for (let i = 0; i < count; i++) {
    const a = ring.positions[i]!;
    const b = ring.positions[(i + 1) % count]!;
    const wrap = ring.wraps[i]!;
    if (wrap === 0) {
      visit(a[0], a[1], b[0], b[1], i);
      continue;
    }
    const lat = seamLatitude(a, b, wrap);
    const side = 180 * wrap;
    if (a[0] !== side || a[1] !== lat) visit(a[0], a[1], side, lat, i);
    if (b[0] !== -side || b[1] !== lat) visit(-side, lat, b[0], b[1], i);
  }
}

/** The pole that a ring round the Earth's axis encloses: the nearer pole, because the winding order has no meaning. */
export function enclosedPole(ring: CylinderRing): 1 | -1 {
  const count = ring.positions.length;
  let moment = 0;
  for (let i = 0; i < count; i++) {
    const a = ring.positions[i]!;
    const b = ring.positions[(i + 1) % count]!;
    moment += (a[1] + b[1]) * (b[0] + 360 * ring.wraps[i]! - a[0]);
  }
  const mean = moment * ring.winding;
  if (mean !== 0) return mean > 0 ? 1 : -1;
  return ring.winding > 0 ? 1 : -1;
}

/**
 * Whether a simple ring has its inside on the left. The inside of a ring round the Earth's axis contains the enclosed
 * pole. Exact: uses the turn at the westernmost vertex (the southernmost of several).
 */
export function isCounterClockwise(ring: CylinderRing): boolean {
  if (ring.winding !== 0) return ring.winding === enclosedPole(ring);
  const lngs = unrolledLongitudes(ring);
  const lat = (i: number): number => ring.positions[i]![1];
  let low = 0;
  for (let i = 1; i < lngs.length; i++) {
    if (lngs[i]! < lngs[low]! || (lngs[i] === lngs[low] && lat(i) < lat(low))) low = i;
  }
  const before = (low + lngs.length - 1) % lngs.length;
  const after = (low + 1) % lngs.length;
  return turn(lngs[before]!, lat(before), lngs[low]!, lat(low), lngs[after]!, lat(after)) > 0;
}

/**
 * How many times as tall as wide a ring across the antimeridian may be (our choice). The whole Earth without its last
 * tenth of a degree is a strip of 600 times. Against the direction of RFC 7946 section 3.1.6 less is doubtful.
 */
const MOST_TALL = { counterClockwise: 10, clockwise: 2 } as const;

/**
 * The first edge of a shell of more than 180 degrees of longitude, if the ring that goes the short way there is
 * probably not the one that was meant: it is a narrow strip, as of a box round the whole Earth. Undefined for other
 * rings, and for those round a pole.
 * @param ring a simple ring
 * @returns index of the edge in the ring
 */
export function doubtfulCrossing(ring: CylinderRing): number | undefined {
  const edge = ring.wraps.findIndex((wrap) => wrap !== 0);
  if (edge < 0 || ring.winding !== 0) return undefined;
  const most = MOST_TALL[isCounterClockwise(ring) ? 'counterClockwise' : 'clockwise'];
  const height = span(ring.positions.map(([, lat]) => lat));
  return height > most * span(unrolledLongitudes(ring)) ? edge : undefined;
}

function span(values: Iterable<number>): number {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return most - least;
}
