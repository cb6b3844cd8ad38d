import { readFileSync, writeFileSync } from 'node:fs';

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

/**
 * Writes entries to a catalogue. They replace those of the same layer; entries of other layers stay.
 * @returns the number of entries that the catalogue has then
 */
export function updateCatalogue(file: string, entries: readonly CatalogueEntry[]): number {
  const known = (JSON.parse(readFileSync(file, 'utf8')) as { readonly layers: readonly CatalogueEntry[] })
    .layers;
  const kept = known.filter(({ layer }) => entries.every((entry) => entry.layer !== layer));
  const layers = [...kept, ...entries];
  writeFileSync(file, `${JSON.stringify({ layers }, null, 2)}\n`);
  return layers.length;
}
