import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fromArrayBuffer, type GeoTIFF } from 'geotiff';
import { COUNTRIES, countryFacts } from './countries.ts';
import { continentOf } from './regions.ts';
import { cycloneRegionOf } from './storm/cyclone-region.ts';

const LAYERS = join(import.meta.dirname, '../../data/layers');
const files = new Map<string, Promise<GeoTIFF>>();

function open(layer: string): Promise<GeoTIFF> {
  let file = files.get(layer);
  if (file === undefined) {
    file = fromArrayBuffer(Uint8Array.from(readFileSync(join(LAYERS, `${layer}.tif`))).buffer);
    files.set(layer, file);
  }
  return file;
}

/** Value of the nearest cell of a shipped layer of one band. */
async function nearest(layer: string, lat: number, lng: number): Promise<number> {
  const image = await (await open(layer)).getImage();
  const [west, north] = image.getOrigin() as [number, number];
  const [dx, dy] = image.getResolution() as [number, number];
  const [col, row] = [Math.floor((lng - west) / dx), Math.floor((lat - north) / dy)];
  const raster = await image.readRasters({ window: [col, row, col + 1, row + 1], samples: [0] });
  return (raster as unknown as readonly ArrayLike<number>[])[0]![0]!;
}

type Region = readonly [continent: string, cycloneRegion: string];
const EUROPE: Region = ['europe', 'elsewhere'];
const USA: Region = ['north-america', 'usa-canada'];
const OCEANIA: Region = ['oceania', 'oceania'];
const LATIN: Region = ['central-and-south-america', 'caribbean-mexico'];
const SOUTH_EAST_ASIA: Region = ['asia', 'south-east-asia'];
const PACIFIC_ASIA: Region = ['asia', 'north-west-pacific'];

/** Towns near borders, on islands and overseas, with their country. */
const TOWNS: readonly (readonly [string, number, number, iso3: string, Region])[] = [
  ['El Paso', 31.79, -106.46, 'USA', USA],
  ['Ciudad Juarez', 31.69, -106.42, 'MEX', LATIN],
  ['San Diego', 32.72, -117.16, 'USA', USA],
  ['Tijuana', 32.51, -117.02, 'MEX', LATIN],
  ['Detroit', 42.35, -83.06, 'USA', USA],
  ['Windsor', 42.3, -83.0, 'CAN', USA],
  ['Copenhagen', 55.68, 12.57, 'DNK', EUROPE],
  ['Malmo', 55.6, 13.0, 'SWE', EUROPE],
  ['Singapore', 1.29, 103.85, 'SGP', SOUTH_EAST_ASIA],
  ['Johor Bahru', 1.49, 103.74, 'MYS', SOUTH_EAST_ASIA],
  ['Hong Kong', 22.28, 114.16, 'HKG', PACIFIC_ASIA],
  ['Shenzhen', 22.55, 114.06, 'CHN', ['asia', 'china']],
  ['Macao', 22.19, 113.54, 'MAC', PACIFIC_ASIA],
  ['Taipei', 25.03, 121.56, 'TWN', PACIFIC_ASIA],
  ['the south of Gibraltar', 36.125, -5.345, 'GIB', EUROPE],
  ['Algeciras', 36.13, -5.45, 'ESP', EUROPE],
  ['Ceuta', 35.89, -5.31, 'ESP', EUROPE],
  ['Tangier', 35.77, -5.8, 'MAR', ['africa', 'elsewhere']],
  ['Kaliningrad', 54.71, 20.51, 'RUS', EUROPE],
  ['Vladivostok', 43.12, 131.89, 'RUS', PACIFIC_ASIA],
  ['Novosibirsk', 55.03, 82.92, 'RUS', ['asia', 'elsewhere']],
  ['Las Palmas', 28.1, -15.42, 'ESP', EUROPE],
  ['Funchal', 32.65, -16.91, 'PRT', EUROPE],
  ['Honolulu', 21.31, -157.86, 'USA', USA],
  ['Anchorage', 61.22, -149.9, 'USA', USA],
  ['Hagatna', 13.47, 144.75, 'GUM', OCEANIA],
  ['Noumea', -22.28, 166.46, 'NCL', OCEANIA],
  ['Cayenne', 4.93, -52.33, 'FRA', LATIN],
  ['Pointe-a-Pitre', 16.24, -61.53, 'FRA', LATIN],
  ['Saint-Denis', -20.88, 55.45, 'FRA', ['africa', 'south-indian']],
  ['Mamoudzou', -12.78, 45.23, 'FRA', ['africa', 'south-indian']],
  ['Kralendijk', 12.15, -68.27, 'NLD', LATIN],
  ['Willemstad', 12.12, -68.93, 'CUW', LATIN],
  ['Longyearbyen', 78.22, 15.65, 'NOR', EUROPE],
  ['Nuuk', 64.18, -51.74, 'GRL', USA],
  ['Pristina', 42.66, 21.17, 'XKX', EUROPE],
  ['Male', 4.175, 73.51, 'MDV', ['asia', 'north-indian']],
  ['Funafuti', -8.52, 179.2, 'TUV', OCEANIA],
  ['Vaitape on Bora Bora', -16.51, -151.75, 'PYF', OCEANIA],
  ['Majuro', 7.09, 171.38, 'MHL', OCEANIA],
  ['Monaco', 43.74, 7.42, 'MCO', EUROPE],
];

test('towns near borders, on islands and overseas have their country, continent and cyclone region', async () => {
  for (const [name, lat, lng, iso3, [continent, region]] of TOWNS) {
    const code = await nearest('country', lat, lng);
    assert.equal(countryFacts(code)?.iso3, iso3, `${name}: ${code}`);
    assert.equal(continentOf(lat, lng, code), continent, name);
    assert.equal(cycloneRegionOf(lat, lng, code), region, name);
  }
  assert.equal(await nearest('country', 30, -40), 0, 'the Atlantic');
});

test('the facts about countries are those published', () => {
  assert.equal(new Set(COUNTRIES.map(({ iso3 }) => iso3)).size, COUNTRIES.length);
  // Scussolini et al. 2016: Netherlands 250 / 2000 / 10000 years, Germany 100 / 100 / 400.
  assert.deepEqual(countryFacts(528)!.riverYears, [250, 2000, 10_000]);
  assert.deepEqual(countryFacts(276)!.riverYears, [100, 100, 400]);
  assert.equal(countryFacts(566)!.riverGuessedShare, 1, 'Nigeria');
  assert.equal(countryFacts(608)!.cycloneRegion, 'philippines');
  assert.equal(countryFacts(Number.NaN), undefined);
});

/** Half-degree classes of places: data set of Rubel et al. 2017, in the alphabetical order of the class names. */
const ZONES: readonly (readonly [string, number, number, zone: number])[] = [
  ['Singapore', 1.35, 103.82, 1],
  ['Manaus', -3.12, -60.02, 1],
  ['Phoenix', 33.45, -112.07, 7],
  ['Cairo', 30.04, 31.24, 7],
  ['Madrid', 40.42, -3.7, 6],
  ['London', 51.51, -0.13, 10],
  ['Moscow', 55.76, 37.62, 19],
  ['Tokyo', 35.68, 139.69, 9],
  ['Delhi', 28.61, 77.21, 5],
  ['Nairobi', -1.29, 36.82, 10],
  ['Sydney', -33.87, 151.21, 9],
  ['Los Angeles', 34.05, -118.24, 13],
  ['Yakutsk', 62.03, 129.73, 21],
  ['Cape Town', -33.92, 18.42, 13],
  ['Denver', 39.74, -104.99, 6],
  ['Barrow', 71.29, -156.79, 31],
  ['Mumbai', 19.08, 72.88, 2],
  ['Athens', 37.98, 23.73, 12],
  ['Darwin', -12.46, 130.84, 4],
  ['Jakarta', -6.2, 106.85, 1],
];

test('places have their climate, and coasts and atolls have one too', async () => {
  for (const [name, lat, lng, zone] of ZONES)
    assert.equal(await nearest('climate-zone', lat, lng), zone, name);
  for (const [name, lat, lng] of TOWNS) assert.ok((await nearest('climate-zone', lat, lng)) > 0, name);
});

test('people live densely in cities, thinly in the country, and not in deserts', async () => {
  for (const [lat, lng] of [
    [48.86, 2.35], // Paris
    [19.08, 72.88], // Mumbai
    [40.71, -74], // New York
    [-1.29, 36.82], // Nairobi
    [1.35, 103.82], // Singapore
  ] as const)
    assert.ok((await nearest('population-density', lat, lng)) > 5_000, `${lat}, ${lng}`);
  for (const [lat, lng] of [
    [23, 5], // Sahara
    [-5, -66], // Amazon
    [37.5, -116.5], // Nevada
    [72, -40], // Greenland
  ] as const)
    assert.ok((await nearest('population-density', lat, lng)) <= 3, `${lat}, ${lng}`);
  const bihar = await nearest('population-density', 25.7, 85.6);
  assert.ok(bihar > 100 && bihar < 3_000, `${bihar} in rural Bihar, where the census of 2011 has 1,100`);
});
