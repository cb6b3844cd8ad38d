import type { Bbox } from './bbox.ts';

/** Number of rows and of columns of the pattern of blocks. It repeats every so many degrees. */
const PATTERN = 32;
/** Columns of one degree around the Earth. */
const COLUMNS = 360;

/**
 * Blocks of ground that boxes touch, as ascending numbers below `PATTERN` squared. A block is a cell of one degree.
 * Neighbouring cells have different numbers; cells 32 degrees apart share one, so that the numbers are few.
 */
export function groundBlocks(boxes: Iterable<Bbox>): readonly number[] {
  const found = new Set<number>();
  for (const [west, south, east, north] of boxes) {
    const [left, right] = [Math.floor(west), Math.floor(east)];
    const [low, high] = [Math.floor(south), Math.floor(north)];
    // All numbers of columns occur within one turn, and all numbers of rows within one pattern.
    for (let column = left; column <= Math.min(right, left + COLUMNS - 1); column++) {
      const across = (((column % COLUMNS) + COLUMNS) % COLUMNS) % PATTERN;
      for (let row = low; row <= Math.min(high, low + PATTERN - 1); row++)
        found.add(across * PATTERN + (((row % PATTERN) + PATTERN) % PATTERN));
    }
  }
  return [...found].toSorted((a, b) => a - b);
}
