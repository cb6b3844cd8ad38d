import { mapGrid } from '../geo/grid.ts';
import { prepareArea } from '../geo/prepared-area.ts';
import type { CubeScene, CubeStore } from './ports.ts';
import { physicalValue } from './read-series.ts';
import type { Aoi, Collection } from './stores.ts';

/** Least share of an area's pixels that a scene must show for its mean to stand for the area. */
const MIN_CLEAR_SHARE = 0.5;
/** Pixels read from the cube at once. */
const STRIP = 4096;

/** Mean of a metric over an area, scene by scene. */
export interface AreaSeries {
  readonly scenes: readonly CubeScene[];
  readonly timesMs: Float64Array;
  /** Metric unit; NaN where too little of the area was seen. */
  readonly values: Float64Array;
  readonly pixelCount: number;
}

/**
 * The mean over the pixels whose centre lies in the area; the pixel at a corner of it for an area too small to hold a
 * centre. Undefined when the area lies off the grid.
 */
export async function areaSeries(
  cube: CubeStore,
  collection: Collection,
  aoi: Aoi,
): Promise<AreaSeries | undefined> {
  const pixels = pixelsOf(collection, aoi);
  if (pixels.length === 0) return undefined;
  let scenes: readonly CubeScene[] = [];
  let sums = new Float64Array(0);
  let counts = new Uint32Array(0);
  // Neighbouring pixels are read together, in runs that bridge small gaps.
  for (let at = 0; at < pixels.length;) {
    let end = at;
    while (
      end + 1 < pixels.length &&
      pixels[end + 1]! - pixels[at]! < STRIP &&
      pixels[end + 1]! - pixels[end]! < 64
    )
      end++;
    const from = pixels[at]!;
    const strip = await cube.readStrip(collection.id, from, pixels[end]! + 1);
    if (scenes.length === 0) {
      scenes = strip.scenes;
      sums = new Float64Array(scenes.length);
      counts = new Uint32Array(scenes.length);
    } else if (strip.scenes.length !== scenes.length) {
      return areaSeries(cube, collection, aoi); // a scene came in between: begin again
    }
    for (; at <= end; at++) {
      const base = (pixels[at]! - from) * scenes.length;
      for (let t = 0; t < scenes.length; t++) {
        const raw = strip.values[base + t]!;
        if (Number.isNaN(raw)) continue;
        sums[t]! += raw;
        counts[t]!++;
      }
    }
  }
  const least = pixels.length * MIN_CLEAR_SHARE;
  return {
    scenes,
    timesMs: Float64Array.from(scenes, (scene) => scene.timeMs),
    values: Float64Array.from(scenes, (_, t) =>
      counts[t]! > 0 && counts[t]! >= least ? physicalValue(collection, sums[t]! / counts[t]!) : Number.NaN,
    ),
    pixelCount: pixels.length,
  };
}

/** Pixels whose centre lies in an area; the one at a corner of it where it holds no centre; none where it lies off the grid. */
export function pixelsOf(collection: Collection, aoi: Pick<Aoi, 'geometry' | 'bounds'>): number[] {
  const { grid } = collection;
  const map = mapGrid(grid);
  const area = prepareArea(aoi.geometry);
  const { firstRow, lastRow, firstCol, lastCol } = windowOf(collection, aoi);
  const pixels: number[] = [];
  for (let row = firstRow; row <= lastRow; row++) {
    for (let col = firstCol; col <= lastCol; col++) {
      const pixel = row * grid.width + col;
      if (area.contains(map.pixelCentre(pixel))) pixels.push(pixel);
    }
  }
  if (pixels.length > 0) return pixels;
  const [shell] =
    aoi.geometry.type === 'Polygon' ? [aoi.geometry.coordinates[0]!] : [aoi.geometry.coordinates[0]![0]!];
  const corner = map.pixelAt(shell[0]!);
  return corner === null ? [] : [corner];
}

/** Rows and columns that can hold the area: its edges, sampled, with a margin for what bends between samples. */
function windowOf({ grid }: Collection, aoi: Pick<Aoi, 'bounds'>) {
  const map = mapGrid(grid);
  const [west, south, east, north] = aoi.bounds;
  const steps = 16;
  let [firstCol, lastCol, firstRow, lastRow] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i <= steps; i++) {
    for (let j = 0; j <= steps; j++) {
      const [col, row] = map.toPixel(
        west + ((east - west) * i) / steps,
        south + ((north - south) * j) / steps,
      );
      if (!Number.isFinite(col) || !Number.isFinite(row)) continue;
      firstCol = Math.min(firstCol, col);
      lastCol = Math.max(lastCol, col);
      firstRow = Math.min(firstRow, row);
      lastRow = Math.max(lastRow, row);
    }
  }
  const margin = 2 + Math.max(lastCol - firstCol, lastRow - firstRow) / steps;
  return {
    firstCol: Math.max(0, Math.floor(firstCol - margin)),
    lastCol: Math.min(grid.width - 1, Math.ceil(lastCol + margin)),
    firstRow: Math.max(0, Math.floor(firstRow - margin)),
    lastRow: Math.min(grid.height - 1, Math.ceil(lastRow + margin)),
  };
}
