// Long file: one list of known places, layer by layer.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fromFile, type GeoTIFF, type GeoTIFFImage } from 'geotiff';
import type { CatalogueEntry } from '../../scripts/derive/catalogue.ts';
import type { Explanation, LayerReading, Peril } from './assessment.ts';
import { RISK_MODELS } from './models.ts';

const LAYERS = join(import.meta.dirname, '../../data/layers');
const { layers } = JSON.parse(readFileSync(join(LAYERS, 'catalogue.json'), 'utf8')) as {
  layers: CatalogueEntry[];
};
const files = new Map<string, Promise<{ tiff: GeoTIFF; image: GeoTIFFImage }>>();

after(async () => {
  for (const file of files.values()) await (await file).tiff.close();
});

function open(file: string): Promise<{ tiff: GeoTIFF; image: GeoTIFFImage }> {
  const known = files.get(file);
  if (known) return known;
  const opened = fromFile(join(LAYERS, file)).then(async (tiff) => {
    tiff.cache = true; // a block is decoded once for all places in it
    return { tiff, image: await tiff.getImage() };
  });
  files.set(file, opened);
  return opened;
}

/** Value of one catalogue entry, interpolated as the entry says, read directly from the shipped GeoTIFF. */
async function read(entry: CatalogueEntry, lat: number, lng: number): Promise<LayerReading> {
  const { image } = await open(entry.file);
  const [west, north] = image.getOrigin() as [number, number];
  const [dx, dy] = image.getResolution() as [number, number];
  const width = image.getWidth();
  const height = image.getHeight();
  const x = (lng - west) / dx - 0.5;
  const y = (lat - north) / dy - 0.5;
  const global = Math.abs(width * dx - 360) < 1e-6;
  if (y < -0.5 || y > height - 0.5 || (!global && (x < -0.5 || x > width - 0.5)))
    return { ok: false, reason: 'outside' };
  let sum = 0;
  let weights = 0;
  for (const row of [Math.floor(y), Math.floor(y) + 1]) {
    for (const col of [Math.floor(x), Math.floor(x) + 1]) {
      const r = Math.min(height - 1, Math.max(0, row));
      const c = global ? (col + width) % width : Math.min(width - 1, Math.max(0, col));
      const raster = await image.readRasters({ window: [c, r, c + 1, r + 1], samples: [entry.band] });
      const raw = (raster as unknown as readonly ArrayLike<number>[])[0]![0]!;
      const isNearest = row === Math.round(y) && col === Math.round(x);
      const weight =
        entry.interpolation === 'nearest'
          ? Number(isNearest)
          : (1 - Math.abs(y - row)) * (1 - Math.abs(x - col));
      if (raw === entry.nodata || weight <= 0) continue;
      sum += weight * raw;
      weights += weight;
    }
  }
  return weights > 0
    ? { ok: true, value: (sum / weights) * entry.scale + entry.offset }
    : { ok: false, reason: 'nodata' };
}

async function valueOf(layer: string, lat: number, lng: number): Promise<number> {
  const reading = await read(
    layers.find((entry) => entry.layer === layer)!,
    lat,
    lng,
  );
  return reading.ok ? reading.value : Number.NaN;
}

async function explain(peril: Peril, lat: number, lng: number): Promise<Explanation> {
  const model = RISK_MODELS[peril];
  const cards = layers.filter((entry) => model.layers.includes(entry.layer));
  const given: LayerReading[] = [];
  for (const entry of cards) given.push(await read(entry, lat, lng));
  return model.prepare(cards).explain(given, lat, lng);
}

async function score(peril: Peril, lat: number, lng: number): Promise<number> {
  return (await explain(peril, lat, lng)).riskScore;
}

/** Shipped layers from which other layers are derived, or that weigh places. */
const WITHOUT_MODEL = new Set(['climate-zone', 'population-density']);

test('the shipped layers are small, completely catalogued, and each is used by a model', () => {
  const shipped = [...new Set(layers.map((entry) => entry.file))];
  const bytes = shipped.reduce((sum, file) => sum + statSync(join(LAYERS, file)).size, 0);
  assert.ok(bytes < 12e6, `${bytes} bytes`);
  const keys = layers.map((entry) => `${entry.layer} ${entry.returnPeriodYears}`);
  assert.equal(new Set(keys).size, keys.length);
  const asked = new Set(Object.values(RISK_MODELS).flatMap((model) => model.layers));
  for (const { layer } of layers) assert.ok(asked.has(layer) || WITHOUT_MODEL.has(layer), layer);
  for (const layer of WITHOUT_MODEL) assert.ok(!asked.has(layer), `${layer} is used by a model now`);
});

test('the coast layer follows Natural Earth: port cities lie at the shore, inland cities and the open sea do not', async () => {
  for (const [lat, lng] of [
    [25.77, -80.19], // Miami
    [18.47, -66.11], // San Juan
    [44.65, -63.57], // Halifax
    [19.17, -96.13], // Veracruz
    [45.44, 12.33], // Venice
    [4.175, 73.51], // Malé
  ] as const)
    assert.ok(Math.abs(await valueOf('coast-distance', lat, lng)) < 3.5, `${lat}, ${lng}`);
  assert.ok((await valueOf('coast-distance', 52.37, 4.9)) > 10, 'Amsterdam');
  assert.ok((await valueOf('coast-distance', 29.95, -90.07)) > 5, 'New Orleans');
  assert.equal(await valueOf('coast-distance', 39.74, -104.99), 80, 'Denver');
  assert.equal(await valueOf('coast-distance', 30, -40), -80, 'the Atlantic');
  assert.ok((await valueOf('coast-distance', -16.8, 179.99)) > -15, 'Fiji from the west');
  assert.ok((await valueOf('coast-distance', -16.8, -179.99)) > -15, 'Fiji from the east');
  assert.ok((await valueOf('water-distance', 43.5, -87)) < -20, 'Lake Michigan');
});

test('elevations of known places are right within the error of 9 km cells', async () => {
  for (const [lat, lng, metres, error] of [
    [39.74, -104.99, 1609, 150], // Denver
    [40.42, -3.7, 650, 100], // Madrid
    [19.43, -99.13, 2240, 150], // Mexico City
    [52.37, 4.9, -2, 4], // Amsterdam
    [27.99, 86.93, 8849, 3000], // Everest: the mean of a cell is far below the peak
  ] as const) {
    const found = await valueOf('elevation', lat, lng);
    assert.ok(Math.abs(found - metres) <= error, `${found} m, expected ${metres}`);
  }
  assert.ok((await valueOf('coast-distance', 0, 0)) < -50, 'there is no land at 0, 0');
  assert.ok(Number.isNaN(await valueOf('elevation', 30, -40)), 'the sea has no land elevation');
});

test('atolls that the coast layer lacks are unmapped land, not water where nobody builds', async () => {
  for (const [name, lat, lng] of [
    ['Ukulhas', 4.215, 72.864],
    ['Tikehau', -14.97, -147.65],
    ['Palmerston', -18.05, -163.19],
  ] as const) {
    for (const peril of ['flood', 'storm', 'wildfire'] as const) {
      const { confidence, reasons } = await explain(peril, lat, lng);
      assert.equal(confidence, 0, `${peril} in ${name}`);
      assert.equal(reasons[0]!.code, 'unmapped', `${peril} in ${name}`);
      assert.match(reasons[0]!.message, /no land is mapped here/);
    }
  }
  for (const [name, lat, lng] of [
    ['Male', 4.175, 73.51],
    ['Funafuti', -8.52, 179.2],
    ['Bora Bora', -16.51, -151.75],
  ] as const)
    assert.ok((await explain('flood', lat, lng)).confidence > 0, name);
});

test('flood ranks Amsterdam, New Orleans and Miami above Denver, Madrid and Mexico City', async () => {
  const wet = await Promise.all([
    score('flood', 52.37, 4.9),
    score('flood', 29.95, -90.07),
    score('flood', 25.77, -80.19),
  ]);
  const dry = await Promise.all([
    score('flood', 39.74, -104.99),
    score('flood', 40.42, -3.7),
    score('flood', 19.43, -99.13),
  ]);
  assert.ok(Math.min(...wet) > Math.max(...dry), `${wet.join()} over ${dry.join()}`);
});

test('flood ranks delta cities above hill towns', async () => {
  const deltas = [
    [45.44, 12.33], // Venice
    [13.75, 100.5], // Bangkok
    [10.78, 106.7], // Ho Chi Minh City
    [31.23, 121.47], // Shanghai
    [22.57, 88.36], // Kolkata
    [51.92, 4.48], // Rotterdam
    [31.2, 29.92], // Alexandria
    [23.81, 90.41], // Dhaka
  ] as const;
  const hills = [
    [29.65, 91.13], // Lhasa
    [-1.29, 36.82], // Nairobi
    [47.37, 8.54], // Zurich
    [-16.5, -68.15], // La Paz
    [9.03, 38.74], // Addis Ababa
    [46.95, 7.45], // Bern
    [-26.2, 28.05], // Johannesburg
  ] as const;
  const low = await Promise.all(deltas.map(([lat, lng]) => score('flood', lat, lng)));
  const high = await Promise.all(hills.map(([lat, lng]) => score('flood', lat, lng)));
  assert.ok(Math.min(...low) > Math.max(...high), `${low.join()} over ${high.join()}`);
});

test('sea levels follow tides, surges and cyclones of each coast', async () => {
  const levelAt = async (years: number, lat: number, lng: number): Promise<number> => {
    const entry = layers.find((one) => one.layer === 'coast-level' && one.returnPeriodYears === years)!;
    const reading = await read(entry, lat, lng);
    return reading.ok ? reading.value : Number.NaN;
  };
  // Venice is none of the gauges: 1.94 m over the mean sea of 1897 in 1966 is the highest on record since 1872, and in
  // most decades 1.3 m is passed (Lionello et al. 2021, doi:10.5194/nhess-21-2705-2021).
  const venice = [await levelAt(10, 45.44, 12.33), await levelAt(100, 45.44, 12.33)];
  assert.ok(venice[0]! > 1.1 && venice[0]! < 1.6 && venice[1]! > 1.4 && venice[1]! < 2, venice.join());
  for (const [name, lat, lng, least, most] of [
    ['Bristol Channel, among the greatest tides on Earth', 51.5, -2.8, 6.5, 9],
    ['Bay of Fundy, the greatest; no station at its head', 45.3, -64.4, 5, 11],
    ['Stockholm, without tides', 59.33, 18.07, 0.7, 1.5],
    ['Alexandria, hardly any', 31.2, 29.9, 0.4, 1.4],
    ['Honolulu, an island without a shelf', 21.3, -157.87, 0.4, 1.3],
    ['Darwin', -12.46, 130.84, 3, 5.5],
  ] as const) {
    const level = await levelAt(100, lat, lng);
    assert.ok(level >= least && level <= most, `${name}: ${level}`);
  }
  const [tampa, miami] = [await levelAt(100, 27.95, -82.46), await levelAt(100, 25.77, -80.19)];
  assert.ok(tampa > miami + 0.5, `a wide shelf, Tampa ${tampa}, over a steep one, Miami ${miami}`);
  assert.ok((await levelAt(500, 22.2, 91.8)) > 5, 'Chittagong: 6 m in 1991');
  assert.ok(Number.isNaN(await levelAt(100, 48.2, 16.4)), 'Vienna has no coast');
});

test('towns of polders and deltas stand lower than their coasts let expect, those of cliffs higher', async () => {
  for (const [name, lat, lng] of [
    ['Rotterdam', 51.92, 4.48],
    ['New Orleans', 29.95, -90.07],
    ['Guangzhou', 23.13, 113.26],
  ] as const)
    assert.ok((await valueOf('settled-height', lat, lng)) < -0.3, name);
  for (const [name, lat, lng] of [
    ['Algiers', 36.75, 3.04],
    ['Sydney', -33.87, 151.2],
    ['Barcelona', 41.4, 2.15],
  ] as const)
    assert.ok((await valueOf('settled-height', lat, lng)) > 0.3, name);
  assert.equal(await valueOf('settled-height', 30, -40), 0, 'no town in the Atlantic');
});

test('storm ranks Miami, New Orleans and San Juan above Halifax above Denver', async () => {
  const tropical = await Promise.all([
    score('storm', 25.77, -80.19),
    score('storm', 29.95, -90.07),
    score('storm', 18.47, -66.11),
  ]);
  const halifax = await score('storm', 44.65, -63.57);
  const denver = await score('storm', 39.74, -104.99);
  assert.ok(
    Math.min(...tropical) > halifax && halifax > denver,
    `${tropical.join()} over ${halifax} over ${denver}`,
  );
});

test('storm ranks cyclone coasts of all basins above places that none reach, none of them with confidence 0', async () => {
  const coasts = [
    [14.6, 120.98], // Manila
    [25.03, 121.57], // Taipei
    [26.21, 127.68], // Naha
    [22.36, 91.78], // Chittagong
    [-17.73, 168.32], // Port Vila
    [-20.16, 57.5], // Port Louis
    [-18.15, 49.4], // Toamasina
    [16.85, -99.9], // Acapulco
    [25.77, -80.19], // Miami
    [-20.31, 118.58], // Port Hedland
  ] as const;
  const others = [
    [48.86, 2.35], // Paris
    [52.52, 13.4], // Berlin
    [51.51, -0.13], // London
    [-1.29, 36.82], // Nairobi
    [-12.05, -77.04], // Lima
    [1.35, 103.82], // Singapore: one storm on record
    [-4.3, 15.3], // Kinshasa
    [30.05, 31.24], // Cairo
    [-33.45, -70.67], // Santiago
    [55.75, 37.6], // Moscow
  ] as const;
  const [high, low] = await Promise.all(
    [coasts, others].map((places) => Promise.all(places.map(([lat, lng]) => explain('storm', lat, lng)))),
  );
  const lowest = Math.min(...high!.map(({ riskScore }) => riskScore));
  const highest = Math.max(...low!.map(({ riskScore }) => riskScore));
  assert.ok(lowest > highest + 0.1, `${lowest} over ${highest}`);
  for (const { confidence, reasons } of [...high!, ...low!]) {
    assert.ok(confidence > 0);
    assert.ok(reasons.every(({ code }) => code !== 'outside'));
  }
});

test('the cyclone layer keeps hot spots, and has no cyclones where none go', async () => {
  const windAt = async (years: number, lat: number, lng: number): Promise<number> => {
    const entry = layers.find((one) => one.layer === 'cyclone-wind' && one.returnPeriodYears === years)!;
    const reading = await read(entry, lat, lng);
    return reading.ok ? reading.value : Number.NaN;
  };
  // Storms with gales over the place: at least those with gales within 100 km of it are counted
  // (the count of the Naha and Port Vila tracks in IBTrACS: 52 and 22).
  assert.ok((await valueOf('cyclone-count', 26.21, 127.68)) > 52, 'Naha');
  assert.ok((await valueOf('cyclone-count', -17.73, 168.32)) > 22, 'Port Vila');
  assert.ok((await windAt(10, 26.21, 127.68)) > 45, 'Naha: 15 storms of 96 kn within 100 km in 45 years');
  assert.ok((await windAt(10, -17.73, 168.32)) > 38, 'Port Vila: 7 storms of 96 kn');
  for (const [lat, lng] of [
    [-1.29, 36.82], // Nairobi
    [-12.05, -77.04], // Lima
    [51.51, -0.13], // London
    [0, 140], // on the equator
    [0, -30],
    [-30, 0], // South Atlantic, off the three tracks on record
  ] as const)
    assert.equal(await windAt(250, lat, lng), 0, `${lat}, ${lng}`);
  const [singapore, manila] = [await windAt(250, 1.35, 103.82), await windAt(250, 14.6, 120.98)];
  assert.ok(singapore < 0.6 * manila && (await windAt(25, 1.35, 103.82)) === 0, `${singapore}, ${manila}`);
});

test('storm puts the windy Irish coast above the calm inland (Haslett & Raftery 1989, station means)', async () => {
  const coast = await Promise.all([
    score('storm', 55.37, -7.34), // Malin Head, mean wind 8.0 m/s
    score('storm', 54.23, -10), // Belmullet, 6.8 m/s
    score('storm', 51.8, -8.25), // Roche's Point, 6.4 m/s
  ]);
  const inland = await Promise.all([
    score('storm', 52.67, -7.27), // Kilkenny, 3.3 m/s
    score('storm', 53.09, -7.89), // Birr, 3.7 m/s
  ]);
  assert.ok(Math.min(...coast) > Math.max(...inland), `${coast.join()} over ${inland.join()}`);
});

test('confidence from the coarse shipped layers is never high', async () => {
  for (const [lat, lng] of [
    [52.37, 4.9],
    [25.77, -80.19],
    [39.74, -104.99],
    [47.37, 8.54],
  ] as const) {
    for (const peril of ['flood', 'storm'] as const) {
      const { confidence } = await explain(peril, lat, lng);
      assert.ok(confidence < 0.8, `${peril} at ${lat}, ${lng}: ${confidence}`);
    }
  }
});
