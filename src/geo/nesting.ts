import { type CylinderRing, enclosedPole, forEachPiece } from './cylinder-ring.ts';
import { EdgeIndex } from './edge-index.ts';
import type { AreaProblem } from './geometry-syntax.ts';
import type { Position } from './position.ts';
import type { Touch } from './ring-conflict.ts';

/** Region enclosed by a ring on the cylinder of longitudes, and its box. */
interface RingRegion {
  /** Returns 1 inside the region, 0 on the ring, -1 outside. */
  readonly locate: (lng: number, lat: number) => number;
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
}

/** A ring with its path in the caller's geometry. */
export interface PlacedRing {
  readonly path: string;
  readonly polygon: number;
  readonly isHole: boolean;
  readonly ring: CylinderRing;
  readonly region: RingRegion;
}

/** Like `EdgeIndex.locate`, but 180 and -180 are the same meridian: points on it are located at -180. */
function locateOn(index: EdgeIndex, lng: number, lat: number): number {
  if (Math.abs(lng) !== 180) return index.locate(lng, lat);
  return index.locate(180, lat) === 0 ? 0 : index.locate(-180, lat);
}

/** Region that a ring encloses; for a ring round the Earth's axis, the side of the enclosed pole. */
export function ringRegion(ring: CylinderRing): RingRegion {
  const pieces: [Position, Position][] = [];
  forEachPiece(ring, (x1, y1, x2, y2) => {
    pieces.push([
      [x1, y1],
      [x2, y2],
    ]);
  });
  const index = new EdgeIndex(pieces);
  const polar = ring.winding !== 0;
  const pole = polar ? enclosedPole(ring) : 0;
  return {
    locate: (lng, lat) => {
      if (!polar) return locateOn(index, lng, lat);
      if (lat > index.maxY) return pole;
      if (lat < index.minY) return -pole;
      // The even-odd rule counts the edges to the north: inside a ring round the north pole the count is even, so the
      // result is inverted. For the south pole it is not.
      return locateOn(index, lng, lat) * -pole;
    },
    south: pole < 0 ? -90 : index.minY,
    north: pole > 0 ? 90 : index.maxY,
    west: index.minX,
    east: index.maxX,
  };
}

/** Bits in the result of `sidesOf`. */
const INSIDE = 1;
const OUTSIDE = 2;

/** Whether two regions' boxes share a point. */
function boxesMeet(a: RingRegion, b: RingRegion): boolean {
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north;
}

/**
 * Sides of a region on which a ring has points: INSIDE, OUTSIDE or both. The ring must not cross the region's ring.
 * @param all whether the ring may touch the region's ring. If so, all vertices and midpoints are examined; if not,
 *   only until the first one that is not on the region's ring
 */
function sidesOf(ring: CylinderRing, region: (lng: number, lat: number) => number, all: boolean): number {
  let sides = 0;
  const look = (lng: number, lat: number): void => {
    if (!all && sides !== 0) return;
    const side = region(lng, lat);
    if (side !== 0) sides |= side > 0 ? INSIDE : OUTSIDE;
  };
  forEachPiece(ring, (x1, y1, x2, y2) => {
    look(x1, y1);
    look((x1 + x2) / 2, (y1 + y2) / 2);
  });
  return sides;
}

function touchKeys(touches: readonly Touch[]): Set<string> {
  return new Set(touches.map(({ rings: [a, b] }) => `${Math.min(a, b)} ${Math.max(a, b)}`));
}

/**
 * Finds the first ring that splits the inside of its polygon. Rings that share a point are linked, and a closed loop
 * of linked rings splits the inside.
 */
export function findDisconnection(
  rings: readonly PlacedRing[],
  touches: readonly Touch[],
): AreaProblem | null {
  const links = new Map<string, { ring: number; at: Position }>();
  for (const { rings: pair, at } of touches) {
    if (rings[pair[0]]!.polygon !== rings[pair[1]]!.polygon) continue;
    const point: Position = at[0] === 180 ? [-180, at[1]] : at;
    for (const ring of pair) links.set(`${ring} ${point.join(' ')}`, { ring, at: point });
  }
  const parents = new Map<string, string>();
  const root = (key: string): string => {
    let at = key;
    for (let up = parents.get(at); up !== undefined; up = parents.get(at)) at = up;
    return at;
  };
  for (const { ring, at } of [...links.values()].sort((a, b) => a.ring - b.ring)) {
    const [a, b] = [root(`ring ${ring}`), root(`${rings[ring]!.polygon} at ${at.join(' ')}`)];
    if (a === b) {
      return {
        path: rings[ring]!.path,
        message: `expected rings that leave the inside in one piece; this one closes a loop of touching rings at [${at.join(', ')}]`,
      };
    }
    parents.set(a, b);
  }
  return null;
}

/**
 * Finds the first problem of nesting: a hole outside its shell, overlapping holes, or overlapping parts. The rings
 * must not cross.
 */
export function findMisnesting(rings: readonly PlacedRing[], touches: readonly Touch[]): AreaProblem | null {
  const touching = touchKeys(touches);
  const shells: PlacedRing[] = [];
  const holesOf = new Map<number, PlacedRing[]>();
  const orders = new Map(rings.map((ring, i) => [ring, i]));
  const touch = (a: PlacedRing, b: PlacedRing): boolean => {
    if (touching.size === 0) return false;
    const [i, j] = [orders.get(a)!, orders.get(b)!];
    return touching.has(`${Math.min(i, j)} ${Math.max(i, j)}`);
  };
  for (const placed of rings) {
    if (!placed.isHole) {
      shells.push(placed);
      holesOf.set(placed.polygon, []);
      continue;
    }
    const shell = shells.at(-1)!;
    if ((sidesOf(placed.ring, shell.region.locate, touch(placed, shell)) & OUTSIDE) !== 0) {
      return {
        path: placed.path,
        message: `expected a hole inside its shell ${shell.path}, got one outside it`,
      };
    }
    const siblings = holesOf.get(placed.polygon)!;
    for (const other of siblings) {
      if (!boxesMeet(placed.region, other.region)) continue;
      const all = touch(placed, other);
      const sides =
        sidesOf(placed.ring, other.region.locate, all) | sidesOf(other.ring, placed.region.locate, all);
      if ((sides & INSIDE) !== 0) {
        return {
          path: placed.path,
          message: `expected holes side by side, got one that overlaps ${other.path}`,
        };
      }
    }
    siblings.push(placed);
  }
  for (const [i, a] of shells.entries()) {
    for (const b of shells.slice(0, i)) {
      if (!boxesMeet(a.region, b.region)) continue;
      if (overlaps(a, b, holesOf.get(b.polygon)!, touch) || overlaps(b, a, holesOf.get(a.polygon)!, touch)) {
        return {
          path: partPath(a),
          message: `expected parts that share no inside, got one that overlaps ${partPath(b)}`,
        };
      }
    }
  }
  return null;
}

/** Path in the caller's geometry of the part that has this shell. */
function partPath(shell: PlacedRing): string {
  return shell.path.replace(/\[0\]$/, '');
}

/**
 * Whether a shell has points strictly inside the polygon with the shell `other` and the holes `holes`. The rings must
 * not cross.
 */
function overlaps(
  shell: PlacedRing,
  other: PlacedRing,
  holes: readonly PlacedRing[],
  touch: (a: PlacedRing, b: PlacedRing) => boolean,
): boolean {
  const near = holes.length === 0 ? holes : holes.filter((hole) => boxesMeet(hole.region, shell.region));
  const all = touch(shell, other) || near.some((hole) => touch(shell, hole));
  const locate = (lng: number, lat: number): number => {
    let side = other.region.locate(lng, lat);
    for (const hole of near) if (side > 0) side = Math.min(side, -hole.region.locate(lng, lat));
    return side;
  };
  return (sidesOf(shell.ring, locate, all) & INSIDE) !== 0;
}
