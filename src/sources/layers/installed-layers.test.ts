// Long file: every test installs layers into the same kind of folder and checks the shelf together with the store.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  closeSync,
  openSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { deriveHand } from '../../app/layers/derive/derive-hand.ts';
import { addLayer, type LayerFile } from '../../app/layers/add-layer.ts';
import { checkLayers, removeLayer } from '../../app/layers/manage-layers.ts';
import type { LayerSnapshot } from '../../app/risk/layer-reader.ts';
import { FolderLayerShelf } from './folder-layer-shelf.ts';
import { LayerStore } from './layer-store.ts';
import { tiffFixture, type TiffFixture } from '../../../test/fixtures/tiff-fixture.ts';

const DATA = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));
const COGS = join(DATA, 'cog-samples');
const RASTERS = join(DATA, 'debian-raster-samples');
const NOW = Date.parse('2026-11-21T12:00:00Z');

function bench(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-shelf-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'layers');
  const shipped = join(home, 'shipped.json');
  writeFileSync(join(home, 'shipped.tif'), tiffFixture({ ...PLAIN, bands: [Array<number>(4).fill(7)] }));
  writeFileSync(shipped, JSON.stringify({ layers: [{ ...SHIPPED }] }));
  const shelf = new FolderLayerShelf({ folder, catalogues: [shipped] });
  const deps = { clock: { now: () => NOW }, shelf };
  const put = (name: string, fixture: TiffFixture): string => {
    writeFileSync(join(home, name), tiffFixture(fixture));
    return join(home, name);
  };
  return {
    home,
    folder,
    shelf,
    deps,
    put,
    catalogue: () =>
      existsSync(join(folder, 'catalogue.json')) ? readFileSync(join(folder, 'catalogue.json'), 'utf8') : '',
    files: () => (existsSync(join(folder, 'files')) ? readdirSync(join(folder, 'files')).toSorted() : []),
    add: (path: string, more: Partial<LayerFile> = {}) =>
      addLayer(deps, { path, band: 0, nodata: null, layer: 'elevation', version: 'v1', ...more }),
    open: async (onProblem?: (message: string) => void) => {
      const store = await LayerStore.open({
        catalogues: [shipped],
        folder,
        ...(onProblem !== undefined && { onProblem }),
      });
      t.after(() => store.close());
      return store;
    },
  };
}

/** 2 x 2 pixels of one degree; the north-west corner is at 10 E, 50 N. */
const PLAIN: TiffFixture = { width: 2, height: 2, bands: [[1, 2, 3, 4]], origin: [10, 50] };
const SHIPPED = {
  layer: 'elevation',
  version: 'shipped',
  file: 'shipped.tif',
  band: 0,
  scale: 1,
  offset: 0,
  nodata: null,
  unit: 'm',
  returnPeriodYears: null,
  interpolation: 'bilinear',
  resolutionM: 111_000,
  date: '1988-01-01',
  licence: 'public domain',
  source: 'made for this test',
};

async function at(
  snapshot: LayerSnapshot,
  version: string,
  points: readonly (readonly [number, number])[],
  layer = 'elevation',
): Promise<unknown[]> {
  const card = snapshot.cards(layer).find((found) => found.version === version);
  assert.ok(card, `${layer} ${version} is served`);
  const samples = await snapshot.sample(
    card,
    Float64Array.from(points, ([lng]) => lng),
    Float64Array.from(points, ([, lat]) => lat),
  );
  return samples.map((sample) => (sample.ok ? sample.value : sample.reason));
}

test('a file becomes a layer with its card; adding the same bytes again changes nothing', async (t) => {
  const { add, put, open, catalogue, files } = bench(t);
  const path = put('a.tif', PLAIN);
  const first = await add(path, { licence: 'CC0', date: '2020-05-01' });
  assert.deepEqual(first.card, {
    layer: 'elevation',
    version: 'v1',
    returnPeriodYears: null,
    unit: 'm',
    resolutionM: 111_000,
    date: '2020-05-01',
    licence: 'CC0',
    source: 'a.tif',
  });
  assert.deepEqual([first.added, first.pieceCount, first.piece.coverage], [true, 1, [10, 48, 12, 50]]);
  assert.ok(first.readBy.includes('flood'));
  const before = [catalogue(), files()];
  const again = await add(path);
  assert.deepEqual([again.added, again.pieceCount], [false, 1]);
  assert.deepEqual([catalogue(), files()], before);
  const snapshot = (await open()).snapshot('production');
  assert.deepEqual(
    await at(snapshot, 'v1', [
      [10.5, 49.5],
      [11.5, 48.5],
      [13, 49],
    ]),
    [1, 4, 'outside'],
  );
});

test('bad layers are refused by name, and the catalogue and the folder stay unchanged', async (t) => {
  const { add, put, catalogue, files, home, deps } = bench(t);
  await add(put('good.tif', PLAIN));
  const before = [catalogue(), files()];
  const refused = async (path: string, more: Partial<LayerFile>, message: RegExp): Promise<void> => {
    await assert.rejects(add(path, { version: 'bad', ...more }), { name: 'InvalidInput', message });
    assert.deepEqual([catalogue(), files()], before, String(message));
  };
  const good = join(home, 'good.tif');
  await refused(put('plain.tif', { ...PLAIN, keys: null }), {}, /plain\.tif has no reference system/);
  const rotated = [0.7, 0.7, 0, 10, 0.7, -0.7, 0, 50, 0, 0, 0, 0, 0, 0, 0, 1];
  await refused(put('rotated.tif', { ...PLAIN, matrix: rotated }), {}, /rotated\.tif is rotated/);
  const ties = [0, 0, 0, 10, 50, 0, 1, 1, 0, 11, 49, 0];
  await refused(
    put('points.tif', { ...PLAIN, tiePoints: ties }),
    {},
    /points\.tif has 2 ground control points/,
  );
  await refused(good, { unit: 'K' }, /elevation .* is in m; got K/);
  const feet = '<GDALMetadata><Item name="UNITTYPE" sample="0" role="unittype">ft</Item></GDALMetadata>';
  await refused(put('feet.tif', { ...PLAIN, metadata: feet }), {}, /elevation .* is in m; got ft/);
  await refused(put('high.tif', { ...PLAIN, bands: [[1, 2, 3, 20_000]] }), {}, /from 1 to 20000/);
  await refused(
    put('void.tif', { ...PLAIN, bands: [[1, 2, 3, -9999]] }),
    {},
    /-9999, which looks like nodata/,
  );
  await refused(good, { returnPeriodYears: 100 }, /has no return period/);
  await refused(good, { layer: 'flood-depth' }, /--return-period must say/);
  await refused(good, { layer: 'flood-depth', returnPeriodYears: 0 }, /return period 0/);
  await refused(good, { band: 3 }, /good\.tif has 1 bands; there is no band 4/);
  await refused(good, { scale: 0 }, /the scale not 0/);
  await refused(good, { source: 'a\u202eb' }, /^source: expected text without .*, got U\+202E$/);
  await refused(good, { licence: 'a\nb' }, /^licence: expected .*, got U\+000A$/);
  await refused(good, { version: 'shipped' }, /ships with the service/);
  await refused(join(home, 'absent.tif'), {}, /absent\.tif cannot be read/);
  await refused(home, {}, /is not a file/);
  writeFileSync(join(home, 'text.tif'), 'no raster at all');
  await refused(join(home, 'text.tif'), {}, /text\.tif is not a TIFF file/);
  const whole = tiffFixture({ ...PLAIN, deflate: true });
  for (const length of [7, 100, whole.length - 1]) {
    writeFileSync(join(home, 'cut.tif'), whole.subarray(0, length));
    await refused(join(home, 'cut.tif'), {}, /cut\.tif/);
  }
  // Sparse blocks take no space in the file; their serving form would take 40 GB.
  const blocks = Array<number>(25).fill(0);
  const huge = put('huge.tif', {
    ...PLAIN,
    pixel: [0.001, 0.001],
    kind: 'float32',
    fields: {
      256: [4, [100_000]],
      257: [4, [100_000]],
      322: [4, [20_480]],
      323: [4, [20_480]],
      324: [4, blocks],
      325: [4, blocks],
    },
  });
  await refused(huge, {}, /huge\.tif is stored in blocks of 20480 x 20480/);
  const wide = put('wide.tif', {
    ...PLAIN,
    pixel: [0.001, 0.001],
    kind: 'float32',
    fields: {
      256: [4, [100_000]],
      257: [4, [100_000]],
      322: [4, [1024]],
      323: [4, [1024]],
      324: [4, Array<number>(98 * 98).fill(0)],
      325: [4, Array<number>(98 * 98).fill(0)],
    },
  });
  await refused(wide, {}, /wide\.tif says that it has 100000 x 100000 pixels, 40\.\d GB; at most 17\.2 GB/);
  const none = put('none.tif', { ...PLAIN, bands: [[0, 0, 0, 0]], nodata: '0' });
  await assert.rejects(
    deriveHand(deps, {
      path: none,
      band: 0,
      nodata: null,
      version: 'h',
      streamAreaKm2: 1,
      nodataIsWater: false,
    }),
    { name: 'InvalidInput', message: /no place in .*none\.tif has 1 km2 upstream/ },
  );
  assert.deepEqual([catalogue(), files()], before);
});

/**
 * A file of gdal_translate 3.6.2 with DEFLATE and an internal mask: 20 x 10 pixels of one degree, the north-west
 * corner at 10 E, 50 N. The values are bytes that count up from 0.
 */
const MASKED = Buffer.from(
  `SUkqAAgAAAARAAABAwABAAAAFAAAAAEBAwABAAAACgAAAAIBAwABAAAACAAAAAMBAwABAAAACAAAAAYBAwABAAAAAQAAABEB
BAABAAAAHAIAABUBAwABAAAAAQAAABYBAwABAAAACgAAABcBBAABAAAA0wAAABwBAwABAAAAAQAAAD0BAwABAAAAAQAAAFMB
AwABAAAAAQAAAA6DDAADAAAA2gAAAIKEDAAGAAAA8gAAAK+HAwAgAAAAIgEAALCHDAACAAAAYgEAALGHAgAIAAAAcgEAAHoB
AAAAAAAAAADwPwAAAAAAAPA/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAkQAAAAAAAAElAAAAAAAAA
AAABAAEAAAAHAAAEAAABAAIAAQQAAAEAAQAACAAAAQDmEAEIsYcHAAAABggAAAEAjiMJCLCHAQABAAsIsIcBAAAAiG10lh2k
ckAAAABAplRYQVdHUyA4NHwADQD+AAQAAQAAAAQAAAAAAQMAAQAAABQAAAABAQMAAQAAAAoAAAACAQMAAQAAAAEAAAADAQMA
AQAAAAgAAAAGAQMAAQAAAAQAAAARAQQAAQAAAO8CAAAVAQMAAQAAAAEAAAAWAQMAAQAAAAoAAAAXAQQAAQAAACIAAAAcAQMA
AQAAAAEAAAA9AQMAAQAAAAEAAABTAQMAAQAAAAEAAAAAAAAAeJwByAA3/wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhsc
HR4fICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj9AQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVpbXF1eX2BhYmNk
ZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5/gIGCg4SFhoeIiYqLjI2Oj5CRkpOUlZaXmJmam5ydnp+goaKjpKWmp6ipqqus
ra6vsLGys7S1tre4ubq7vL2+v8DBwsPExcbHWihNvXicq/v74P39BX9/P7i/P+H39wf76x58f3+gDiYIAH0EGNY=`,
  'base64',
);

test('pixels outside an internal mask written by GDAL are nodata, although every byte is a valid value', async (t) => {
  const { add, home, open } = bench(t);
  writeFileSync(join(home, 'masked.tif'), MASKED);
  await add(join(home, 'masked.tif'), { layer: 'codes', classes: true });
  const points = Array.from({ length: 200 }, (_, i) => [10.5 + (i % 20), 49.5 - Math.floor(i / 20)] as const);
  const want = points.map((_, i) => {
    const [col, row] = [i % 20, Math.floor(i / 20)];
    return (col * 3 + row * 5) % 7 === 0 || col === 19 ? 'nodata' : i;
  });
  assert.deepEqual(await at((await open()).snapshot('production'), 'v1', points, 'codes'), want);
});

test('transparent pixels of an alpha band added by gdalwarp -dstalpha are nodata, as in GDAL', async (t) => {
  const { add, put, open } = bench(t);
  const points = [
    [10.5, 49.5],
    [11.5, 49.5],
    [10.5, 48.5],
    [11.5, 48.5],
  ] as const;
  for (const [version, layout] of [
    ['v1', { interleaved: true }],
    ['v2', { interleaved: false, rowsPerStrip: 1 }],
    ['v3', { interleaved: true, nodata: '9' }],
  ] as const) {
    const file = put(`${version}.tif`, {
      width: 2,
      height: 2,
      kind: 'uint8',
      origin: [10, 50],
      pixel: [1, 1],
      bands: [
        [0, 7, 8, 9],
        [255, 0, 1, 255],
      ],
      fields: { 338: [3, [2]] },
      ...layout,
    });
    await add(file, { layer: 'codes', version, classes: true });
    // With a declared nodata value, the alpha band is ignored.
    const want = version === 'v3' ? [0, 7, 8, 'nodata'] : [0, 'nodata', 8, 9];
    assert.deepEqual(
      await at((await open()).snapshot('production'), version, points, 'codes'),
      want,
      version,
    );
  }
});

test('a version may have many pieces: neighbours and overlaps of finer resolution, each with its own scale and offset', async (t) => {
  const { add, put, open } = bench(t);
  await add(put('west.tif', PLAIN));
  await add(put('east.tif', { ...PLAIN, origin: [12, 50], bands: [[10, 20, 30, 40]] }), {
    scale: 2,
    offset: 1,
  });
  // A finer piece across the border between the other two, with a hole of nodata.
  const fine = {
    ...PLAIN,
    origin: [11.5, 49.5],
    pixel: [0.5, 0.5],
    bands: [[100, -1, 300, 400]],
    nodata: '-1',
  } as const;
  const third = await add(put('fine.tif', fine));
  assert.deepEqual([third.pieceCount, third.card.resolutionM], [3, 111_000]);
  const points = [
    [10.5, 49.5],
    [13.5, 48.5],
    [11.75, 49.25],
    [12.25, 49.25],
    [12.25, 48.75],
    [14.5, 49],
    [-170, 0],
  ] as const;
  const snapshot = (await open()).snapshot('production');
  const got = await at(snapshot, 'v1', points);
  // In the hole the coarser east piece is sampled. Longitude 12.25 is west of the centre of its first column, where
  // longitude has no effect. Latitude 49.25 is a quarter of the way from the first row (10 * 2 + 1) to the second row
  // (30 * 2 + 1).
  assert.deepEqual(got, [1, 81, 100, 31, 400, 'outside', 'outside']);
  for (const [i, point] of points.entries()) {
    assert.deepEqual(await at(snapshot, 'v1', [point]), [got[i]], 'alone as together');
  }
  await assert.rejects(add(put('other.tif', { ...PLAIN, bands: [[9, 9, 9, 9]] })), {
    message: /elevation v1 has the same ground already, with other values \(from west\.tif\)/,
  });
  await assert.rejects(add(put('far.tif', { ...PLAIN, origin: [30, 50] }), { licence: 'CC0' }), {
    message: /has the licence not stated; got CC0: one version has one/,
  });
});

test('--replace replaces a version; of versions with the same resolution the last added comes first', async (t) => {
  const { add, put, open, files, deps } = bench(t);
  await add(put('a.tif', PLAIN), { version: 'v1' });
  await add(put('b.tif', { ...PLAIN, bands: [[5, 5, 5, 5]] }), { version: 'v2' });
  const order = async (): Promise<string[]> =>
    (await open())
      .snapshot('production')
      .cards('elevation')
      .map(({ version }) => version);
  assert.deepEqual(await order(), ['v2', 'v1', 'shipped']);
  await add(put('c.tif', { ...PLAIN, bands: [[6, 6, 6, 6]] }), { version: 'v1', replace: true });
  assert.deepEqual(await order(), ['v1', 'v2', 'shipped']);
  assert.deepEqual(await at((await open()).snapshot('production'), 'v1', [[11, 49]]), [6]);
  assert.equal(files().length, 2, 'what was replaced is gone');
  await removeLayer(deps, { layer: 'elevation', version: 'v1' });
  assert.deepEqual(await order(), ['v2', 'shipped']);
  assert.equal(files().length, 1);
  await assert.rejects(removeLayer(deps, { layer: 'elevation', version: 'v1' }), { name: 'NotFound' });
});

test('two concurrent additions of the same map add it once; a different map of the same ground is refused', async (t) => {
  const { add, put, files } = bench(t);
  const path = put('a.tif', PLAIN);
  const added = await Promise.all([add(path), add(path), add(path)]);
  assert.equal(added.filter((one) => one.added).length, 1);
  for (const { piece, pieceCount } of added) assert.deepEqual([piece.file, pieceCount], [files()[0], 1]);
  assert.equal(files().length, 1);
  const other = put('b.tif', { ...PLAIN, bands: [[5, 6, 7, 8]] });
  await assert.rejects(add(other), {
    name: 'InvalidInput',
    message: /same ground already, with other values/,
  });
});

test('a store that is closed while it loads a change reports no error', async (t) => {
  const { add, put, open } = bench(t);
  const store = await open();
  await add(put('a.tif', PLAIN));
  const errors: unknown[] = [];
  store.watch((error) => errors.push(error));
  store.close();
  await sleep(200); // one check takes a few milliseconds
  assert.deepEqual(errors, []);
});

test('a running store follows the catalogue; a snapshot keeps its layers, also removed ones', async (t) => {
  const { add, put, open, deps } = bench(t);
  await add(put('a.tif', PLAIN));
  const store = await open();
  const errors: unknown[] = [];
  store.watch((error) => errors.push(error));
  const old = store.snapshot('production');
  const until = async (met: () => boolean): Promise<void> => {
    for (let waited = 0; !met(); waited += 20) {
      assert.ok(waited < 30_000, 'followed within seconds, also beside other tests');
      await sleep(20);
    }
  };
  await add(put('b.tif', { ...PLAIN, bands: [[50, 50, 50, 50]] }), { replace: true });
  await until(() => store.snapshot('production') !== old);
  const next = store.snapshot('production');
  assert.deepEqual(await at(next, 'v1', [[11, 49]]), [50]);
  assert.deepEqual(await at(old, 'v1', [[10.5, 49.5]]), [1]);
  await removeLayer(deps, { layer: 'elevation', version: 'v1' });
  await until(() => store.snapshot('production') !== next);
  assert.deepEqual(
    store
      .snapshot('production')
      .cards('elevation')
      .map(({ version }) => version),
    ['shipped'],
  );
  assert.deepEqual(await at(next, 'v1', [[11, 49]]), [50]);
  assert.deepEqual(errors, []);
});

test('when many processes add layers at once, every layer is in the catalogue', async (t) => {
  const { put, folder, home } = bench(t);
  await Promise.all(
    Array.from({ length: 12 }, (_, i) => {
      const shelf = new FolderLayerShelf({ folder, catalogues: [join(home, 'shipped.json')] });
      const path = put(`${i}.tif`, { ...PLAIN, origin: [i * 3, 50] });
      const file = {
        path,
        band: 0,
        nodata: null,
        layer: 'elevation',
        version: i % 2 === 0 ? 'tiles' : `v${i}`,
      };
      return addLayer({ clock: { now: () => NOW }, shelf }, file);
    }),
  );
  const layers = await new FolderLayerShelf({ folder, catalogues: [] }).installed();
  assert.equal(layers.length, 7);
  assert.equal(layers.find(({ card }) => card.version === 'tiles')?.pieces.length, 6);
  assert.deepEqual(readdirSync(folder).toSorted(), ['catalogue.json', 'files']);
});

test('check finds every damage, and a damaged tile is never served', async (t) => {
  const { add, put, open, deps, folder } = bench(t);
  const wide = {
    ...PLAIN,
    width: 600,
    height: 2,
    pixel: [0.1, 0.1],
    bands: [Array<number>(1200).fill(3)],
  } as const;
  const added = await add(put('wide.tif', wide), { version: 'wide' });
  await add(put('cut.tif', { ...PLAIN, bands: [[8, 8, 8, 8]] }), { version: 'cut' });
  const lost = await add(put('lost.tif', { ...PLAIN, bands: [[9, 9, 9, 9]] }), { version: 'lost' });
  await open();
  const problems = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { card, problem } of checkLayers(deps))
      if (problem !== null) found.push([card.version, problem]);
    return found;
  };
  assert.deepEqual(await problems(), []);
  const file = (piece: { readonly file: string }): string => join(folder, 'files', piece.file);
  const flip = (path: string, position: number): void => {
    const fd = openSync(path, 'r+');
    writeSync(fd, Buffer.from([0xff]), 0, 1, position);
    closeSync(fd);
  };
  const header = 4096;
  flip(file(added.piece), header + 2 * 64 * 64 * 2 + 10);
  const cut = (await deps.shelf.installed()).find(({ card }) => card.version === 'cut')!;
  truncateSync(file(cut.pieces[0]!), 5000);
  rmSync(file(lost.piece));
  flip(join(folder, 'elevation', 'shipped', 'band.gwl'), 40);
  const found = (await problems()) as [string, string][];
  assert.deepEqual(found.map(([version]) => version).toSorted(), ['cut', 'lost', 'shipped', 'wide']);
  const told = new Map(found);
  assert.match(told.get('wide')!, /tile 3 of 10 is damaged; add wide\.tif again with --replace/);
  assert.match(told.get('cut')!, /has 5000 bytes, which do not fit the 1 tiles of its header/);
  assert.match(told.get('lost')!, /is missing/);
  assert.match(told.get('shipped')!, /delete it and it is made again/);
  const notes: string[] = [];
  const snapshot = (await open((message) => notes.push(message))).snapshot('production');
  assert.deepEqual(
    snapshot.cards('elevation').map(({ version }) => version),
    ['wide', 'shipped'],
  );
  assert.equal(notes.length, 2);
  assert.deepEqual(await at(snapshot, 'shipped', [[10.5, 49.5]]), [7], 'what ships was made again');
  assert.deepEqual(await at(snapshot, 'wide', [[10.5, 49.9]]), [3]);
  assert.throws(
    () => snapshot.sample(snapshot.cards('elevation')[0]!, Float64Array.of(25), Float64Array.of(49.9)),
    { name: 'DamagedBand' },
  );
});

test('a damaged catalogue is reported and never overwritten', async (t) => {
  const { add, put, open, folder, catalogue } = bench(t);
  const path = put('a.tif', PLAIN);
  await add(path);
  const store = await open();
  for (const text of ['{', '{"format": 2, "layers": []}', catalogue().replace('.gwl', '/../../x.gwl')]) {
    writeFileSync(join(folder, 'catalogue.json'), text);
    await assert.rejects(add(path, { version: 'v2' }), { name: 'InvalidInput', message: /catalogue\.json/ });
    await assert.rejects(store.reload(), { name: 'InvalidInput' });
    assert.equal(catalogue(), text);
    assert.deepEqual(await at(store.snapshot('production'), 'v1', [[10.5, 49.5]]), [1]);
  }
});

const skip = existsSync(COGS) ? false : '../shared/data is not here: the real files are not read';

test(
  'cog-samples: values as gdallocationinfo 3.6.2 reads them, over the antimeridian, scaled, with nodata',
  { skip },
  async (t) => {
    const { add, open } = bench(t);
    const shared = { version: 'gdal', classes: true } as const;
    await add(join(COGS, 'cog_dateline.tif'), { ...shared, layer: 'dateline' });
    await add(join(COGS, 'cog.tif'), { ...shared, layer: 'plain' });
    await add(join(COGS, 'cog_nodata.tif'), { ...shared, layer: 'nodata' });
    await add(join(COGS, 'cog_nodata_nan.tif'), { ...shared, layer: 'nan' });
    await add(join(COGS, 'cog_scale.tif'), { ...shared, layer: 'scale-1' });
    await add(join(COGS, 'cog_scale.tif'), { ...shared, layer: 'scale-2', band: 1 });
    const empty = await add(join(COGS, 'inverted_lat.tif'), { ...shared, layer: 'empty' });
    assert.equal(empty.isEmpty, true, 'all of it is -9999');
    const snapshot = (await open()).snapshot('production');
    const gdal = (layer: string, points: readonly (readonly [number, number])[]) =>
      at(snapshot, 'gdal', points, layer);
    assert.deepEqual(
      await gdal('dateline', [
        [178.6, 51.9],
        [179.9, 51.5],
        [-179.95, 51.6],
        [-179.2, 52.2],
        [-178.9, 50.9],
        [180, 51.7],
        [-180, 51.7],
        [-178.2, 51.5],
      ]),
      [22_280, 22_280, 23_826, 21_952, 1, 22_280, 22_280, 'outside'],
    );
    const arctic = [
      [-57.1, 73.2],
      [-56.5, 73.9],
      [-54.8, 72.5],
      [-60, 74.2],
    ] as const;
    assert.deepEqual(await gdal('plain', arctic), [3744, 3008, 1, 1]);
    assert.deepEqual(await gdal('nodata', arctic), [3744, 3008, 'nodata', 'nodata']);
    const [hole, radar] = await gdal('nan', [
      [-122.3, 47.3],
      [-121.8, 47.6],
    ]);
    assert.equal(hole, 'nodata');
    assert.ok(Math.abs((radar as number) - 0.149_552_360_177_04) < 1e-12);
    const korea = [
      [127.3, 37.4],
      [127, 37.1],
      [127.8, 37.8],
    ] as const;
    // Raw values 5311, 4897, 9434. The file declares scale .0001 and offset 1000 for band 1, .001 and 2000 for band 2.
    for (const [layer, want] of [
      ['scale-1', [1000.5311, 1000.4897, 1000.9434]],
      ['scale-2', [2005.311, 2004.897, 2009.434]],
    ] as const) {
      for (const [i, value] of (await gdal(layer, korea)).entries()) {
        assert.ok(Math.abs((value as number) - want[i]!) < 1e-9);
      }
    }
    assert.deepEqual(
      await gdal('empty', [
        [10, 50],
        [10, -50],
      ]),
      ['nodata', 'nodata'],
    );
    await assert.rejects(add(join(COGS, 'cog_gcps_ovr.tif'), { version: 'gcps' }), {
      message: /cog_gcps_ovr\.tif has 210 ground control points/,
    });
  },
);

test(
  'debian-raster-samples: HAND of Olinda is low where Landsat sees water, 0 on streams, never above the relief',
  { skip },
  async (t) => {
    const { add, open, deps, files } = bench(t);
    const dem = join(RASTERS, 'olinda_dem_utm25s.tif');
    await add(dem, { version: 'srtm', classes: false });
    const [hand, area] = await deriveHand(deps, {
      path: dem,
      band: 0,
      nodata: null,
      version: 'olinda',
      streamAreaKm2: 1,
      nodataIsWater: false,
    });
    assert.deepEqual([hand!.card.layer, area!.card.layer, files().length], ['hand', 'upstream-area', 3]);
    // Band 5 is short-wave infrared, which water absorbs: values under 25 form a separate peak in the histogram, a
    // sixth of the scene.
    await add(join(RASTERS, 'L7_ETMs.tif'), { layer: 'infrared', version: 'l7', band: 4, classes: true });
    const snapshot = (await open()).snapshot('production');
    const points = Array.from(
      { length: 90 * 90 },
      (_, i) => [-34.9145 + 0.000_93 * (i % 90), -7.9515 - 0.000_97 * Math.floor(i / 90)] as const,
    );
    const heights = await at(snapshot, 'srtm', points);
    const hands = await at(snapshot, 'olinda', points, 'hand');
    const areas = await at(snapshot, 'olinda', points, 'upstream-area');
    const infrared = await at(snapshot, 'l7', points, 'infrared');
    const [water, land]: [number[], number[]] = [[], []];
    for (const [i, value] of hands.entries()) {
      if (typeof value !== 'number') continue;
      assert.ok(value >= 0 && value <= 89, 'the relief is -1 to 88 m');
      assert.ok((areas[i] as number) > 0 && (areas[i] as number) <= 100, 'the scene has 100 km2');
      (Number(infrared[i]) < 25 ? water : land).push(value);
    }
    assert.ok(water.length > 500 && land.length > 500, `${water.length} of water, ${land.length} of land`);
    // Probability that a land pixel is higher above its stream than a water pixel (area under the ROC curve).
    water.sort((a, b) => a - b);
    let above = 0;
    for (const value of land) {
      const lower = water.findLastIndex((other) => other < value) + 1;
      const same = water.findLastIndex((other) => other <= value) + 1 - lower;
      above += (lower + same / 2) / water.length;
    }
    assert.ok(above / land.length > 0.85, `${above / land.length}`);
    assert.equal(heights.filter((value) => value === 'outside').length, 0);
  },
);
