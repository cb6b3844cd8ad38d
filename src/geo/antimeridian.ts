import {
  type CylinderRing,
  enclosedPole,
  forEachPiece,
  isCounterClockwise,
  reversed,
} from './cylinder-ring.ts';
import { polygonsFromLoops } from './loop-faces.ts';
import type { Ring } from './polygon.ts';

/** One polygon on the cylinder of longitudes: simple rings that do not cross, with the holes inside the shell. */
export interface CylinderPolygon {
  readonly shell: CylinderRing;
  readonly holes: readonly CylinderRing[];
}

/** Part of a ring between two points on the antimeridian: its ends are on the antimeridian, the rest is not. */
type Chain = [lng: number, lat: number][];

/** Start or end of a chain, on the east or west side of the antimeridian. */
interface ChainEnd {
  readonly chain: number;
  readonly isStart: boolean;
  readonly lat: number;
  /** Slope of the chain at the antimeridian; determines the order of ends at the same latitude. */
  readonly slope: number;
}

/**
 * Splits a ring at the antimeridian and drops the pieces that run along it; null if the ring does not reach the
 * antimeridian.
 */
function chainsOf(ring: CylinderRing): Chain[] | null {
  const pieces: [number, number, number, number][] = [];
  forEachPiece(ring, (x1, y1, x2, y2) => pieces.push([x1, y1, x2, y2]));
  const first = pieces.findIndex(([x1]) => Math.abs(x1) === 180);
  if (first < 0) return null;
  const chains: Chain[] = [];
  let chain: Chain = [];
  for (let k = 0; k < pieces.length; k++) {
    const [x1, y1, x2, y2] = pieces[(first + k) % pieces.length]!;
    if (Math.abs(x1) === 180) chain = [[x1, y1]];
    chain.push([x2, y2]);
    if (Math.abs(x2) === 180 && (chain.length > 2 || x1 !== x2)) chains.push(chain);
  }
  return chains;
}

function chainEnd(chains: readonly Chain[], chain: number, isStart: boolean): ChainEnd {
  const path = chains[chain]!;
  const [at, inner] = isStart ? [path[0]!, path[1]!] : [path.at(-1)!, path.at(-2)!];
  return { chain, isStart, lat: at[1], slope: (inner[1] - at[1]) / Math.abs(inner[0] - at[0]) };
}

/**
 * Returns for each chain the index of the chain that follows it when all are joined along the antimeridian.
 * @throws RangeError when the ends of chains cannot be paired with the starts of chains along the antimeridian
 */
function followers(chains: readonly Chain[]): Int32Array {
  const next = new Int32Array(chains.length).fill(-1);
  for (const side of [180, -180]) {
    const ends: ChainEnd[] = [];
    for (let i = 0; i < chains.length; i++) {
      if (chains[i]![0]![0] === side) ends.push(chainEnd(chains, i, true));
      if (chains[i]!.at(-1)![0] === side) ends.push(chainEnd(chains, i, false));
    }
    ends.sort((a, b) => a.lat - b.lat || a.slope - b.slope);
    for (let i = 0; i < ends.length; i += 2) {
      const [a, b] = [ends[i]!, ends[i + 1]];
      if (b === undefined || a.isStart === b.isStart) {
        throw new RangeError(
          `expected rings that can be cut at the antimeridian, got a tangle at [180, ${a.lat}]`,
        );
      }
      if (a.isStart) next[b.chain] = a.chain;
      else next[a.chain] = b.chain;
    }
  }
  return next;
}

/** Joins chains along the antimeridian into closed loops. */
function joinChains(chains: readonly Chain[]): Ring[] {
  const next = followers(chains);
  const used = new Uint8Array(chains.length);
  const rings: Ring[] = [];
  for (let start = 0; start < chains.length; start++) {
    if (used[start] === 1) continue;
    const loop: Chain = [];
    for (let i = start; used[i] === 0; i = next[i]!) {
      used[i] = 1;
      loop.push(...chains[i]!);
    }
    loop.push([loop[0]![0], loop[0]![1]]);
    rings.push(loop);
  }
  return rings;
}

function closedRing(ring: CylinderRing): Ring {
  const closed: Ring = ring.positions.map(([lng, lat]) => [lng, lat]);
  closed.push([closed[0]![0], closed[0]![1]]);
  return closed;
}

/** Returns the ring in the given direction. */
function oriented(ring: CylinderRing, counterClockwise: boolean): CylinderRing {
  return isCounterClockwise(ring) === counterClockwise ? ring : reversed(ring);
}

/**
 * Cuts a polygon where it crosses the antimeridian (RFC 7946, section 3.1.9). A polygon that encloses a pole is
 * closed along the pole. The parts have counter-clockwise shells and clockwise holes.
 * @throws RangeError when the rings are not a valid polygon, for which the cut is undefined
 */
export function cutAtAntimeridian({ shell, holes }: CylinderPolygon): Ring[][] {
  const rings = [oriented(shell, true), ...holes.map((hole) => oriented(hole, false))];
  if (rings.every((ring) => !ring.wraps.some((wrap) => wrap !== 0))) return [rings.map(closedRing)];
  const chains: Chain[] = [];
  const loops: Ring[] = [];
  for (const ring of rings) {
    const parts = chainsOf(ring);
    if (parts !== null) chains.push(...parts);
    else loops.push(closedRing(ring));
  }
  if (shell.winding !== 0 && !holes.some((hole) => hole.winding !== 0)) {
    const pole = 90 * enclosedPole(shell);
    const side = pole > 0 ? 180 : -180;
    chains.push([
      [side, pole],
      [-side, pole],
    ]);
  }
  return polygonsFromLoops([...loops, ...joinChains(chains)]);
}
