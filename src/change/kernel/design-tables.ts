import type { KernelMemory } from './kernel-memory.ts';

/** Maximum number of columns that the kernel supports. */
export const MAX_COLUMNS = 8;

/** Design matrix of the regression, the same for all pixels. */
export interface Design {
  /** The design matrix, row-major: one row per scene, `columns` columns. */
  readonly rows: Float64Array;
  /** Number of columns, 1 to `MAX_COLUMNS`. */
  readonly columns: number;
  /** Ridge by column, added to the diagonal of X'X [observations times squared units of the column]; absent: none. */
  readonly ridge?: readonly number[];
}

/** Addresses of a design and its derived tables in a kernel's memory. */
export interface DesignTables {
  readonly times: number;
  readonly columns: number;
  readonly byColumn: number;
  readonly byRow: number;
  readonly grams: number;
  readonly ridge: number;
}

/**
 * Writes a design to the memory in the form that the kernel reads: by columns and by rows, both padded with zeros. For
 * every eight scenes it also writes the sum of x x' over each of their 256 subsets. So X'X of a pixel is a sum with
 * one term per byte of the pixel's mask.
 * @throws RangeError when the design is ragged or has too many columns
 */
export function designTables(memory: KernelMemory, design: Design): DesignTables {
  const { rows, columns } = design;
  const times = rows.length / columns;
  if (!Number.isInteger(columns) || columns < 1 || columns > MAX_COLUMNS)
    throw new RangeError(`a design has 1 to ${MAX_COLUMNS} columns, got ${columns}`);
  if (!Number.isInteger(times) || times === 0)
    throw new RangeError(`${rows.length} values are no rows of ${columns} columns`);
  const paddedTimes = Math.ceil(times / 8) * 8;
  const paddedColumns = Math.ceil(columns / 2) * 2;
  const triangle = Math.ceil((columns * (columns + 1)) / 2 / 8) * 8;
  const tables: DesignTables = {
    times,
    columns,
    byColumn: memory.allocate(paddedColumns * paddedTimes * 8),
    byRow: memory.allocate(paddedTimes * paddedColumns * 8),
    grams: memory.allocate(paddedTimes * 32 * triangle * 8),
    ridge: memory.allocate(MAX_COLUMNS * 8),
  };
  if (design.ridge !== undefined) memory.float64(tables.ridge, columns).set(design.ridge);
  const byColumn = memory.float64(tables.byColumn, paddedColumns * paddedTimes);
  const byRow = memory.float64(tables.byRow, paddedTimes * paddedColumns);
  for (let t = 0; t < times; t++) {
    for (let c = 0; c < columns; c++) {
      byColumn[c * paddedTimes + t] = rows[t * columns + c]!;
      byRow[t * paddedColumns + c] = rows[t * columns + c]!;
    }
  }
  fillGrams(memory.float64(tables.grams, paddedTimes * 32 * triangle), byRow, columns, triangle);
  return tables;
}

/** Fills the sums of x x'. Each is the sum of the subset without its lowest scene, plus x x' of this scene. */
function fillGrams(grams: Float64Array, byRow: Float64Array, columns: number, triangle: number): void {
  const stride = Math.ceil(columns / 2) * 2;
  for (let entry = 0; entry < grams.length / triangle; entry++) {
    const subset = entry & 255;
    if (subset === 0) continue;
    const lowest = 31 - Math.clz32(subset & -subset);
    const x = ((entry >> 8) * 8 + lowest) * stride;
    const rest = (entry & ~255) + (subset & (subset - 1));
    for (let i = 0, slot = 0; i < columns; i++) {
      for (let j = 0; j <= i; j++, slot++)
        grams[entry * triangle + slot] = grams[rest * triangle + slot]! + byRow[x + i]! * byRow[x + j]!;
    }
  }
}
