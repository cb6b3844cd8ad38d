import type { CentreGrid } from './line-distance.ts';

/**
 * Mask of the cells whose centre lies inside closed lines (rule of the winding number): lines of the same direction may
 * overlap or lie within each other.
 * @param segments sides of the lines, four numbers each: x0, y0, x1, y1 [degrees]; those east of the grid may be missing
 */
export function insideLines(grid: CentreGrid, segments: Float64Array): Uint8Array {
  const { width, height, step, west, north } = grid;
  const crossings: { readonly x: number; readonly turn: 1 | -1 }[][] = Array.from(
    { length: height },
    () => [],
  );
  for (let s = 0; s < segments.length; s += 4) {
    const [x0, y0, x1, y1] = [segments[s]!, segments[s + 1]!, segments[s + 2]!, segments[s + 3]!];
    const first = Math.max(0, Math.ceil((north - Math.max(y0, y1)) / step));
    const last = Math.min(height - 1, Math.floor((north - Math.min(y0, y1)) / step));
    for (let row = first; row <= last; row++) {
      const y = north - row * step;
      if (y0 > y !== y1 > y)
        crossings[row]!.push({ x: x0 + ((y - y0) / (y1 - y0)) * (x1 - x0), turn: y1 > y0 ? 1 : -1 });
    }
  }
  const mask = new Uint8Array(width * height);
  for (const [row, found] of crossings.entries()) {
    found.sort((a, b) => a.x - b.x);
    let winding = 0;
    for (const [k, { x, turn }] of found.entries()) {
      winding += turn;
      if (winding === 0) continue;
      const from = Math.max(0, Math.ceil((x - west) / step));
      const end = found[k + 1]?.x ?? Infinity;
      const to = Math.min(width - 1, Math.floor((end - west) / step));
      if (from <= to) mask.fill(1, row * width + from, row * width + to + 1);
    }
  }
  return mask;
}
