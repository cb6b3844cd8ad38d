import { cylinderRing, isCounterClockwise } from './cylinder-ring.ts';
import { EdgeIndex } from './edge-index.ts';
import type { Ring } from './polygon.ts';
import type { Position } from './position.ts';

/** Clockwise angle at `vertex` from the direction back to `from` to the direction of `to` [radians, in (0, 2 pi]]. */
function clockwiseTurn(from: Position, vertex: Position, to: Position): number {
  const back = Math.atan2(from[1] - vertex[1], from[0] - vertex[0]);
  const ahead = Math.atan2(to[1] - vertex[1], to[0] - vertex[0]);
  const angle = back - ahead;
  return angle > 0 ? angle : angle + 2 * Math.PI;
}

/**
 * Retraces all loops. At a vertex that several loops share, the trace continues along the edge that keeps the same
 * piece of the inside on the left. Loops that touch thus become the outlines of the separate pieces of the inside.
 */
function traceFaces(loops: readonly Ring[]): Position[][] {
  const starts: Position[] = [];
  const ends: Position[] = [];
  const leaving = new Map<string, number[]>();
  for (const loop of loops) {
    for (let i = 1; i < loop.length; i++) {
      const [a, b] = [loop[i - 1]!, loop[i]!];
      if (a[0] === b[0] && a[1] === b[1]) continue;
      const key = a.join(' ');
      const edges = leaving.get(key);
      if (edges === undefined) leaving.set(key, [starts.length]);
      else edges.push(starts.length);
      starts.push(a);
      ends.push(b);
    }
  }
  const used = new Uint8Array(starts.length);
  const faces: Position[][] = [];
  for (let first = 0; first < starts.length; first++) {
    const face: Position[] = [];
    for (let edge = first; used[edge] === 0;) {
      used[edge] = 1;
      face.push(starts[edge]!);
      const choices = leaving.get(ends[edge]!.join(' '))!;
      let next = choices[0]!;
      for (const choice of choices.slice(1)) {
        const [a, b] = [starts[edge]!, ends[edge]!];
        if (clockwiseTurn(a, b, ends[choice]!) < clockwiseTurn(a, b, ends[next]!)) next = choice;
      }
      edge = next;
    }
    if (face.length > 0) faces.push(face);
  }
  return faces;
}

/** Splits a loop (without closing vertex) into closed rings that visit no vertex twice; drops rings without area. */
function splitAtRepeats(loop: readonly Position[]): Ring[] {
  const rings: Ring[] = [];
  const passed = new Map<string, number>();
  const path: Ring = [];
  const close = (from: number): void => {
    const ring: Ring = path.slice(from);
    if (ring.length < 3 || ring.every(([lng]) => lng === ring[0]![0])) return;
    rings.push([...ring, [ring[0]![0], ring[0]![1]]]);
  };
  for (const [lng, lat] of loop) {
    const key = `${lng} ${lat}`;
    const at = passed.get(key);
    if (at !== undefined) {
      close(at);
      for (const [x, y] of path.slice(at)) passed.delete(`${x} ${y}`);
      path.length = at;
    }
    passed.set(key, path.length);
    path.push([lng, lat]);
  }
  close(0);
  return rings;
}

/** Whether a ring lies inside `shell`. The ring may touch the shell but not cross it. */
function isInside(ring: Ring, shell: EdgeIndex): boolean {
  for (const [lng, lat] of ring) {
    const side = shell.locate(lng, lat);
    if (side !== 0) return side > 0;
  }
  return false;
}

/**
 * Makes valid polygons from closed loops that have the inside on their left. The loops may touch at vertices but not
 * cross. Returns one polygon per connected piece of the inside: its counter-clockwise shell, then its holes.
 * @throws RangeError when a hole has no shell
 */
export function polygonsFromLoops(loops: readonly Ring[]): Ring[][] {
  const parts: { readonly index: EdgeIndex; readonly rings: Ring[] }[] = [];
  const holes: Ring[] = [];
  for (const face of traceFaces(loops)) {
    for (const ring of splitAtRepeats(face)) {
      if (isCounterClockwise(cylinderRing(ring))) parts.push({ index: new EdgeIndex([ring]), rings: [ring] });
      else holes.push(ring);
    }
  }
  for (const hole of holes) {
    const home = parts.find(({ index }) => isInside(hole, index));
    if (home === undefined) {
      throw new RangeError(`expected a hole inside its shell, got one at [${hole[0]!.join(', ')}]`);
    }
    home.rings.push(hole);
  }
  return parts.map((part) => part.rings);
}
