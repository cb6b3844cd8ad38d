import type { ChangeTask } from './change-task.ts';
import { STRIP_PIXELS } from './strip-size.ts';

/** Maximum number of strips in a block: 1,024 x 1,024 pixels. */
export const BLOCK_STRIPS = 256;

/**
 * Part of a collection that is searched as a unit: consecutive strips, that is, rows of the grid. Strips `[first, last)`.
 */
export interface Block {
  readonly index: number;
  readonly first: number;
  readonly last: number;
}

/** Returns the blocks of a collection, in order of their pixels. */
export function blocksOf({
  spec: { width, height },
  blockStrips = BLOCK_STRIPS,
}: Pick<ChangeTask, 'spec' | 'blockStrips'>): readonly Block[] {
  const strips = Math.ceil((width * height) / STRIP_PIXELS);
  return Array.from({ length: Math.ceil(strips / blockStrips) }, (_, index) => ({
    index,
    first: index * blockStrips,
    last: Math.min(strips, (index + 1) * blockStrips),
  }));
}

/** Returns the pixels `[from, to)` of some strips. */
export function pixelsOf(
  { width, height }: ChangeTask['spec'],
  { first, last }: Pick<Block, 'first' | 'last'>,
): readonly [from: number, to: number] {
  return [first * STRIP_PIXELS, Math.min(width * height, last * STRIP_PIXELS)];
}

/** Phases of a search. Each needs what the one before found in all blocks. */
export const PHASES = ['levels', 'like', 'context', 'follow'] as const;
export type Phase = (typeof PHASES)[number];

/** Name of the unit of a block in a phase. */
export function unitName(phase: Phase, block: number): string {
  return `${phase}-${block}`;
}
