import type { Position } from './position.ts';
import { turn } from './turn.ts';

/** Maximum number of bands per edge, averaged over all edges. Keeps the index small when many edges are long. */
const ENTRIES_PER_EDGE = 12;

/** How two segments meet: not at all, at a single point that is an end of either, by crossing, or along a line. */
export type Meeting = 'apart' | 'touch' | 'cross' | 'overlap';

/** Whether a point on the infinite line through a segment is on the segment itself. */
function within(x1: number, y1: number, x2: number, y2: number, x: number, y: number): boolean {
  return x >= Math.min(x1, x2) && x <= Math.max(x1, x2) && y >= Math.min(y1, y2) && y <= Math.max(y1, y2);
}

/** How the segments a-b and c-d meet. Exact. */
export function meeting(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): Meeting {
  const c = turn(ax, ay, bx, by, cx, cy);
  const d = turn(ax, ay, bx, by, dx, dy);
  if (c * d > 0) return 'apart';
  if (c === 0 && d === 0) return collinearMeeting(ax, ay, bx, by, cx, cy, dx, dy);
  const a = turn(cx, cy, dx, dy, ax, ay);
  const b = turn(cx, cy, dx, dy, bx, by);
  if (a * b > 0) return 'apart';
  return a === 0 || b === 0 || c === 0 || d === 0 ? 'touch' : 'cross';
}

function collinearMeeting(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): Meeting {
  const useX = ax !== bx || cx !== dx;
  const [a, b, c, d] = useX ? [ax, bx, cx, dx] : [ay, by, cy, dy];
  const from = Math.max(Math.min(a, b), Math.min(c, d));
  const to = Math.min(Math.max(a, b), Math.max(c, d));
  if (from > to) return 'apart';
  return from === to ? 'touch' : 'overlap';
}

/**
 * Index of straight edges in the plane, grouped by bands of x, to locate points and to find edges that meet a segment.
 * All results are exact. Longitudes get no special treatment at the antimeridian.
 */
export class EdgeIndex {
  readonly minX: number;
  readonly maxX: number;
  readonly minY: number;
  readonly maxY: number;
  readonly edgeCount: number;
  /** Four numbers per edge: x1, y1, x2, y2. The first end has the smaller x or, at equal x, the smaller y. */
  readonly edges: Float64Array;
  readonly #bandsPerX: number;
  readonly #bandStart: Uint32Array;
  readonly #bandEdges: Uint32Array;

  constructor(rings: readonly (readonly Position[])[]) {
    let count = 0;
    for (const ring of rings) count += ring.length - 1;
    const edges = new Float64Array(4 * count);
    let [minX, maxX, minY, maxY] = [Infinity, -Infinity, Infinity, -Infinity];
    let run = 0;
    let e = 0;
    for (const ring of rings) {
      for (let i = 1; i < ring.length; i++, e += 4) {
        const a = ring[i - 1]!;
        const b = ring[i]!;
        const [from, to] = a[0] < b[0] || (a[0] === b[0] && a[1] <= b[1]) ? [a, b] : [b, a];
        edges[e] = from[0];
        edges[e + 1] = from[1];
        edges[e + 2] = to[0];
        edges[e + 3] = to[1];
        run += to[0] - from[0];
        minX = Math.min(minX, from[0]);
        maxX = Math.max(maxX, to[0]);
        minY = Math.min(minY, from[1], to[1]);
        maxY = Math.max(maxY, from[1], to[1]);
      }
    }
    this.edges = edges;
    this.edgeCount = count;
    this.minX = minX;
    this.maxX = maxX;
    this.minY = minY;
    this.maxY = maxY;
    const width = maxX - minX;
    const share = run > 0 ? (ENTRIES_PER_EDGE * count * width) / run : 1;
    const bands = Math.max(1, Math.floor(Math.min(count, share)));
    this.#bandsPerX = width > 0 ? bands / width : 0;
    this.#bandStart = new Uint32Array(bands + 1);
    for (let i = 0; i < count; i++) {
      const last = this.#bandOf(edges[4 * i + 2]!);
      for (let band = this.#bandOf(edges[4 * i]!); band <= last; band++) this.#bandStart[band + 1]!++;
    }
    for (let band = 0; band < bands; band++) this.#bandStart[band + 1]! += this.#bandStart[band]!;
    const fill = this.#bandStart.slice(0, bands);
    this.#bandEdges = new Uint32Array(this.#bandStart[bands]!);
    for (let i = 0; i < count; i++) {
      const last = this.#bandOf(edges[4 * i + 2]!);
      for (let band = this.#bandOf(edges[4 * i]!); band <= last; band++) {
        this.#bandEdges[fill[band]!++] = i;
      }
    }
  }

  #bandOf(x: number): number {
    const band = Math.floor((x - this.minX) * this.#bandsPerX);
    return Math.max(0, Math.min(this.#bandStart.length - 2, band));
  }

  /** Locates a point: 1 inside (by the even-odd rule), 0 on an edge, -1 outside. */
  locate(x: number, y: number): -1 | 0 | 1 {
    if (x < this.minX || x > this.maxX || y < this.minY || y > this.maxY) return -1;
    const { edges } = this;
    const band = this.#bandOf(x);
    let odd = false;
    for (let k = this.#bandStart[band]!; k < this.#bandStart[band + 1]!; k++) {
      const e = 4 * this.#bandEdges[k]!;
      const x1 = edges[e]!;
      const x2 = edges[e + 2]!;
      if (x < x1 || x > x2) continue;
      const y1 = edges[e + 1]!;
      const y2 = edges[e + 3]!;
      if (y > y1 && y > y2) continue;
      if (y < y1 && y < y2) {
        if (x < x2) odd = !odd;
        continue;
      }
      if (x1 === x2) return 0;
      const side = turn(x1, y1, x2, y2, x, y);
      if (side === 0) return 0;
      if (side < 0 && x < x2) odd = !odd;
    }
    return odd ? 1 : -1;
  }

  /** Whether any edge shares a point with the segment a-b. */
  meets(ax: number, ay: number, bx: number, by: number): boolean {
    const { edges } = this;
    const [west, east] = ax < bx ? [ax, bx] : [bx, ax];
    const [south, north] = ay < by ? [ay, by] : [by, ay];
    if (west > this.maxX || east < this.minX || south > this.maxY || north < this.minY) return false;
    const last = this.#bandOf(east);
    for (let band = this.#bandOf(west); band <= last; band++) {
      for (let k = this.#bandStart[band]!; k < this.#bandStart[band + 1]!; k++) {
        const e = 4 * this.#bandEdges[k]!;
        const [x1, y1, x2, y2] = [edges[e]!, edges[e + 1]!, edges[e + 2]!, edges[e + 3]!];
        if (x1 > east || x2 < west || Math.max(y1, y2) < south || Math.min(y1, y2) > north) continue;
        if (ax === bx && ay === by) {
          if (turn(x1, y1, x2, y2, ax, ay) === 0 && within(x1, y1, x2, y2, ax, ay)) return true;
        } else if (meeting(ax, ay, bx, by, x1, y1, x2, y2) !== 'apart') return true;
      }
    }
    return false;
  }
}
