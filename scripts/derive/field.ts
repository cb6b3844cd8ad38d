import { sampleBilinear } from '../../src/raster/sample.ts';
import { readRaster } from './geotiff-file.ts';
import type { GlobalGrid } from './global-grid.ts';

/** A global raster that is read at any place in decimal degrees. */
export interface Field {
  at(lat: number, lng: number): number;
}

/** Reads a raster of the shipped layers; `scale` is the unit of its stored values. */
export function fieldOf(
  file: string,
  grid: GlobalGrid,
  { nodata = null, scale = 1 }: { readonly nodata?: number | null; readonly scale?: number } = {},
): Field {
  return interpolated(readRaster(file), grid, nodata, scale);
}

/** Values of a global grid, with bilinear interpolation between its cells. */
export function interpolated(
  values: ArrayLike<number>,
  { width, height, step, west, north }: GlobalGrid,
  nodata: number | null,
  scale: number,
): Field {
  const window = { values, width, height, nodata };
  const column = (lng: number): number => ((((lng - west) / step + 0.5) % width) + width) % width;
  return { at: (lat, lng) => scale * sampleBilinear(window, column(lng), (north - lat) / step + 0.5) };
}
