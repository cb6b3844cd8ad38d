import { PARAMETERS } from '../parameters.ts';
import type { StackSpec } from '../stack.ts';

/** Lattice of cells over a grid, `columns` x `rows`, each `side` pixels wide and high. */
export interface Lattice {
  readonly side: number;
  readonly columns: number;
  readonly rows: number;
}

/**
 * Returns the lattice of a grid. The side of a cell is `cellPixels`, doubled until there are at most `maxCells` cells.
 */
export function latticeOf(spec: StackSpec): Lattice {
  const { width, height } = spec;
  let side: number = PARAMETERS.cellPixels;
  while (Math.ceil(width / side) * Math.ceil(height / side) > PARAMETERS.maxCells) side *= 2;
  return { side, columns: Math.ceil(width / side), rows: Math.ceil(height / side) };
}

/** Returns the cell that a pixel is in. */
export function cellOf(lattice: Lattice, width: number, pixel: number): number {
  const row = Math.floor(Math.floor(pixel / width) / lattice.side);
  return row * lattice.columns + Math.floor((pixel % width) / lattice.side);
}

/** Returns a cell and the up to eight cells around it. */
export function cellsAround({ columns, rows }: Lattice, cell: number): number[] {
  const row = Math.floor(cell / columns);
  const column = cell % columns;
  const around: number[] = [];
  for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r++) {
    for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c++)
      around.push(r * columns + c);
  }
  return around;
}
