import { createRequire } from 'node:module';
import { join } from 'node:path';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { type CodedArea, rasterCodes } from './country-raster.ts';
import { writeGeoTiff } from './geotiff-file.ts';
import { cellGrid } from './global-grid.ts';

/**
 * Cell size of the country layer: 2 arc-minutes [degrees]. With cells of 1 arc-minute its tiles no longer fit into the
 * cache of the service, and a batch of 1,000 places takes fifteen times as long.
 */
const STEP = 1 / 30;

/** Distance over the shore up to which a point belongs to the nearest country [km]. */
const REACH_KM = 5;

/**
 * Codes of the geometries without an ISO code. Kosovo has the user-assigned code of Unicode CLDR; the others have
 * the code of the country that they lie in. Reefs without a code are left out.
 */
const UNCODED: Readonly<Record<string, number>> = {
  Kosovo: 983,
  Somaliland: 706,
  'N. Cyprus': 196,
  'Cyprus U.N. Buffer Zone': 196,
  Dhekelia: 196,
  Akrotiri: 196,
  'USNB Guantanamo Bay': 192,
  'Siachen Glacier': 356,
  Baikonur: 398,
  'Indian Ocean Ter.': 36,
  'Coral Sea Is.': 36,
  'Clipperton I.': 250,
};

type Rings = readonly (readonly (readonly number[])[])[];

/** Areas of the countries of world-atlas (Natural Earth admin-0, 1:10 million), by ISO 3166-1 numeric code. */
export function countryAreas(): readonly CodedArea[] {
  const atlas = createRequire(import.meta.url)('world-atlas/countries-10m.json') as Topology<{
    countries: GeometryCollection<{ name: string }>;
  }>;
  return feature(atlas, atlas.objects.countries).features.flatMap(({ id, properties, geometry }) => {
    const code = id === undefined ? UNCODED[properties.name] : Number(id);
    if (code === undefined) return [];
    const polygons: readonly Rings[] =
      geometry.type === 'Polygon'
        ? [geometry.coordinates]
        : geometry.type === 'MultiPolygon'
          ? geometry.coordinates
          : [];
    return [{ code, polygons }];
  });
}

/** Derives the layer of countries into `out`. @returns its catalogue entry */
export function deriveCountries(out: string): CatalogueEntry[] {
  const grid = cellGrid(STEP);
  const codes = rasterCodes(grid, countryAreas(), REACH_KM);
  writeGeoTiff(join(out, 'country.tif'), grid, [codes], 0, { predictor: 1 });
  return [
    {
      layer: 'country',
      version: 'naturalearth-4.1',
      scale: 1,
      unit: 'class',
      date: '2018-05-21',
      licence: 'public domain',
      source: 'Natural Earth admin-0 countries 10m 4.1.0, from world-atlas 2.0.2',
      file: 'country.tif',
      band: 0,
      offset: 0,
      nodata: 0,
      interpolation: 'nearest',
      returnPeriodYears: null,
      resolutionM: Math.round(STEP * METRES_PER_DEGREE),
    },
  ];
}
