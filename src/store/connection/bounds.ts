import { sql, type RawBuilder } from 'kysely';
import type { Bbox } from '../../geo/bbox.ts';

/** Formats a bounding box as PostgreSQL's `box`: `(east, north), (west, south)`. */
export function boxText([west, south, east, north]: Bbox): string {
  return `(${east},${north}),(${west},${south})`;
}

/** Parses a `box` column. */
export function parseBox(text: string): Bbox {
  const [east, north, west, south] = text.replaceAll(/[()]/g, '').split(',').map(Number);
  return [west!, south!, east!, north!];
}

/**
 * Shifts bounds by 0, -360 and 360 degrees, since the east edge of a box that crosses the antimeridian is above 180.
 * @returns the three boxes as text
 */
export function turnedBoxes([west, south, east, north]: Bbox): readonly string[] {
  return [0, -360, 360].map((turn) => boxText([west + turn, south, east + turn, north]));
}

/** SQL condition: a `box` column overlaps bounds, also across the antimeridian. Its three tests can use an index. */
export function overlaps(column: string, bounds: Bbox): RawBuilder<boolean> {
  const tests = turnedBoxes(bounds).map((box) => sql<boolean>`${sql.ref(column)} && ${box}::box`);
  return sql<boolean>`(${sql.join(tests, sql` or `)})`;
}
