import { type CylinderRing, forEachPiece } from './cylinder-ring.ts';
import { type Meeting, meeting } from './edge-index.ts';
import type { Position } from './position.ts';
import { turn } from './turn.ts';

/** Identifies one edge of one ring: `edge` is the index of the edge's first vertex in the ring. */
export interface EdgeName {
  readonly ring: number;
  readonly edge: number;
}

/** Two edges that meet in a way that is not allowed. */
export interface Conflict {
  readonly kind: 'cross' | 'overlap' | 'touch';
  readonly at: Position;
  readonly first: EdgeName;
  readonly second: EdgeName;
}

/** A point at which two different rings touch, which is allowed. */
export interface Touch {
  readonly at: Position;
  readonly rings: readonly [number, number];
}

/** How rings meet: the westernmost conflict; if there is no conflict, all points at which different rings touch. */
export interface RingMeetings {
  readonly conflict: Conflict | null;
  readonly touches: readonly Touch[];
}

/** Straight pieces of all rings. The first end of each has the smaller x or, at equal x, the smaller y. */
interface Pieces {
  readonly count: number;
  readonly coords: Float64Array;
  readonly ring: Int32Array;
  readonly edge: Int32Array;
  /**
   * Index of each piece within its ring. Together with `ringSize`, the number of pieces per ring, it shows which
   * pieces are neighbours. Neighbours may share an end.
   */
  readonly order: Int32Array;
  readonly ringSize: Int32Array;
}

function collectPieces(rings: readonly CylinderRing[]): Pieces {
  let room = 0;
  for (const ring of rings) room += 2 * ring.positions.length;
  const coords = new Float64Array(4 * room);
  const ringOf = new Int32Array(room);
  const edgeOf = new Int32Array(room);
  const order = new Int32Array(room);
  const ringSize = new Int32Array(rings.length);
  let count = 0;
  for (const [r, ring] of rings.entries()) {
    let inRing = 0;
    forEachPiece(ring, (x1, y1, x2, y2, edge) => {
      const forward = x1 < x2 || (x1 === x2 && y1 < y2);
      coords.set(forward ? [x1, y1, x2, y2] : [x2, y2, x1, y1], 4 * count);
      ringOf[count] = r;
      edgeOf[count] = edge;
      order[count++] = inRing++;
    });
    ringSize[r] = inRing;
  }
  return { count, coords, ring: ringOf, edge: edgeOf, order, ringSize };
}

/** How two pieces meet. Their coordinates start at the indices `p` and `q` of `coords`. */
function meetingOf(coords: Float64Array, p: number, q: number): Meeting {
  const [ax, ay, bx, by] = [coords[p]!, coords[p + 1]!, coords[p + 2]!, coords[p + 3]!];
  return meeting(ax, ay, bx, by, coords[q]!, coords[q + 1]!, coords[q + 2]!, coords[q + 3]!);
}

/** Point where two pieces meet: exact when an end of one is on the other, otherwise rounded. */
function meetingPoint(coords: Float64Array, a: number, b: number): Position {
  const at = (piece: number, k: number): number => coords[4 * piece + k]!;
  for (const [p, q] of [
    [a, b],
    [b, a],
  ] as const) {
    for (const k of [0, 2]) {
      const [x, y] = [at(p, k), at(p, k + 1)];
      const [lowY, highY] = [Math.min(at(q, 1), at(q, 3)), Math.max(at(q, 1), at(q, 3))];
      const on = turn(at(q, 0), at(q, 1), at(q, 2), at(q, 3), x, y) === 0;
      if (on && x >= at(q, 0) && x <= at(q, 2) && y >= lowY && y <= highY) return [x, y];
    }
  }
  const [dx, dy] = [at(a, 2) - at(a, 0), at(a, 3) - at(a, 1)];
  const [ex, ey] = [at(b, 2) - at(b, 0), at(b, 3) - at(b, 1)];
  const t = ((at(b, 0) - at(a, 0)) * ey - (at(b, 1) - at(a, 1)) * ex) / (dx * ey - dy * ex);
  return [at(a, 0) + t * dx, at(a, 1) + t * dy];
}

/** Finds vertices at the same position: a conflict if in the same ring, a touch if in different rings. */
function meetAtVertices(rings: readonly CylinderRing[], touches: Touch[]): Conflict | null {
  const all: { lng: number; lat: number; ring: number; vertex: number }[] = [];
  for (const [r, { positions }] of rings.entries()) {
    for (const [vertex, [lng, lat]] of positions.entries()) all.push({ lng, lat, ring: r, vertex });
  }
  all.sort((a, b) => a.lng - b.lng || a.lat - b.lat || a.ring - b.ring || a.vertex - b.vertex);
  for (let i = 1; i < all.length; i++) {
    const [a, b] = [all[i - 1]!, all[i]!];
    if (a.lng !== b.lng || a.lat !== b.lat) continue;
    const at: Position = [a.lng, a.lat];
    if (a.ring !== b.ring) touches.push({ at, rings: [a.ring, b.ring] });
    else {
      const [first, second] = [
        { ring: a.ring, edge: a.vertex },
        { ring: b.ring, edge: b.vertex },
      ];
      return { kind: 'touch', at, first, second };
    }
  }
  return null;
}

/**
 * Finds how rings meet, with a sweep line in order of longitude (Shamos & Hoey 1976): O(n log n) comparisons, all
 * exact. A ring must be simple: it may neither cross nor touch itself. Different rings may touch at points, but not
 * cross or overlap.
 */
export function findRingMeetings(rings: readonly CylinderRing[]): RingMeetings {
  const pieces = collectPieces(rings);
  const { coords, count } = pieces;
  const touches: Touch[] = [];
  let conflict: Conflict | null = null;

  /**
   * Compares two pieces where they overlap in x: negative if piece `a` lies lower, positive if higher, 0 if both are
   * on one line.
   */
  const compare = (a: number, b: number): number => {
    const [ax, ay, bx, by] = [coords[4 * a]!, coords[4 * a + 1]!, coords[4 * b]!, coords[4 * b + 1]!];
    if (ax > bx || (ax === bx && ay >= by)) {
      const [ex, ey] = [coords[4 * b + 2]!, coords[4 * b + 3]!];
      return turn(bx, by, ex, ey, ax, ay) || turn(bx, by, ex, ey, coords[4 * a + 2]!, coords[4 * a + 3]!);
    }
    const [ex, ey] = [coords[4 * a + 2]!, coords[4 * a + 3]!];
    return -(turn(ax, ay, ex, ey, bx, by) || turn(ax, ay, ex, ey, coords[4 * b + 2]!, coords[4 * b + 3]!));
  };

  const inspect = (a: number, b: number): boolean => {
    const kind = meetingOf(coords, 4 * a, 4 * b);
    if (kind === 'apart') return false;
    const [ringA, ringB] = [pieces.ring[a]!, pieces.ring[b]!];
    if (kind === 'touch') {
      if (ringA !== ringB) {
        touches.push({ at: meetingPoint(coords, a, b), rings: [ringA, ringB] });
        return false;
      }
      const gap = Math.abs(pieces.order[a]! - pieces.order[b]!);
      if (gap === 1 || gap === pieces.ringSize[ringA]! - 1) return false;
    }
    const names = [
      { ring: ringA, edge: pieces.edge[a]! },
      { ring: ringB, edge: pieces.edge[b]! },
    ].sort((x, y) => x.ring - y.ring || x.edge - y.edge);
    conflict = { kind, at: meetingPoint(coords, a, b), first: names[0]!, second: names[1]! };
    return true;
  };

  const status = new Int32Array(count);
  let size = 0;
  /** Index in `status` of the first piece that is not below the given piece. */
  const place = (piece: number): number => {
    let [low, high] = [0, size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(status[middle]!, piece) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  for (const event of sweepEvents(pieces)) {
    const piece = event >> 1;
    if ((event & 1) === 1) {
      let at = place(piece);
      if (status[at] !== piece) at = status.indexOf(piece);
      status.copyWithin(at, at + 1, size--);
      if (at > 0 && at < size && inspect(status[at - 1]!, status[at]!)) break;
    } else {
      const at = place(piece);
      if (at < size && inspect(status[at]!, piece)) break;
      if (at > 0 && inspect(status[at - 1]!, piece)) break;
      status.copyWithin(at + 1, at, size++);
      status[at] = piece;
    }
  }
  conflict ??= meetAtVertices(rings, touches);
  return { conflict, touches };
}

/**
 * Starts and ends of all pieces, sorted by x, then y; at the same point, ends come before starts. An event is
 * 2 * piece, plus 1 for an end.
 */
function sweepEvents({ count, coords }: Pieces): Int32Array {
  const events = new Int32Array(2 * count);
  for (let i = 0; i < events.length; i++) events[i] = i;
  const offset = (event: number): number => 4 * (event >> 1) + 2 * (event & 1);
  return events.sort((a, b) => {
    const [p, q] = [offset(a), offset(b)];
    return coords[p]! - coords[q]! || coords[p + 1]! - coords[q + 1]! || (b & 1) - (a & 1);
  });
}
