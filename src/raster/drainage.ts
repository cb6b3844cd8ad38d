import { FloodQueue } from './flood-queue.ts';
import { checkTerrain, NEIGHBOUR_COLS, NEIGHBOUR_ROWS } from './terrain.ts';
import type { Terrain } from './terrain.ts';

/** Value of `receivers` for a cell from which water leaves the data. */
export const LEAVES = -1;

/** Drainage of a terrain: where the water of each cell flows. */
export interface Drainage {
  /** Heights [m] with every depression raised to its lowest rim, so that water flows out of it; NaN is nodata. */
  readonly filled: Float32Array;
  /** Index of the cell that each cell drains to; `LEAVES` at outlets and for nodata. */
  readonly receivers: Int32Array;
  /** Indices of the cells with data, in an order in which each cell comes after its receiver. */
  readonly order: Int32Array;
}

/**
 * Fills depressions and finds the steepest descent of each cell (D8), by one priority-flood from the edges of the
 * data. A cell without a lower neighbour, in a flat or a filled depression, drains along the path by which the flood
 * reached it, which is the shortest path to the outlet. Water leaves at the border of the grid and next to nodata.
 * @throws RangeError when the terrain is malformed
 * @see Barnes, Lehman & Mulla 2014, doi:10.1016/j.cageo.2013.04.024, algorithm 2
 * @see O'Callaghan & Mark 1984, doi:10.1016/S0734-189X(84)80011-0 (D8)
 */
export function drainTerrain(terrain: Terrain): Drainage {
  checkTerrain(terrain);
  const { heights, width, height } = terrain;
  const filled = Float32Array.from(heights);
  const receivers = new Int32Array(heights.length).fill(LEAVES);
  const reached = new Uint8Array(heights.length);
  const queue = new FloodQueue(filled);
  let cellCount = 0;
  for (let cell = 0; cell < heights.length; cell++) {
    if (Number.isNaN(heights[cell]!)) continue;
    cellCount++;
    if (!isAtEdge(terrain, cell)) continue;
    reached[cell] = 1;
    queue.push(cell);
  }
  // Cells at the current level of the flood need no heap. They wait in this first-in, first-out queue.
  const flat = new Int32Array(cellCount);
  let [flatHead, flatTail] = [0, 0];
  const order = new Int32Array(cellCount);
  const offsets = NEIGHBOUR_COLS.map((dx, k) => NEIGHBOUR_ROWS[k]! * width + dx);
  const distances = new Float64Array(8);
  let distancesOf = -1;
  for (let done = 0; done < cellCount; done++) {
    // At the same level, cells in the heap come first, so that each cell of a flat drains to the nearest outlet.
    const fromHeap = flatHead === flatTail || queue.level <= filled[flat[flatHead]!]!;
    const cell = fromHeap ? queue.pop() : flat[flatHead++]!;
    order[done] = cell;
    const level = filled[cell]!;
    const row = Math.floor(cell / width);
    const col = cell - row * width;
    if (row !== distancesOf) {
      distancesOf = row;
      setDistances(distances, terrain.cellWidthM[row]!, terrain.cellHeightM[row]!);
    }
    const inside = row > 0 && col > 0 && row < height - 1 && col < width - 1;
    let steepest = 0;
    for (let k = 0; k < 8; k++) {
      if (!inside && isOff(col + NEIGHBOUR_COLS[k]!, row + NEIGHBOUR_ROWS[k]!, width, height)) continue;
      const neighbour = cell + offsets[k]!;
      const neighbourLevel = filled[neighbour]!;
      if (reached[neighbour] === 1) {
        if (neighbourLevel >= level) continue;
        const slope = (level - neighbourLevel) / distances[k]!;
        if (slope > steepest) {
          steepest = slope;
          receivers[cell] = neighbour;
        }
      } else if (!Number.isNaN(neighbourLevel)) {
        reached[neighbour] = 1;
        receivers[neighbour] = cell;
        if (neighbourLevel > level) queue.push(neighbour);
        else {
          filled[neighbour] = level;
          flat[flatTail++] = neighbour;
        }
      }
    }
  }
  return { filled, receivers, order };
}

function isOff(col: number, row: number, width: number, height: number): boolean {
  return col < 0 || row < 0 || col >= width || row >= height;
}

/** Writes the distances to the eight neighbours [m]. */
function setDistances(distances: Float64Array, across: number, down: number): void {
  const corner = Math.hypot(across, down);
  for (let k = 0; k < 8; k++) distances[k] = k > 3 ? corner : k % 2 === 0 ? across : down;
}

function isAtEdge({ heights, width, height }: Terrain, cell: number): boolean {
  const [row, col] = [Math.floor(cell / width), cell % width];
  if (row === 0 || col === 0 || row === height - 1 || col === width - 1) return true;
  for (let k = 0; k < 8; k++) {
    if (Number.isNaN(heights[cell + NEIGHBOUR_ROWS[k]! * width + NEIGHBOUR_COLS[k]!]!)) return true;
  }
  return false;
}

/** Area that drains through each cell, including the cell itself [km2], row-major; 0 for nodata. */
export function upstreamAreaKm2(terrain: Terrain, { receivers, order }: Drainage): Float64Array {
  const areas = new Float64Array(terrain.heights.length);
  const cellAreas = terrain.cellWidthM.map((size, row) => (size * terrain.cellHeightM[row]!) / 1e6); // m2 to km2
  for (let i = order.length - 1; i >= 0; i--) {
    const cell = order[i]!;
    areas[cell]! += cellAreas[Math.floor(cell / terrain.width)]!;
    const receiver = receivers[cell]!;
    if (receiver !== LEAVES) areas[receiver]! += areas[cell]!;
  }
  return areas;
}
