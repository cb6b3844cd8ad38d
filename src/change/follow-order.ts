/** Pixels of a row that are followed together: their fits share the factorisations that the kernel keeps. */
const COLUMNS = 16;

/**
 * Order in which the pixels of a strip are followed. Neighbours are observed in the same scenes, so their fits share
 * factorisations, of which the kernel keeps few. So some columns are followed through all rows of the strip before the
 * next columns; in whole rows, those of the row before would be gone.
 * @param width number of columns of the grid
 * @param from first pixel of the strip
 * @returns positions in the strip
 */
export function followOrder(width: number, from: number, pixels: number): Int32Array {
  const order = new Int32Array(pixels);
  let n = 0;
  for (let first = 0; first < width; first += COLUMNS) {
    const columns = Math.min(COLUMNS, width - first);
    for (let row = first - (from % width); row < pixels; row += width) {
      const end = Math.min(row + columns, pixels);
      for (let p = Math.max(row, 0); p < end; p++) order[n++] = p;
    }
  }
  return order;
}
