import type { Grid } from '../../geo/grid.ts';
import type { Rows } from '../../raster/resample.ts';

/** Number of pixels of a strip, if it is not a single row of blocks. */
const STRIP_PIXELS = 2 ** 22;
/** Number of rows of a strip is a multiple of this, so that blocks of 256, 512 and 1,024 rows are read once. */
const BLOCK_ROWS = 1024;

/** Divides a grid into strips of rows. Only one strip of the bands of a scene is in memory at a time. */
export function stripsOf({ width, height }: Pick<Grid, 'width' | 'height'>): readonly Rows[] {
  const rows = BLOCK_ROWS * Math.max(1, Math.floor(STRIP_PIXELS / width / BLOCK_ROWS));
  return Array.from({ length: Math.ceil(height / rows) }, (_, i) => ({
    first: i * rows,
    last: Math.min(height, (i + 1) * rows),
  }));
}
