import { setImmediate } from 'node:timers/promises';
import { mapGrid } from '../../geo/grid.ts';
import { wrapLongitude } from '../../geo/position.ts';
import { prepareArea } from '../../geo/prepared-area.ts';
import type { CubeScene, CubeStore } from './cube-store.ts';
import { physicalValue } from './read-series.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Collection } from './collection-store.ts';

/** Minimum share of an area that must be visible in a scene to compute a mean [1]. */
const MIN_CLEAR_SHARE = 0.5;
/**
 * Minimum number of pixel centres in an area for an unweighted mean (our choice). In a smaller area, many pixels are
 * only partly inside, so they are weighted by the share that is inside.
 */
const FEW_PIXELS = 25;
/**
 * Number of sample points along each side of a pixel, to estimate the share of the pixel inside an area (our choice).
 * The share is accurate to a few hundredths.
 */
const PARTS = 8;
/** Maximum number of pixels read from the cube at once. */
const STRIP = 4096;
/**
 * Number of pixels tested in one group, after which the event loop can run other work. A group takes 2 to 5 ms on a
 * projected grid.
 */
const PIXELS_A_TURN = 500;

/** Mean of a metric over an area, one value per scene. */
export interface AreaSeries {
  readonly scenes: readonly CubeScene[];
  readonly timesMs: Float64Array;
  /** In the unit of the metric; NaN when too little of the area was visible. */
  readonly values: Float64Array;
  readonly pixelCount: number;
}

/**
 * Computes the mean over the pixels whose centre lies in the area. If there are few such pixels, as in a weather grid,
 * computes the mean over all pixels that overlap the area, weighted by the share of the pixel inside the area. Returns
 * undefined if the area lies outside the grid.
 */
export async function areaSeries(
  cube: CubeStore,
  collection: Collection,
  aoi: Aoi,
): Promise<AreaSeries | undefined> {
  const { pixels, parts } = await knownParts(collection, aoi);
  if (pixels.length === 0) return undefined;
  let scenes: readonly CubeScene[] | undefined;
  let sums = new Float64Array(0);
  let counts = new Float64Array(0);
  // Pixels close to each other are read together, including the pixels in small gaps between them.
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
    await setImmediate(); // a cached read resolves at once, so other requests get a turn here
    if (scenes === undefined) {
      scenes = strip.scenes;
      sums = new Float64Array(scenes.length);
      counts = new Float64Array(scenes.length);
    } else if (!isSameScenes(strip.scenes, scenes)) {
      return areaSeries(cube, collection, aoi); // a scene was added, removed or replaced meanwhile: start again
    }
    for (; at <= end; at++) {
      const base = (pixels[at]! - from) * scenes.length;
      const part = parts?.[at] ?? 1;
      for (let t = 0; t < scenes.length; t++) {
        const raw = strip.values[base + t]!;
        if (Number.isNaN(raw)) continue;
        sums[t]! += part * raw;
        counts[t]! += part;
      }
    }
  }
  const least = (parts?.reduce((sum, part) => sum + part) ?? pixels.length) * MIN_CLEAR_SHARE;
  const found = scenes ?? [];
  return {
    scenes: found,
    timesMs: Float64Array.from(found, (scene) => scene.timeMs),
    values: Float64Array.from(found, (_, t) =>
      counts[t]! > 0 && counts[t]! >= least ? physicalValue(collection, sums[t]! / counts[t]!) : Number.NaN,
    ),
    pixelCount: pixels.length,
  };
}

function isSameScenes(a: readonly CubeScene[], b: readonly CubeScene[]): boolean {
  if (a === b) return true; // an unchanged cube returns the same array
  return (
    a.length === b.length && a.every(({ key, sha256 }, i) => key === b[i]!.key && sha256 === b[i]!.sha256)
  );
}

/**
 * Returns the pixels whose centre lies in an area. If there are none, returns the pixel at the first corner of the
 * area; empty if that corner lies outside the grid.
 */
export async function pixelsOf(
  collection: Pick<Collection, 'grid'>,
  aoi: Pick<Aoi, 'geometry' | 'bounds'>,
): Promise<readonly number[]> {
  const { grid } = collection;
  const map = mapGrid(grid);
  const area = prepareArea(aoi.geometry);
  const pixels: number[] = [];
  let looked = 0;
  for (const pixel of windowOf(collection, aoi)) {
    if (++looked % PIXELS_A_TURN === 0) await setImmediate();
    const [lng, lat] = map.pixelCentre(pixel);
    if (area.contains([wrapLongitude(lng), lat])) pixels.push(pixel);
  }
  if (pixels.length > 0) return pixels;
  const [shell] =
    aoi.geometry.type === 'Polygon' ? [aoi.geometry.coordinates[0]!] : [aoi.geometry.coordinates[0]![0]!];
  const corner = map.pixelAt(shell[0]!);
  return corner === null ? [] : [corner];
}

/** Pixels of an area, ascending. `parts` are the weights of the pixels; undefined if all weights are equal. */
interface AreaParts {
  readonly pixels: readonly number[];
  readonly parts?: readonly number[];
}

/**
 * Cache of the pixels of areas, by grid and area. Testing pixels is slow, and all metrics of a collection have the same
 * grid.
 */
const knownAreas = new Map<string, AreaParts>();
const KNOWN_AREAS = 16;
/** Maximum number of pixels of an area in the cache, with 8 bytes per pixel. */
const KNOWN_PIXELS = 100_000;

async function knownParts(collection: Pick<Collection, 'grid'>, aoi: Aoi): Promise<AreaParts> {
  const key = JSON.stringify([collection.grid, aoi.id, aoi.bounds, aoi.geometry]);
  const known = knownAreas.get(key) ?? (await partsOf(collection, aoi));
  knownAreas.delete(key);
  if (known.pixels.length <= KNOWN_PIXELS) knownAreas.set(key, known);
  if (knownAreas.size > KNOWN_AREAS) knownAreas.delete(knownAreas.keys().next().value!);
  return known;
}

async function partsOf(
  collection: Pick<Collection, 'grid'>,
  aoi: Pick<Aoi, 'geometry' | 'bounds'>,
): Promise<AreaParts> {
  const pixels = await pixelsOf(collection, aoi);
  if (pixels.length >= FEW_PIXELS) return { pixels };
  const { grid } = collection;
  const map = mapGrid(grid);
  const area = prepareArea(aoi.geometry);
  const [touched, parts]: [number[], number[]] = [[], []];
  for (const pixel of windowOf(collection, aoi)) {
    const [col, row] = [pixel % grid.width, Math.floor(pixel / grid.width)];
    let inside = 0;
    for (let k = 0; k < PARTS * PARTS; k++) {
      const [x, y] = [((k % PARTS) + 0.5) / PARTS, (Math.floor(k / PARTS) + 0.5) / PARTS];
      const [lng, lat] = map.toLngLat(col + x, row + y);
      if (area.contains([wrapLongitude(lng), lat])) inside++;
    }
    if (inside === 0) continue;
    touched.push(pixel);
    parts.push(inside);
  }
  return touched.length === 0 ? { pixels } : { pixels: touched, parts };
}

/**
 * Yields the pixels that may overlap the area, ascending. They form a window around sample points of the bounding box
 * of the area, with a margin because the edges of the box may be curved in the grid.
 */
function* windowOf({ grid }: Pick<Collection, 'grid'>, aoi: Pick<Aoi, 'bounds'>): Generator<number> {
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
  for (
    let row = Math.max(0, Math.floor(firstRow - margin));
    row <= Math.min(grid.height - 1, Math.ceil(lastRow + margin));
    row++
  )
    for (
      let col = Math.max(0, Math.floor(firstCol - margin));
      col <= Math.min(grid.width - 1, Math.ceil(lastCol + margin));
      col++
    )
      yield row * grid.width + col;
}
