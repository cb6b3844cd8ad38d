import { KM_PER_DEGREE } from '../../src/geo/earth.ts';
import { addCrossings, type GlobalGrid } from './global-grid.ts';
import { ringContains } from './shapefile.ts';

/** Area with a code: polygons of rings (the first is the outer one) of positions `[lng, lat]` in degrees. */
export interface CodedArea {
  readonly code: number;
  readonly polygons: readonly (readonly (readonly (readonly number[])[])[])[];
}

/** A polygon that covers at most this many cell centres is small. */
const SMALL_CELLS = 12;
/** Share of a cell that a small polygon must cover to take it from a larger one [1]. */
const TAKING_SHARE = 0.25;
/** Points along a cell at which the share is counted. */
const POINTS = 8;

/**
 * Raster of codes; 0 where no area is. A cell has the code of the area at its centre. A small polygon also gets the
 * empty cells that its shore crosses, so that no island is lost, the cell of which it covers most, and each cell of
 * which it covers a quarter, so that microstates keep their towns. Other cells within `reachKm` of an area get the code of the
 * nearest one.
 */
export function rasterCodes(grid: GlobalGrid, areas: readonly CodedArea[], reachKm: number): Int16Array {
  const codes = new Int16Array(grid.width * grid.height);
  const small: { readonly code: number; readonly ring: readonly (readonly number[])[] }[] = [];
  for (const { code, polygons } of areas) {
    for (const rings of polygons)
      if (fillPolygon(grid, rings, code, codes) <= SMALL_CELLS) small.push({ code, ring: rings[0]! });
  }
  for (const { code, ring } of small) {
    traceRing(grid, ring, code, codes);
    takeCovered(grid, ring, code, codes);
  }
  extend(grid, codes, reachKm);
  return codes;
}

/** Fills the cells whose centre is inside an odd number of rings. @returns the number of cells */
function fillPolygon(
  grid: GlobalGrid,
  rings: readonly (readonly (readonly number[])[])[],
  code: number,
  codes: Int16Array,
): number {
  const crossings = new Map<number, number[]>();
  for (const ring of rings) {
    const points = ring as readonly (readonly [number, number])[];
    for (let i = 0; i + 1 < points.length; i++) addCrossings(grid, points[i]!, points[i + 1]!, crossings);
  }
  let count = 0;
  for (const [row, xs] of crossings) {
    xs.sort((a, b) => a - b);
    for (let k = 0; k + 1 < xs.length; k += 2) {
      const from = Math.max(0, Math.ceil((xs[k]! - grid.west) / grid.step));
      const to = Math.min(grid.width - 1, Math.floor((xs[k + 1]! - grid.west) / grid.step));
      if (to < from) continue;
      codes.fill(code, row * grid.width + from, row * grid.width + to + 1);
      count += to - from + 1;
    }
  }
  return count;
}

/** Gives the code to each empty cell that a ring crosses. */
function traceRing(
  grid: GlobalGrid,
  ring: readonly (readonly number[])[],
  code: number,
  codes: Int16Array,
): void {
  for (let i = 0; i + 1 < ring.length; i++) {
    const [x0, y0] = ring[i] as [number, number];
    const [x1, y1] = ring[i + 1] as [number, number];
    const steps = 1 + Math.ceil((4 * Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0))) / grid.step);
    for (let k = 0; k <= steps; k++) {
      const col = Math.round((x0 + ((x1 - x0) * k) / steps - grid.west) / grid.step);
      const row = Math.round((grid.north - y0 - ((y1 - y0) * k) / steps) / grid.step);
      if (row < 0 || row >= grid.height) continue;
      const at = row * grid.width + ((col + grid.width) % grid.width);
      if (codes[at] === 0) codes[at] = code;
    }
  }
}

/** Gives the code to each cell of which a ring covers at least `TAKING_SHARE`, and to that of which it covers most. */
function takeCovered(
  grid: GlobalGrid,
  ring: readonly (readonly number[])[],
  code: number,
  codes: Int16Array,
): void {
  const flat = Float64Array.from(ring.flat());
  const lngs = ring.map(([lng]) => lng!);
  const lats = ring.map(([, lat]) => lat!);
  const colOf = (lng: number): number => Math.round((lng - grid.west) / grid.step);
  const rowOf = (lat: number): number => Math.round((grid.north - lat) / grid.step);
  const [firstCol, lastCol] = [colOf(Math.min(...lngs)), colOf(Math.max(...lngs))];
  const firstRow = Math.max(0, rowOf(Math.max(...lats)));
  const lastRow = Math.min(grid.height - 1, rowOf(Math.min(...lats)));
  const shares = new Map<number, number>();
  for (let row = firstRow; row <= lastRow; row++) {
    for (let col = firstCol; col <= lastCol; col++) {
      let covered = 0;
      for (let k = 0; k < POINTS * POINTS; k++) {
        const lng = grid.west + (col + ((k % POINTS) + 0.5) / POINTS - 0.5) * grid.step;
        const lat = grid.north - (row + (Math.floor(k / POINTS) + 0.5) / POINTS - 0.5) * grid.step;
        if (ringContains(flat, lng, lat)) covered++;
      }
      shares.set(row * grid.width + ((col + grid.width) % grid.width), covered / (POINTS * POINTS));
    }
  }
  let most = [...shares.keys()][0];
  for (const [cell, share] of shares) {
    if (share > shares.get(most!)!) most = cell;
    if (share >= TAKING_SHARE) codes[cell] = code;
  }
  if (most !== undefined) codes[most] = code;
}

/** Steps of the distances that `extend` compares [km]: they fit into a byte. */
const DISTANCE_STEP_KM = 0.05;

/** Gives each empty cell within `reachKm` the code of the nearest cell that has one. */
export function extend(grid: GlobalGrid, codes: Int16Array, reachKm: number): void {
  const { width, height, step } = grid;
  const factor = Math.max(DISTANCE_STEP_KM, reachKm / 250);
  const distances = new Uint8Array(codes.length).fill(255);
  const down = Math.ceil(reachKm / (step * KM_PER_DEGREE));
  const edges = edgeCells(grid, codes);
  for (const at of edges) {
    const row = Math.floor(at / width);
    const col = at % width;
    const kx = Math.cos(((grid.north - row * step) * Math.PI) / 180) * KM_PER_DEGREE * step;
    const across = Math.min(width >> 1, Math.ceil(reachKm / Math.max(kx, 0.01)));
    for (let dr = -down; dr <= down; dr++) {
      if (row + dr < 0 || row + dr >= height) continue;
      for (let dc = -across; dc <= across; dc++) {
        const to = (row + dr) * width + ((col + dc + width) % width);
        const km = Math.hypot(dc * kx, dr * step * KM_PER_DEGREE);
        const steps = Math.round(km / factor);
        // Cells that had a code before have distance 255; only cells that got theirs here are compared.
        if (km > reachKm || (codes[to] !== 0 && distances[to] === 255) || steps >= distances[to]!) continue;
        codes[to] = codes[at]!;
        distances[to] = steps;
      }
    }
  }
}

/** Indices of the cells with a code beside an empty cell. */
function edgeCells({ width, height }: GlobalGrid, codes: Int16Array): number[] {
  const edges: number[] = [];
  for (let row = 0; row < height; row++) {
    for (let col = 0; col < width; col++) {
      const at = row * width + col;
      if (codes[at] === 0) continue;
      const west = codes[row * width + ((col + width - 1) % width)];
      const east = codes[row * width + ((col + 1) % width)];
      const north = row === 0 ? 1 : codes[at - width];
      const south = row === height - 1 ? 1 : codes[at + width];
      if (west === 0 || east === 0 || north === 0 || south === 0) edges.push(at);
    }
  }
  return edges;
}
