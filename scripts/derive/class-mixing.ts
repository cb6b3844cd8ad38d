import { KM_PER_DEGREE } from '../../src/geo/earth.ts';
import type { GlobalGrid } from './global-grid.ts';

/**
 * Smooth field of a number that is known by class: the mean over the cells around each cell, weighted by a Gaussian of
 * distance and by the area of the cells. Cells without a class do not vote, so that a coast has the value of its land.
 * The field reaches `reachKm` beyond the last cell with a class. Neighbouring cells differ by at most about
 * `cell / (sigma sqrt(2 pi))` of the difference between two classes.
 * @param grid wraps around in longitude
 * @param classes class code of each cell; 0 means none
 * @param valueOf value of a class; NaN for a class that does not vote
 * @param sigmaKm standard deviation of the Gaussian [km], of the size of a cell or larger
 * @param reachKm at least 100, so that no coastal place lacks a value
 * @returns NaN beyond the reach
 */
export function mixClasses(
  grid: GlobalGrid,
  classes: ArrayLike<number>,
  valueOf: (code: number) => number,
  { sigmaKm, reachKm }: { readonly sigmaKm: number; readonly reachKm: number },
): Float32Array {
  const { width, height, step } = grid;
  const values = Float64Array.from({ length: classes.length }, (_, i) =>
    classes[i] === 0 ? Number.NaN : valueOf(classes[i]!),
  );
  const stepKm = step * KM_PER_DEGREE;
  const down = Math.ceil(reachKm / stepKm);
  const out = new Float32Array(values.length).fill(Number.NaN);
  for (let row = 0; row < height; row++) {
    const sums = new Float64Array(width);
    const weights = new Float64Array(width);
    const cosine = cosineOf(grid, row);
    for (let r = Math.max(0, row - down); r <= Math.min(height - 1, row + down); r++) {
      const rowWeight = cosineOf(grid, r);
      const dyKm = (r - row) * stepKm;
      // Columns are measured at the mean latitude of both rows; a row near a pole is as wide as the globe at most.
      const kx = Math.max(1e-3, ((cosine + rowWeight) / 2) * stepKm);
      const half = Math.sqrt(Math.max(0, reachKm * reachKm - dyKm * dyKm));
      const across = Math.min(Math.floor((width - 1) / 2), Math.floor(half / kx));
      for (let dc = -across; dc <= across; dc++) {
        const weight = rowWeight * Math.exp(-((dc * kx) ** 2 + dyKm * dyKm) / (2 * sigmaKm * sigmaKm));
        for (let col = 0; col < width; col++) {
          const value = values[r * width + ((col + dc + width) % width)]!;
          if (Number.isNaN(value)) continue;
          sums[col]! += weight * value;
          weights[col]! += weight;
        }
      }
    }
    for (let col = 0; col < width; col++)
      if (weights[col]! > 0) out[row * width + col] = sums[col]! / weights[col]!;
  }
  return out;
}

/** Relative area of the cells of a row. */
function cosineOf({ north, step }: GlobalGrid, row: number): number {
  return Math.max(0, Math.cos(((north - row * step) * Math.PI) / 180));
}
