/** One entry of `data/layers/catalogue.json`, as the layer store reads it. `value = raw * scale + offset`. */
export interface CatalogueEntry {
  readonly layer: string;
  readonly version: string;
  readonly file: string;
  /** Index of the band in the file, from 0. */
  readonly band: number;
  readonly scale: number;
  readonly offset: number;
  /** Raw value of cells without a value; null when there are none. */
  readonly nodata: number | null;
  readonly unit: string;
  readonly returnPeriodYears: number | null;
  readonly interpolation: 'nearest' | 'bilinear';
  /** Width of a cell at the equator [m]. */
  readonly resolutionM: number;
  readonly date: string;
  readonly licence: string;
  readonly source: string;
}

/** Metres along one degree of the equator (WGS84: 2 pi 6378137 / 360). */
export const METRES_PER_DEGREE = 111319.5;
