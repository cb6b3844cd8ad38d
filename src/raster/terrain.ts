/** Heights on a regular grid whose rows run along parallels or along the x axis of a projection. */
export interface Terrain {
  /** Heights [m], row-major, `width * height`; NaN is nodata. */
  readonly heights: Float32Array;
  readonly width: number;
  readonly height: number;
  /** East-west and north-south size of the cells of each row [m]; on most grids the size differs between rows. */
  readonly cellWidthM: Float64Array;
  readonly cellHeightM: Float64Array;
}

/** Column and row steps to the eight neighbours: the four sides, then the four corners. */
export const NEIGHBOUR_COLS = [1, 0, -1, 0, 1, -1, -1, 1] as const;
export const NEIGHBOUR_ROWS = [0, 1, 0, -1, 1, 1, -1, -1] as const;

/** Checks a terrain. @throws RangeError when the arrays do not match the shape, or a cell size is not positive */
export function checkTerrain({ heights, width, height, cellWidthM, cellHeightM }: Terrain): void {
  const rows = [cellWidthM, cellHeightM];
  if (
    !(width > 0 && height > 0) ||
    heights.length !== width * height ||
    rows.some((sizes) => sizes.length !== height)
  ) {
    throw new RangeError(
      `${heights.length} heights and ${cellWidthM.length} row sizes do not make ${width} x ${height} cells`,
    );
  }
  if (!rows.every((sizes) => sizes.every((size) => size > 0 && size < Infinity))) {
    throw new RangeError('cells need a size in metres above 0');
  }
}
