import type { Position } from './position.ts';

/** A closed ring with positions added, and for each vertex but the last its index in the ring that was written. */
export interface WrittenBox {
  readonly positions: readonly Position[];
  readonly origins: readonly number[];
}

/**
 * Widest box that is read as written [degrees] (our choice). Behind it the short way is a box of less than 10 degrees
 * at the antimeridian, as round an island group, which is often written in either direction.
 */
const WIDEST = 350;

/**
 * A box of four corners that is wider than 180 and at most 350 degrees and runs counter-clockwise as it is written:
 * its positions with the middle of each long edge added, so that the edges go the way that was written. A box in the
 * other direction, and any other ring, is undefined: its long edges go the short way across the antimeridian.
 * @see https://www.rfc-editor.org/rfc/rfc7946 sections 3.1.6 (direction) and 5.2 (west above east where a box crosses)
 */
export function writtenBox(closed: readonly Position[]): WrittenBox | undefined {
  if (closed.length !== 5) return undefined;
  const corners = closed.slice(0, 4);
  const start = [0, 1, 2, 3].find((i) => {
    const [a, b, c, d] = [0, 1, 2, 3].map((k) => corners[(i + k) % 4]!) as [
      Position,
      Position,
      Position,
      Position,
    ];
    const isParallel = a[1] === b[1] && b[0] === c[0] && c[1] === d[1] && d[0] === a[0];
    return isParallel && a[0] < b[0] && a[1] < c[1]; // south side eastwards first: counter-clockwise
  });
  if (start === undefined) return undefined;
  const width = corners[(start + 1) % 4]![0] - corners[start]![0];
  if (width <= 180 || width > WIDEST) return undefined;
  const positions: Position[] = [];
  const origins: number[] = [];
  for (const [i, from] of corners.entries()) {
    const to = corners[(i + 1) % 4]!;
    positions.push(from);
    origins.push(i);
    if (from[0] === to[0]) continue;
    positions.push([(from[0] + to[0]) / 2, from[1]]);
    origins.push(i);
  }
  return { positions: [...positions, positions[0]!], origins };
}
