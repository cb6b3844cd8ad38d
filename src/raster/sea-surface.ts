import { NEIGHBOUR_COLS, NEIGHBOUR_ROWS } from './terrain.ts';
import type { Terrain } from './terrain.ts';

/**
 * Mask of the sea, row-major, 1 for sea: connected cells at exactly 0 m, the value of the sea in DEMs, with a
 * minimum area. A smaller group, such as a single cell at 0 m, is ground.
 * @param leastKm2 minimum area of connected cells [km2]
 */
export function seaSurface(terrain: Terrain, leastKm2: number): Uint8Array {
  const { heights, width, height, cellWidthM, cellHeightM } = terrain;
  const sea = new Uint8Array(heights.length);
  const seen = new Uint8Array(heights.length);
  const members: number[] = [];
  for (let start = 0; start < heights.length; start++) {
    if (heights[start] !== 0 || seen[start] === 1) continue;
    members.length = 0;
    members.push(start);
    seen[start] = 1;
    let areaKm2 = 0;
    for (let i = 0; i < members.length; i++) {
      const cell = members[i]!;
      const row = Math.floor(cell / width);
      const col = cell - row * width;
      areaKm2 += (cellWidthM[row]! * cellHeightM[row]!) / 1e6; // m2 in a km2
      for (let k = 0; k < 8; k++) {
        const [x, y] = [col + NEIGHBOUR_COLS[k]!, row + NEIGHBOUR_ROWS[k]!];
        if (x < 0 || y < 0 || x >= width || y >= height) continue;
        const neighbour = y * width + x;
        if (heights[neighbour] !== 0 || seen[neighbour] === 1) continue;
        seen[neighbour] = 1;
        members.push(neighbour);
      }
    }
    if (areaKm2 >= leastKm2) for (const cell of members) sea[cell] = 1;
  }
  return sea;
}
