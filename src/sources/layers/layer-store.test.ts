// Long file: all tests open a LayerStore on the same small fixture, for sampling and for its lifecycle.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { LayerSnapshot } from '../../app/risk/layer-reader.ts';
import { LayerStore } from './layer-store.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import type { TiffFixture } from '../../../test/fixtures/tiff-fixture.ts';

const ENTRY = {
  layer: 'height',
  version: 'v1',
  file: 'height.tif',
  band: 0,
  scale: 1,
  offset: 0,
  nodata: null,
  unit: 'm',
  returnPeriodYears: null,
  interpolation: 'bilinear',
  resolutionM: 1000,
  date: '2020-01-01',
  licence: 'public domain',
  source: 'made for this test',
};

interface Bench {
  readonly folder: string;
  readonly catalogue: string;
  readonly served: string;
  readonly put: (fixture: TiffFixture, entries?: readonly object[]) => void;
  readonly open: () => Promise<LayerStore>;
}

function bench(t: TestContext): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-layers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const catalogue = join(folder, 'catalogue.json');
  const served = join(folder, 'served');
  return {
    folder,
    catalogue,
    served,
    put: (fixture, entries = [ENTRY]) => {
      writeFileSync(join(folder, 'height.tif'), tiffFixture(fixture));
      writeFileSync(catalogue, JSON.stringify({ layers: entries }));
    },
    open: async () => {
      const store = await LayerStore.open({ catalogues: [catalogue], folder: served });
      t.after(() => store.close());
      return store;
    },
  };
}

async function at(
  snapshot: LayerSnapshot,
  points: readonly (readonly [number, number])[],
): Promise<unknown[]> {
  const [card] = snapshot.cards('height');
  const lngs = Float64Array.from(points, ([lng]) => lng);
  const lats = Float64Array.from(points, ([, lat]) => lat);
  const samples = await snapshot.sample(card!, lngs, lats);
  return samples.map((sample) => (sample.ok ? sample.value : sample.reason));
}

/**
 * 4 x 3 pixels of one degree, the north-west corner at 10 E, 50 N. The value of a pixel is 10 times its column plus
 * 100 times its row.
 */
const SMALL: TiffFixture = {
  width: 4,
  height: 3,
  bands: [[0, 10, 20, 30, 100, 110, 120, 130, 200, 210, 220, 230]],
  origin: [10, 50],
};

test('bilinear: exact at pixel centres, linear between them, constant in the outer half pixel, outside beyond the edge', async (t) => {
  const { put, open } = bench(t);
  put(SMALL);
  const snapshot = (await open()).snapshot('production');
  assert.deepEqual(
    await at(snapshot, [
      [10.5, 49.5],
      [12.5, 48.5],
      [11, 49.5],
      [11.25, 48.75],
      [10, 50],
      [14, 47],
      [9.99, 49],
      [14.01, 49],
      [12, 50.01],
      [12, 46.99],
      [-170, 49],
    ]),
    // 11.25 is 0.75 of the way from column 0 to column 1, 48.75 is 0.75 of the way from row 0 to row 1: 7.5 + 75.
    [0, 120, 5, 82.5, 0, 230, 'outside', 'outside', 'outside', 'outside', 'outside'],
  );
});

test('nearest takes the pixel that contains the point; scale and offset are applied', async (t) => {
  const { put, open } = bench(t);
  put(SMALL, [{ ...ENTRY, interpolation: 'nearest', scale: 0.5, offset: -1 }]);
  const snapshot = (await open()).snapshot('production');
  assert.deepEqual(
    await at(snapshot, [
      [10.99, 49.01],
      [11.01, 48.99],
      [14, 47],
    ]),
    [-1, 54, 114],
  );
});

test('nodata is never averaged in, whether the file or the catalogue declares it', async (t) => {
  const { put, open } = bench(t);
  const bands = [[0, -9, 20, 30, 100, 110, 120, 130, 200, 210, 220, 230]];
  const points = [
    [11.5, 49.5],
    [12, 49.5],
    [10.6, 49.5],
  ] as const;
  // At 12 E, 49.5 N half of the weight is on a nodata pixel: only the other half is used.
  const want = ['nodata', 20, 0];
  put({ ...SMALL, bands, nodata: '-9' });
  assert.deepEqual(await at((await open()).snapshot('production'), points), want);
  put({ ...SMALL, bands }, [{ ...ENTRY, version: 'v2', nodata: -9 }]);
  assert.deepEqual(await at((await open()).snapshot('production'), points), want);
  const floats = [0, Number.NaN, 20, 30, 100, 110, 120, 130, 200, 210, 220, 230];
  put({ ...SMALL, kind: 'float32', bands: [floats] }, [{ ...ENTRY, version: 'v3' }]);
  const [hole, ...rest] = await at((await open()).snapshot('production'), [
    points[0],
    points[1],
    [10.999, 48.999],
  ]);
  assert.equal(hole, 'nodata');
  assert.equal(rest[0], 20);
  // The point is just inside the pixel of value 100. The weights are products of .499 and .501; the weight of the
  // nodata pixel is left out.
  const [of0, of100, of110] = [0.501 * 0.499, 0.501 * 0.501, 0.499 * 0.501];
  const mean = (100 * of100 + 110 * of110) / (of0 + of100 + of110);
  assert.ok(Math.abs((rest[1] as number) - mean) < 1e-9);
});

test('a global grid wraps at the antimeridian and ends at the poles', async (t) => {
  const { put, open } = bench(t);
  // 8 columns of 45 degrees, 4 rows of 45 degrees; the value is the column.
  const bands = [Array.from({ length: 32 }, (_, i) => i % 8)];
  put({ width: 8, height: 4, bands, origin: [-180, 90], pixel: [45, 45] });
  const snapshot = (await open()).snapshot('production');
  const meridian = (0 + 7) / 2;
  assert.deepEqual(
    await at(snapshot, [
      [-180, 0],
      [180, 0],
      [-157.5, 0],
      [157.5, 0],
      [168.75, 0],
      [-168.75, 10],
      [0, 90],
      [0, -90],
      [22.5, 90],
    ]),
    [meridian, meridian, 0, 7, 7 * 0.75, 7 * 0.25, 3.5, 3.5, 4],
  );
});

test('grids that cross the antimeridian, run from 0 to 360 or are node-registered are sampled from both sides', async (t) => {
  const { put, open } = bench(t);
  put({ width: 4, height: 1, bands: [[1, 2, 3, 4]], origin: [178, 1], pixel: [1, 1] });
  assert.deepEqual(
    await at((await open()).snapshot('production'), [
      [178.5, 0.5],
      [180, 0.5],
      [-180, 0.5],
      [-178.5, 0.5],
      [-177.9, 0.5],
      [177.9, 0.5],
    ]),
    [1, 2.5, 2.5, 4, 'outside', 'outside'],
  );
  const columns = [Array.from({ length: 8 }, (_, i) => i)];
  put({ width: 8, height: 1, bands: columns, origin: [0, 22.5], pixel: [45, 45] }, [
    { ...ENTRY, version: 'v2' },
  ]);
  assert.deepEqual(
    await at((await open()).snapshot('production'), [
      [22.5, 0],
      [-22.5, 0],
      [0, 0],
      [180, 0],
    ]),
    [0, 7, 3.5, 3.5],
  );
  // Nodes at -180, -90, 0, 90 and 180 have the values 0, 1, 2, 3 and 0.
  const nodes = {
    width: 5,
    height: 1,
    bands: [[0, 1, 2, 3, 0]],
    origin: [-225, 45],
    pixel: [90, 90],
  } as const;
  put(nodes, [{ ...ENTRY, version: 'v3' }]);
  assert.deepEqual(
    await at((await open()).snapshot('production'), [
      [-180, 0],
      [180, 0],
      [135, 0],
      [0, 0],
    ]),
    [0, 0, 1.5, 2],
  );
});

test('a projected bottom-up grid is sampled at the right pixels', async (t) => {
  const { put, open } = bench(t);
  // UTM zone 33 has its central meridian, 15 E, at x = 500000 m; the equator is at y = 0 m.
  put({
    width: 2,
    height: 2,
    bands: [[1, 2, 3, 4]],
    origin: [499_000, -1000],
    pixel: [1000, -1000],
    keys: { 1024: 1, 1025: 1, 3072: 32633 },
  });
  const samples = await at((await open()).snapshot('production'), [
    [15, 0],
    [14.995, -0.004],
    [15, 0.1],
  ]);
  assert.ok(Math.abs((samples[0] as number) - 2.5) < 1e-6);
  assert.ok(Math.abs((samples[1] as number) - 1) < 0.2);
  assert.equal(samples[2], 'outside');
});

test('large grids of any layout give each pixel its own value', async (t) => {
  const { put, open } = bench(t);
  const [width, height] = [700, 300];
  const values = Array.from({ length: width * height }, (_, i) => (i * 7919) % 30011);
  const points: [number, number][] = [];
  const want: number[] = [];
  for (let i = 0; i < 2000; i++) {
    const pixel = (i * 104_729) % (width * height);
    points.push([(pixel % width) * 0.1 + 0.05, 30 - Math.floor(pixel / width) * 0.1 - 0.05]);
    want.push(values[pixel]!);
  }
  const shape = { width, height, origin: [0, 30], pixel: [0.1, 0.1], deflate: true } as const;
  const layouts: readonly TiffFixture[] = [
    { ...shape, bands: [values], tile: 128, differenced: true },
    { ...shape, bands: [values], rowsPerStrip: 37 },
    { ...shape, bands: [values.map(() => 0), values], interleaved: true, tile: 160 },
    { ...shape, bands: [values.map(() => 0), values], bigEndian: true, rowsPerStrip: 300 },
  ];
  for (const [i, layout] of layouts.entries()) {
    const entry = { ...ENTRY, version: `v${i}`, band: layout.bands.length - 1, interpolation: 'nearest' };
    put(layout, [entry]);
    assert.deepEqual(await at((await open()).snapshot('production'), points), want, `layout ${i}`);
  }
});

test('a snapshot keeps its versions when the catalogue changes, and a later snapshot has the new ones', async (t) => {
  const { put, open, served } = bench(t);
  put(SMALL);
  const store = await open();
  const before = store.snapshot('production');
  put({ ...SMALL, bands: [SMALL.bands[0]!.map((value) => value + 1000)] }, [{ ...ENTRY, version: 'v2' }]);
  await store.reload();
  const after = store.snapshot('production');
  assert.deepEqual(await at(before, [[12.5, 48.5]]), [120]);
  assert.deepEqual(await at(after, [[12.5, 48.5]]), [1120]);
  assert.equal(before.cards('height')[0]?.version, 'v1');
  assert.equal(after.cards('height')[0]?.version, 'v2');
  assert.deepEqual(after.cards('unknown'), []);
  assert.throws(
    () => after.sample(before.cards('height')[0]!, new Float64Array(1), new Float64Array(1)),
    RangeError,
  );
  assert.deepEqual(readdirSync(join(served, 'height')).sort(), ['v1', 'v2']);
});

test('the serving form is made once, and again when it is truncated or its source has changed', async (t) => {
  const { put, open, served } = bench(t);
  put(SMALL);
  (await open()).close();
  const path = join(served, 'height', 'v1', 'band.gwl');
  const made = statSync(path).ino;
  (await open()).close();
  assert.equal(statSync(path).ino, made);
  truncateSync(path, 5000);
  assert.deepEqual(await at((await open()).snapshot('production'), [[12.5, 48.5]]), [120]);
  put({ ...SMALL, bands: [SMALL.bands[0]!.map((value) => value + 1)], tile: 16 });
  assert.deepEqual(await at((await open()).snapshot('production'), [[12.5, 48.5]]), [121]);
  assert.deepEqual(readdirSync(join(served, 'height', 'v1')), ['band.gwl']);
});

for (const { how, differenced, nodata, isPacked } of [
  { how: 'deflated tiles', differenced: true, nodata: '12', isPacked: true },
  { how: 'tiles without a predictor', differenced: false, nodata: undefined, isPacked: true },
  { how: 'strips, which need the serving form,', differenced: false, nodata: undefined, isPacked: false },
])
  test(`a hurried start serves ${how} with the same values as after settling`, async (t) => {
    const { put, catalogue, served } = bench(t);
    const [width, height] = [300, 260];
    const values = Array.from({ length: width * height }, (_, i) => ((i * 37) % 61) - 30);
    put(
      {
        width,
        height,
        bands: [values.map((value) => -value), values],
        origin: [0, 52],
        pixel: [0.1, 0.1],
        deflate: true,
        differenced,
        ...(nodata !== undefined && { nodata }),
        ...(isPacked && { tile: 256 }),
      },
      [{ ...ENTRY, band: 1 }],
    );
    const store = await LayerStore.open({ catalogues: [catalogue], folder: served, isHurried: true });
    t.after(() => store.close());
    const points = Array.from({ length: 400 }, (_, i): [number, number] => [
      (i * 7.3) % 30.5,
      52 - ((i * 3.7) % 26.4),
    ]);
    const before = store.snapshot('production');
    const hurried = await at(before, points);
    assert.equal(hurried.filter((value) => typeof value === 'number').length > 300, true);
    assert.equal(hurried.includes('nodata'), nodata !== undefined);
    await store.reload();
    assert.equal(store.snapshot('production'), before, 'the same while nothing has changed');
    const isThere = (): boolean => existsSync(join(served, 'height', 'v1', 'band.gwl'));
    assert.equal(isThere(), !isPacked);

    await store.settle();
    assert.equal(isThere(), true);
    const after = store.snapshot('production');
    assert.equal(after === before, !isPacked);
    assert.deepEqual(await at(after, points), hurried);
    assert.deepEqual(await at(before, points), hurried, 'who began before goes on');
    assert.equal(after.state(['height']), before.state(['height']), 'nothing is scored again');
  });

test('a disk without room for band files serves the same samples', async (t) => {
  const { put, open, catalogue, served } = bench(t);
  const values = Array.from({ length: 300 * 260 }, (_, i) => ((i * 37) % 61) - 30);
  const pixel = [0.1, 0.1] as const;
  put({ width: 300, height: 260, bands: [values], origin: [0, 52], pixel, deflate: true, tile: 256 });
  const points = Array.from({ length: 50 }, (_, i): [number, number] => [i * 0.5, 40]);
  const small = await LayerStore.open({ catalogues: [catalogue], folder: served, roomBytes: 50e6 });
  t.after(() => small.close());
  await small.settle();
  const found = await at(small.snapshot('production'), points);
  assert.equal(existsSync(served), false, 'nothing is written');
  assert.deepEqual(found, await at((await open()).snapshot('production'), points));
  assert.equal(existsSync(join(served, 'height', 'v1', 'band.gwl')), true);
});

test('a small cache gives the same samples as a large one', async (t) => {
  const { put, catalogue, served } = bench(t);
  const [width, height] = [600, 520];
  const values = Array.from({ length: width * height }, (_, i) => i % 31_000);
  put({ width, height, bands: [values], origin: [0, 52], pixel: [0.1, 0.1] });
  const store = await LayerStore.open({ catalogues: [catalogue], folder: served, cacheBytes: 140_000 });
  t.after(() => store.close());
  const pixels = [0, 599, 300, 300 * 600, 519 * 600, 520 * 600 - 1, 1];
  const points = pixels.map((i): [number, number] => [
    (i % width) * 0.1 + 0.05,
    52 - Math.floor(i / width) * 0.1 - 0.05,
  ]);
  const got = await at(store.snapshot('production'), points);
  for (const [i, pixel] of pixels.entries()) {
    assert.ok(Math.abs((got[i] as number) - values[pixel]!) < 1e-6, `pixel ${pixel}`);
  }
});

test('an unusable catalogue or file stops the start with a message that says what is wrong', async (t) => {
  const { put, open, catalogue } = bench(t);
  const refused = async (entries: readonly object[], message: RegExp): Promise<void> => {
    put(SMALL, entries);
    await assert.rejects(open(), { name: 'InvalidInput', message });
  };
  await refused([{ ...ENTRY, layer: '../up' }], /catalogue\.json, layer 1: 'layer' is "\.\.\/up"; expected/);
  await refused([{ ...ENTRY, scale: 0 }], /'scale' is 0/);
  await refused(
    [{ ...ENTRY, interpolation: 'cubic' }],
    /'interpolation' is "cubic"; expected 'nearest' or 'bilinear'/,
  );
  await refused([{ ...ENTRY, date: undefined }], /'date' is missing/);
  await refused([ENTRY, ENTRY], /layer height\/v1 stands twice/);
  await refused([{ ...ENTRY, band: 1 }], /height\.tif has 1 bands; there is no band 2/);
  await refused([{ ...ENTRY, file: 'absent.tif' }], /layer height\/v1: .*absent\.tif/);
  writeFileSync(catalogue, '{"layers": 1}');
  await assert.rejects(open(), /expected \{"layers": \[\.\.\.\]\}/);
  writeFileSync(catalogue, '{');
  await assert.rejects(open(), /catalogue\.json cannot be read/);
});

test('maps of several return periods are served side by side', async (t) => {
  const { put, open } = bench(t);
  put(SMALL, [
    { ...ENTRY, returnPeriodYears: 10 },
    { ...ENTRY, returnPeriodYears: 100, offset: 1 },
  ]);
  const snapshot = (await open()).snapshot('production');
  const values = [];
  for (const card of snapshot.cards('height')) {
    const [sample] = await snapshot.sample(card, new Float64Array([12.5]), new Float64Array([48.5]));
    values.push([card.returnPeriodYears, sample]);
  }
  assert.deepEqual(values, [
    [10, { ok: true, value: 120 }],
    [100, { ok: true, value: 121 }],
  ]);
});

test('maps of several return periods give the same samples read together and alone', async (t) => {
  const { put, open } = bench(t);
  const [width, height] = [300, 270];
  const periods = [10, 50, 100];
  put(
    {
      width,
      height,
      nodata: '-1',
      bands: periods.map((_, b) =>
        Array.from({ length: width * height }, (_value, i) =>
          (i * 7 + b * 13) % 29 === 0 ? -1 : (i * 31 + b) % 1000,
        ),
      ),
      origin: [10, 50],
      pixel: [0.01, 0.01],
    },
    [
      ...periods.map((returnPeriodYears, band) => ({
        ...ENTRY,
        returnPeriodYears,
        band,
        scale: 0.1,
        offset: 3,
      })),
      { ...ENTRY, version: 'v9', returnPeriodYears: 10, interpolation: 'nearest' },
      { ...ENTRY, returnPeriodYears: null },
    ],
  );
  const snapshot = (await open()).snapshot('production');
  const cards = snapshot.cards('height').toReversed();
  assert.equal(cards.length, 5);
  const count = 4000;
  let state = 3;
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  // A tenth of the points are beyond the edges; the first is at the corner of four tiles.
  const lngs = Float64Array.from({ length: count }, (_, i) => (i === 0 ? 12.56 : 9.9 + random() * 3.2));
  const lats = Float64Array.from({ length: count }, (_, i) => (i === 0 ? 47.44 : 50.1 - random() * 2.9));
  const seen = { value: 0, nodata: 0, outside: 0 };
  for (const chosen of [
    cards,
    cards.slice(0, 2),
    cards.slice(3),
    [cards[1]!, cards[4]!, cards[3]!, cards[2]!],
  ]) {
    const columns = new Float64Array(chosen.length * count);
    snapshot.reader(chosen)(lngs, lats, columns);
    for (const [c, card] of chosen.entries())
      for (const [i, sample] of (await snapshot.sample(card, lngs, lats)).entries()) {
        const want = sample.ok ? sample.value : sample.reason === 'nodata' ? Number.NaN : Infinity;
        assert.ok(
          Object.is(columns[c * count + i], want),
          `${card.returnPeriodYears} at ${lngs[i]}, ${lats[i]}`,
        );
        seen[sample.ok ? 'value' : sample.reason]++;
      }
  }
  assert.ok(Math.min(...Object.values(seen)) > 1000, JSON.stringify(seen));
});
