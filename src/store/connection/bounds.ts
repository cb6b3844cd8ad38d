import { sql, type RawBuilder } from 'kysely';
import type { Bbox } from '../../geo/bbox.ts';

/** A bounding box as PostgreSQL's `box`: `(east, north), (west, south)`. */
export function boxText([west, south, east, north]: Bbox): string {
  return `(${east},${north}),(${west},${south})`;
}

/** Reads a `box` column back. */
export function parseBox(text: string): Bbox {
  const [east, north, west, south] = text.replaceAll(/[()]/g, '').split(',').map(Number);
  return [west!, south!, east!, north!];
}

/** Bounds as they are, one turn to the west and one to the east: boxes that cross the antimeridian reach beyond 180. */
export function turnedBoxes([west, south, east, north]: Bbox): readonly string[] {
  return [0, -360, 360].map((turn) => boxText([west + turn, south, east + turn, north]));
}

/** Whether a `box` column overlaps bounds on the round earth: wherever they are turned. Each of the three is an index search. */
export function overlaps(column: string, bounds: Bbox): RawBuilder<boolean> {
  const tests = turnedBoxes(bounds).map((box) => sql<boolean>`${sql.ref(column)} && ${box}::box`);
  return sql<boolean>`(${sql.join(tests, sql` or `)})`;
}
