import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fromArrayBuffer } from 'geotiff';
import type { CatalogueEntry } from '../../../scripts/derive/catalogue.ts';
import type { Assessment, LayerReading } from '../assessment.ts';
import { KM_PER_DEGREE } from '../../geo/earth.ts';
import { wildfireModel } from './wildfire.ts';

const LAYERS = join(import.meta.dirname, '../../../data/layers');
const { layers } = JSON.parse(readFileSync(join(LAYERS, 'catalogue.json'), 'utf8')) as {
  layers: CatalogueEntry[];
};
const ENTRIES = layers.filter(({ layer }) => layer.startsWith('fire-climate'));
const ASSESSOR = wildfireModel.prepare(ENTRIES);

/** Band of a shipped layer of the globe, row by row from its north-western cell. */
interface Band {
  readonly values: ArrayLike<number>;
  readonly width: number;
  readonly height: number;
  readonly north: number;
  readonly step: number;
}
async function readBand(file: string, band: number): Promise<Band> {
  const tiff = await fromArrayBuffer(Uint8Array.from(readFileSync(join(LAYERS, file))).buffer);
  const image = await tiff.getImage();
  const [raster] = (await image.readRasters({ samples: [band] })) as unknown as [ArrayLike<number>];
  const width = image.getWidth();
  return {
    values: raster,
    width,
    height: image.getHeight(),
    north: image.getOrigin()[1]!,
    step: 360 / width,
  };
}

const bands: Band[] = [];

/** Reads the layers once. */
async function load(): Promise<void> {
  if (bands.length === 0)
    bands.push(...(await Promise.all(ENTRIES.map(({ file, band }) => readBand(file, band)))));
}

/** Bilinear value of one shipped layer. */
function read(entry: number, lat: number, lng: number): LayerReading {
  const { values, width, height, north, step } = bands[entry]!;
  const { nodata, scale } = ENTRIES[entry]!;
  const y = (north - lat) / step - 0.5;
  const x = (lng + 180) / step - 0.5;
  let [sum, weights] = [0, 0];
  for (const row of [Math.floor(y), Math.floor(y) + 1])
    for (const col of [Math.floor(x), Math.floor(x) + 1]) {
      const value =
        values[Math.min(height - 1, Math.max(0, row)) * width + (((col % width) + width) % width)]!;
      if (value === nodata) continue;
      const weight = (1 - Math.abs(y - row)) * (1 - Math.abs(x - col));
      sum += weight * value;
      weights += weight;
    }
  return weights > 0 ? { ok: true, value: (sum / weights) * scale } : { ok: false, reason: 'nodata' };
}

const assess = (lat: number, lng: number): Assessment =>
  ASSESSOR.assess(
    ENTRIES.map((_, i) => read(i, lat, lng)),
    lat,
    lng,
  );

/** Places where wildfires destroyed many buildings since 2003, from press and inquiry. */
const BURNED: readonly (readonly [string, number, number])[] = [
  ['Paradise, California', 39.76, -121.62],
  ['Santa Rosa, California', 38.44, -122.71],
  ['Malibu, California', 34.03, -118.7],
  ['Redding, California', 40.59, -122.39],
  ['Mati, Greece', 38.04, 23.99],
  ['Zacharo, Greece', 37.49, 21.65],
  ['Limni, Evia, Greece', 38.77, 23.32],
  ['Pedrogao Grande, Portugal', 39.92, -8.15],
  ['Monchique, Portugal', 37.32, -8.56],
  ['Kinglake, Victoria', -37.53, 145.35],
  ['Mallacoota, Victoria', -37.56, 149.76],
  ['Blue Mountains, New South Wales', -33.71, 150.31],
  ['Vina del Mar, Chile', -33.03, -71.55],
  ['Santa Olga, Chile', -35.45, -72.3],
  ['Manavgat, Turkey', 36.79, 31.44],
  ['Bejaia, Algeria', 36.75, 5.06],
  ['Fort McMurray, Canada', 56.73, -111.38],
];

/** Places without much to burn, too wet to burn, or built up. */
const QUIET: readonly (readonly [string, number, number])[] = [
  ['London', 51.51, -0.13],
  ['Dublin', 53.35, -6.26],
  ['Hamburg', 53.55, 10],
  ['Oslo', 59.91, 10.75],
  ['Helsinki', 60.17, 24.94],
  ['Reykjavik', 64.13, -21.9],
  ['Cairo', 30.04, 31.24],
  ['Riyadh', 24.7, 46.7],
  ['Dubai', 25.2, 55.3],
  ['the Sahara', 24, 5],
  ['the ice of Greenland', 72, -40],
  ['Lima', -12.05, -77.04],
  ['Singapore', 1.35, 103.82],
  ['the interior of Amazonas', -3, -65],
  ['Manaus', -3.1, -60],
  ['Jakarta', -6.2, 106.85],
  ['Tokyo', 35.68, 139.7],
  ['New York', 40.71, -74],
  ['Shanghai', 31.2, 121.5],
];

test('places that burned score above savanna towns, and these above or like cities, deserts and rain forest', async () => {
  await load();
  const scores = (places: typeof BURNED): number[] =>
    places.map(([, lat, lng]) => assess(lat, lng).riskScore);
  const burned = scores(BURNED);
  const quiet = scores(QUIET);
  for (const [i, score] of burned.entries()) assert.ok(score > 0.1, `${BURNED[i]![0]}: ${score}`);
  for (const [i, score] of quiet.entries()) assert.ok(score < 0.1, `${QUIET[i]![0]}: ${score}`);
  for (const [name, lat, lng] of [
    ['Kano', 12, 8.52],
    ['Bangui', 4.37, 18.56],
    ['Bobo-Dioulasso', 11.18, -4.3],
    ['Lusaka', -15.42, 28.28],
  ] as const)
    assert.ok(assess(lat, lng).riskScore < Math.min(...burned), name);
});

test('every place of the mapped land has an answer with a positive confidence', async () => {
  await load();
  for (const [lat, lng] of [
    [-54.8, -68.3], // Ushuaia
    [78.2, 15.6], // Longyearbyen
    [-17.7, 178.1], // Fiji
    [65.6, -171], // Chukotka beyond 180 E
    [37.7, -25.7], // Azores
    [-21.1, 55.5], // Reunion
    [4.2, 73.5], // Maldives
    [42.66, 21.16], // Kosovo
  ] as const) {
    const { confidence } = assess(lat, lng);
    assert.ok(confidence > 0 && confidence <= 1, `${lat}, ${lng}: ${confidence}`);
  }
});

test('no two points 2 km apart on random transects of 2,000 km differ by more than 0.2', async () => {
  await load();
  let state = 17;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (let transect = 0; transect < 10;) {
    let lat = -50 + 115 * uniform();
    let lng = -180 + 360 * uniform();
    if (!read(0, lat, lng).ok) continue;
    transect++;
    const bearing = 2 * Math.PI * uniform();
    let last = assess(lat, lng);
    for (let km = 2; km <= 2000; km += 2) {
      const cosine = Math.cos((lat * Math.PI) / 180);
      lat = Math.min(84, Math.max(-59, lat + (2 * Math.cos(bearing)) / KM_PER_DEGREE));
      lng += (2 * Math.sin(bearing)) / KM_PER_DEGREE / Math.max(0.1, cosine);
      const here = assess(lat, ((lng + 540) % 360) - 180);
      // Confidence 0 is the prior beyond the edge of the layers, on the open sea.
      if (here.confidence > 0 && last.confidence > 0)
        assert.ok(Math.abs(here.riskScore - last.riskScore) <= 0.2, `${lat}, ${lng}`);
      last = here;
    }
  }
});
