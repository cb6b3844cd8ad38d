import { KM_PER_DEGREE } from '../../src/geo/earth.ts';
import type { GlobalGrid } from './global-grid.ts';

/** Maximum distance that is computed [km]: cyclone winds do not reach farther from a storm at sea. */
const REACH_KM = 300;

/**
 * Distance of each cell of a grid around the globe from the nearest cell at sea [km]; 0 at sea, at most 300.
 * Distances are those between cell centres, less half a cell.
 */
export function inlandDistances(
  grid: GlobalGrid,
  isLand: (lat: number, lng: number) => boolean,
): Float32Array {
  const { width, height, step, west, north } = grid;
  const latitude = (row: number): number => north - row * step;
  const land = Uint8Array.from({ length: width * height }, (_, cell) =>
    isLand(latitude(Math.floor(cell / width)), west + (cell % width) * step) ? 1 : 0,
  );
  const cellKm = step * KM_PER_DEGREE;
  const rows = Math.ceil(REACH_KM / cellKm);
  const distances = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      if (land[row * width + column] === 0) continue;
      let best = REACH_KM;
      for (let other = Math.max(0, row - rows); other <= Math.min(height - 1, row + rows); other++) {
        const y = (other - row) * cellKm;
        if (Math.abs(y) >= best) continue;
        const squeeze = cellKm * Math.cos((latitude(other) * Math.PI) / 180);
        const reach = Math.floor(Math.sqrt(best * best - y * y) / squeeze);
        for (let d = 0; d <= reach; d++) {
          const start = other * width;
          const isSea =
            land[start + ((column + d) % width)] === 0 || land[start + ((column - d + width) % width)] === 0;
          if (!isSea) continue;
          best = Math.min(best, Math.hypot(d * squeeze, y));
          break;
        }
      }
      distances[row * width + column] = Math.max(0, best - cellKm / 2);
    }
  }
  return distances;
}
