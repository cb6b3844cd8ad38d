import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { providerServer } from '../../../test/fixtures/provider-server.ts';
import { recordedActs } from '../../../test/fixtures/recorded-acts.ts';
import { tiffFixture, WGS84_KEYS } from '../../../test/fixtures/tiff-fixture.ts';
import { rectangle, shapefileFixture } from '../../../test/fixtures/shapefile-fixture.ts';
import { zipFixture } from '../../../test/fixtures/zip-fixture.ts';
import { assessPlace } from '../../app/risk/assess-risk.ts';
import { DATASETS } from '../../app/layers/install/datasets.ts';
import type { Peril } from '../../contract/vocabulary.ts';
import { FolderLayerShelf } from '../../sources/layers/folder-layer-shelf.ts';
import { LayerStore } from '../../sources/layers/layer-store.ts';
import { fileDownloads } from '../../sources/layers/file-downloads.ts';
import { StacSceneSource } from '../../sources/imagery/stac-scene-source.ts';
import { DisplacementCsvReader } from '../../sources/records/displacement-csv.ts';
import { FireCsvReader } from '../../sources/records/fire-csv.ts';
import { IbtracsCsvReader } from '../../sources/records/ibtracs-csv.ts';
import { LandShapefileReader } from '../../sources/records/land-shapefile.ts';
import { WeatherCsvReader } from '../../sources/records/weather-csv.ts';
import type { CliDeps } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { runCommand } from '../run.ts';

const SHIPPED = fileURLToPath(new URL('../../../data/layers/catalogue.json', import.meta.url));
const NOW = '2026-11-21T12:00:00Z';

// One installation for all tests: opening the shipped layers takes seconds.
const home = mkdtempSync(join(tmpdir(), 'groundwatch-install-'));
after(() => rmSync(home, { recursive: true, force: true }));

async function bench(t: TestContext, secret: string | undefined = 'KEY') {
  const server = await providerServer();
  t.after(() => server[Symbol.asyncDispose]());
  const layers = { folder: join(home, 'layers'), catalogues: [SHIPPED] };
  const deps = {
    clock: { now: () => Date.parse(NOW) },
    storage: recordedActs().storage,
    shelf: new FolderLayerShelf(layers),
    files: new StacSceneSource(server.reader),
    tracks: new IbtracsCsvReader(),
    weather: new WeatherCsvReader(),
    fires: new FireCsvReader(),
    land: new LandShapefileReader(),
    displacementPoints: new DisplacementCsvReader(),
    downloads: fileDownloads(
      () => server.reader,
      (text) => text.replaceAll(/KEY|OLD/g, '{key}'),
    ),
    downloadFolder: join(home, 'downloads'),
    datasetSecret: async () => secret,
  } as unknown as CliDeps;
  const run = async (argv: readonly string[], confirm: () => Promise<boolean | undefined>) => {
    const [out, err]: [string[], string[]] = [[], []];
    const terminal = {
      out: (line: string) => out.push(line),
      err: (line: string) => err.push(line),
      version: '0',
    };
    const code = await runCommand(COMMANDS, argv, terminal, {
      open: () => Promise.resolve(deps),
      serve: () => Promise.reject(new Error('not here')),
      confirm,
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
  const install = (name: string, bbox: string, ...more: string[]) =>
    run(
      ['layers', 'install', name, '--bbox', bbox, '--mirror', server.base, '--yes', ...more],
      async () => undefined,
    );
  /** The risk at a place, and the versions of the layers that it was read from. */
  const risk = async (peril: Peril, lat: number, lng: number) => {
    const store = await LayerStore.open({ ...layers, onProblem: assert.fail });
    try {
      const { assessment, explanation } = assessPlace(
        store.snapshot('production'),
        { lat, lng, peril },
        true,
      );
      const used = explanation!.layers.filter(({ value }) => value !== null);
      const read = used.map(({ meta }) => ({ version: meta.version, source: meta.source }));
      return { score: assessment.riskScore, confidence: assessment.confidence, read, explanation };
    } finally {
      store.close();
    }
  };
  return { server, run, install, risk };
}

/** One storm a year over Fiji, in the columns of IBTrACS. */
function bestTracks(): Buffer {
  const head =
    'SID,SEASON,NUMBER,BASIN,SUBBASIN,NAME,ISO_TIME,NATURE,LAT,LON,WMO_WIND,WMO_PRES,WMO_AGENCY,TRACK_TYPE,USA_WIND,USA_PRES,USA_POCI,USA_RMW';
  const rows = [' ,Year, , , , , , ,degrees_north,degrees_east,kts,mb, , ,kts,mb,mb,nmile'];
  for (let season = 1980; season <= 2025; season++)
    for (const hour of ['00', '06', '12', '18'])
      rows.push(
        `${season}041S14170,${season},8,SP,MM,X,${season}-02-20 ${hour}:00:00,TS,-17.5,${178 + Number(hour) / 12},,,nadi,main,${120 + (season % 5) * 8},930,1005,20`,
      );
  return Buffer.from(`${[head, ...rows].join('\n')}\n`);
}

test('best tracks: size, licence and source are shown first, and nothing is fetched without a yes', async (t) => {
  const { server, run, install, risk } = await bench(t);
  const file = { bytes: bestTracks(), etag: '"1"', modified: 'Tue, 17 Nov 2026 10:00:00 GMT' };
  server.answer = (url) => (url === '/ibtracs.since1980.list.v04r01.csv' ? file : undefined);
  const before = await risk('storm', -17.7, 178.5);
  const argv = ['layers', 'install', 'ibtracs', '--bbox', '177,-19,180,-16', '--mirror', server.base];
  for (const [answer, code, message] of [
    [undefined, 2, /nothing was fetched: give --yes/],
    [false, 1, /nothing was fetched/],
  ] as const) {
    const refused = await run(argv, async () => answer);
    assert.equal(refused.code, code);
    assert.match(refused.err, message);
    assert.match(
      refused.err,
      new RegExp(`1 file from localhost:\\d+, .* MB \\(${file.bytes.length} bytes\\)`),
    );
    assert.match(refused.err, /Licence: public domain/);
  }
  assert.ok(server.asked.every(({ range }) => range === 'bytes=0-0'));
  const done = await install('ibtracs', '177,-19,180,-16');
  assert.equal(done.code, 0, done.err);
  const then = await risk('storm', -17.7, 178.5);
  assert.ok(then.score > before.score, `${before.score} to ${then.score}`);
  const read = then.read.find(({ version }) => version === 'ibtracs-2026-11-17');
  assert.match(
    read!.source,
    /doi:10\.25921\/82ty-9e16.*ibtracs\.since1980.*of 2026-11-17, SHA-256 [0-9a-f]{16}/,
  );
  assert.ok(!existsSync(join(home, 'downloads', 'ibtracs')), 'the download is deleted');
});

test('an error page in place of a file is refused with its words, and installs nothing', async (t) => {
  const { server, install, risk } = await bench(t);
  server.answer = () => ({ bytes: Buffer.from('Service is moving\n'), etag: '"1"' });
  const refused = await install('ibtracs', '177,-19,180,-16');
  assert.equal(refused.code, 2);
  assert.match(refused.err, /expected best tracks, got something else from the provider: Service is moving/);
  assert.ok(
    (await risk('storm', -17.7, 178.5)).read.every(({ version }) => version !== 'ibtracs-2026-11-21'),
  );
});

test('SoilGrids: squares of a degree in g/kg become percent, and no clay stays nodata', async (t) => {
  const { server, install, risk } = await bench(t);
  server.answer = (url) => {
    const [, west, south] = /long\((-?\d+),.*lat\((-?\d+),/.exec(url) ?? [];
    assert.match(url, /^\/mapserv\?map=\/map\/clay\.map&SERVICE=WCS&VERSION=2\.0\.1&REQUEST=GetCoverage/);
    const bands = [Array.from({ length: 400 }, (_, i) => (i < 20 ? 0 : 450))];
    const origin = [Number(west), Number(south) + 1] as const;
    return {
      isMade: true,
      bytes: tiffFixture({
        width: 20,
        height: 20,
        bands,
        pixel: [0.05, 0.05],
        keys: WGS84_KEYS,
        origin,
        nodata: '-32768',
      }),
    };
  };
  const before = await risk('subsidence', 51.5, 0.5);
  const done = await install('soilgrids', '0.2,51.2,1.4,51.8');
  assert.equal(done.code, 0, done.err);
  assert.equal(server.asked.length, 2);
  const then = await risk('subsidence', 51.5, 0.5);
  assert.notEqual(then.score, before.score);
  assert.ok(then.read.some(({ version, source }) => version === 'soilgrids-2.0' && /Poggio/.test(source)));
  assert.ok((await risk('subsidence', 51.99, 0.5)).read.every(({ version }) => version !== 'soilgrids-2.0'));
  assert.match((await install('soilgrids', '0,40,20,60')).err, /400 requests.*at most 100/);
});

test('GHSL: the tile of the place, land cover built-up where half of a cell is roofed', async (t) => {
  const { server, install, risk } = await bench(t);
  const name = 'GHS_BUILT_S_E2020_GLOBE_R2023A_4326_3ss_V1_0_R5_C20';
  // Cells of 0.001 degrees at 42 N have 9,190 m2. The western half has a tenth roofed, the eastern six tenths.
  const bands = [Array.from({ length: 10_000 }, (_, i) => (i % 100 < 50 ? 919 : 5_514))];
  const tile = tiffFixture({
    width: 100,
    height: 100,
    bands,
    kind: 'uint16',
    pixel: [0.001, 0.001],
    keys: WGS84_KEYS,
    origin: [12.4, 42],
  });
  const path = `/GHS_BUILT_S_GLOBE_R2023A/GHS_BUILT_S_E2020_GLOBE_R2023A_4326_3ss/V1-0/tiles/${name}.zip`;
  server.answer = (url) =>
    url === path ? { bytes: zipFixture({ [`${name}.tif`]: tile }, true), etag: '"1"' } : undefined;
  const town = await risk('wildfire', 41.95, 12.48);
  const done = await install('ghsl-built-up', '12.42,41.92,12.49,41.98');
  assert.equal(done.code, 0, done.err);
  const then = await risk('wildfire', 41.95, 12.48);
  assert.notEqual(then.score, town.score);
  assert.ok(then.read.some(({ version }) => version === 'ghsl-built-up-r2023a'));
  assert.ok((await risk('wildfire', 41.95, 12.43)).read.every(({ version }) => !version.startsWith('ghsl')));
  assert.match((await install('ghsl-built-up', '-150,-40,-149,-39')).err, /has no file for this place/);
  // A server that gives files only whole is asked for the whole.
  server.answer = () => ({ bytes: zipFixture({ [`${name}.tif`]: tile }, true), isMade: true });
  const whole = await install('ghsl-built-up', '12.42,41.92,12.49,41.98');
  assert.equal(whole.code, 0, whole.err);
  assert.match(whole.err, /1 of a size that the provider does not tell before/);
});

test('GSHHG: an islet that the shipped coast lacks gets an answer; the archive is fetched in pieces', async (t) => {
  const { server, install, risk } = await bench(t);
  // An islet of 2 km in the open Pacific, land on both sides of the antimeridian, and a continent far away.
  const shp = shapefileFixture([
    [rectangle(-150.01, 20, -149.99, 20.02)],
    [rectangle(179, -25, 180, -24)],
    [rectangle(-180, -25, -179.5, -24), rectangle(-179.9, -24.6, -179.8, -24.5).toReversed()],
    [rectangle(0, 0, 40, 60)],
  ]);
  const bytes = zipFixture({ 'GSHHS_shp/f/GSHHS_f_L1.shp': shp, 'README.TXT': Buffer.from('x') }, true);
  server.answer = (url) => (url === '/gshhg-shp-2.3.7.zip' ? { bytes, etag: '"g"' } : undefined);
  const codes = (answer: Awaited<ReturnType<typeof risk>>): string[] =>
    answer.explanation!.reasons.map(({ code }) => code);
  for (const peril of ['storm', 'flood'] as const) {
    const before = await risk(peril, 20.01, -150);
    assert.ok(codes(before).includes('unmapped'), peril);
    assert.equal(before.confidence, 0);
  }
  const done = await install('gshhg-coast', '-150.1,19.9,-149.9,20.1');
  assert.equal(done.code, 0, done.err);
  assert.match(done.err, new RegExp(`\\(${bytes.length} bytes\\)[^]*LGPL-3\\.0[^]*doi:10\\.1029/96JB00104`));
  for (const peril of ['storm', 'flood'] as const) {
    const then = await risk(peril, 20.01, -150);
    assert.ok(!codes(then).includes('unmapped'), peril);
    assert.ok(then.confidence > 0, peril);
    const read = then.read.find(({ version }) => version === 'gshhg-2.3.7');
    assert.match(read!.source, /GSHHG 2\.3\.7.*gshhg-shp-2\.3\.7\.zip, SHA-256 [0-9a-f]{16}/);
  }
  // On the antimeridian, whose seam is no shore.
  const world = await install('gshhg-coast', '179.8,-24.6,-179.7,-24.4');
  assert.equal(world.code, 0, world.err);
  const seam = (await risk('storm', -24.5, 179.99)).explanation!.layers.find(
    ({ meta }) => meta.version === 'gshhg-2.3.7',
  );
  // The shore is 0.51 degrees of longitude east, nearer than half a degree of latitude.
  const km = 0.51 * 111.195 * Math.cos((24.5 * Math.PI) / 180);
  assert.ok(Math.abs(seam!.value! - km) < 0.1, `${seam!.value}`);
  const lake = (await risk('storm', -24.55, -179.85)).explanation!.layers.find(
    ({ meta }) => meta.version === 'gshhg-2.3.7',
  );
  assert.ok(lake!.value! > 30, `a lake is not the sea: ${lake!.value}`);
  assert.match(
    (await install('gshhg-coast', '0,30,20,50')).err,
    /cells of 10 arc-seconds.*give smaller boxes/,
  );
});

test('OpenStreetMap: metres, a missing shapefile and a damaged archive are refused, and nothing is installed', async (t) => {
  const { server, install, risk } = await bench(t);
  const shp = shapefileFixture([[rectangle(-140.01, 20, -139.99, 20.02)]]);
  const name = 'land-polygons-complete-4326/land_polygons.shp';
  const prj = Buffer.from('PROJCS["WGS_1984_Pseudo-Mercator",GEOGCS["GCS_WGS_1984"]]');
  const damaged = zipFixture({ [name]: shp }, true);
  damaged.writeUInt32LE(1, damaged.indexOf('504b0102', 0, 'hex') + 16); // its checksum
  for (const [bytes, message] of [
    [
      zipFixture({ [name]: shp, [name.replace('.shp', '.prj')]: prj }, true),
      /expected longitudes and latitudes/,
    ],
    [zipFixture({ 'other.shp': shp }, true), /expected land_polygons\.shp in it/],
    [zipFixture({ [name]: shp.subarray(0, 150) }, true), /is cut short/],
    [
      zipFixture({ [name]: shapefileFixture([[rectangle(0, 0, 1, 1)]], 3) }, true),
      /expected polygons, got shapes of type 3/,
    ],
    [damaged, /another checksum/],
  ] as const) {
    server.answer = () => ({ bytes, etag: `"${bytes.length}"`, modified: 'Tue, 17 Nov 2026 10:00:00 GMT' });
    const refused = await install('osm-coast', '-140.1,19.9,-139.9,20.1');
    assert.equal(refused.code, 2, refused.err);
    assert.match(refused.err, message);
    rmSync(join(home, 'downloads', 'osm-coast'), { recursive: true, force: true });
  }
  assert.equal((await risk('storm', 20.01, -140)).confidence, 0);
  server.answer = () => ({
    bytes: zipFixture({ [name]: shp }, false),
    etag: '"1"',
    modified: 'Tue, 17 Nov 2026 10:00:00 GMT',
  });
  const done = await install('osm-coast', '-140.1,19.9,-139.9,20.1');
  assert.equal(done.code, 0, done.err);
  const then = await risk('storm', 20.01, -140);
  assert.ok(then.confidence > 0);
  assert.ok(
    then.read.some(({ version, source }) => version === 'osm-2026-11-17' && /OpenStreetMap/.test(source)),
  );
});

/** A tile of the vertical product: a table, and the raster that lies beside it. Points are 100 m apart. */
function motionTile(
  name: string,
  points: readonly (readonly [easting: number, northing: number, mmYr: number])[],
) {
  const head =
    'pid,easting,northing,height,rmse,mean_velocity,mean_velocity_std,acceleration,acceleration_std,seasonality,seasonality_std,20200105,20200111';
  const rows = points.map(
    ([x, y, v], i) => `p${i},${x},${y},12.3,1.1,${v},0.2,0.01,0.05,1.2,0.3,0.0,${v / 60}`,
  );
  return zipFixture(
    {
      [`${name}.csv`]: Buffer.from(`${[head, ...rows].join('\n')}\n`),
      [`${name}.tiff`]: Buffer.from('II*\0'),
      [`${name}.xml`]: Buffer.from('<x/>'),
    },
    true,
  );
}

test('EGMS: tiles by token, the newest release of each, the points of the box only', async (t) => {
  const { server, install, risk } = await bench(t);
  // Venice lies at 4,504,000 m east and 2,483,400 m north (EPSG:3035).
  const around = (x0: number, y0: number, v: number, step = 0) =>
    Array.from(
      { length: 900 },
      (_, i) => [x0 + 100 * (i % 30), y0 + 100 * Math.floor(i / 30), v + step * (i % 30)] as const,
    );
  const sinking = motionTile('EGMS_L3_E45N24_100km_U_2020_2024_1', [
    ...around(4_502_500, 2_482_000, -22, -8),
    ...around(4_510_000, 2_410_000, -5),
  ]);
  const former = motionTile('EGMS_L3_E45N25_100km_U_2019_2023_2', around(4_550_000, 2_550_000, 0));
  server.answer = (url) => {
    const [, name, token] = /^\/(EGMS_L3_\w+\.zip)\?id=(\w+)$/.exec(url) ?? [];
    if (token !== 'KEY') return 403;
    if (name === 'EGMS_L3_E45N24_100km_U_2020_2024_1.zip') return { bytes: sinking, etag: '"a"' };
    if (name === 'EGMS_L3_E45N24_100km_U_2019_2023_2.zip') return { bytes: former, etag: '"b"' };
    return undefined;
  };
  const [lat, lng] = [45.437, 12.335];
  const before = await risk('subsidence', lat, lng);
  const bbox = '12.31,45.42,12.36,45.45';
  const done = await install('egms', bbox);
  assert.equal(done.code, 0, done.err);
  assert.match(done.err, new RegExp(`egms: 1 file from .*\\(${sinking.length} bytes\\)`));
  assert.match(done.err, /Licence: Copernicus data/);
  assert.ok(!`${done.err}${done.out}`.includes('KEY'));
  assert.ok(
    server.asked.every(({ url }) => !url.includes('2019_2023')),
    'the newest release is there',
  );
  const then = await risk('subsidence', lat, lng);
  assert.ok(then.score > before.score, `${before.score} to ${then.score}`);
  const { explanation } = then;
  const velocity = explanation!.layers.find(
    ({ meta, value }) => meta.layer === 'displacement-velocity' && value !== null,
  );
  // 1,446 m behind the first column, where columns are 100 m apart.
  assert.ok(Math.abs(velocity!.value! + 22 + 8 * 14.46) < 0.1, `${velocity!.value}`);
  assert.match(velocity!.meta.source, /Copernicus Land Monitoring.*, 2020 to 2024$/);
  const beside = await risk('subsidence', 44.79, 12.4);
  assert.ok(
    beside.read.every(({ version }) => !version.startsWith('egms')),
    'points outside the box',
  );
});

test('EGMS: a missing or expired token is told with the way to a new one; what was fetched is kept', async (t) => {
  const bbox = '12.31,45.42,12.36,45.45';
  const without = await bench(t, '');
  const missing = await without.install('egms', bbox);
  assert.equal(missing.code, 2);
  assert.match(missing.err, /expected a key in GROUNDWATCH_EGMS_TOKEN_FILE.*sign in at https:\/\/egms/);
  const { server, install } = await bench(t, 'OLD');
  const points = Array.from(
    { length: 250_000 },
    (_, i) => [4_510_000 + 100 * (i % 500), 2_480_000 + i / 5, ((i * 2_654_435_761) % 1e9) / 1e8] as const,
  );
  const bytes = motionTile('EGMS_L3_E45N24_100km_U_2020_2024_1', [...points, [4_504_000, 2_483_400, -3]]);
  assert.ok(bytes.length > 2 ** 22, 'more than one piece');
  let asked = 0;
  server.answer = (url) => {
    if (!url.startsWith('/EGMS_L3_E45N24_100km_U_2020_2024_1.zip')) return undefined;
    return ++asked > 2 ? 403 : { bytes, etag: '"a"' }; // the token expires behind the first piece
  };
  const expired = await install('egms', bbox);
  assert.equal(expired.code, 2, expired.err);
  assert.match(expired.err, /403.*GROUNDWATCH_EGMS_TOKEN is refused, or has expired; sign in at .*is kept/);
  assert.ok(!expired.err.includes('OLD'));
  server.answer = (url) =>
    url.startsWith('/EGMS_L3_E45N24_100km_U_2020_2024_1.zip') ? { bytes, etag: '"a"' } : undefined;
  server.asked.length = 0;
  const goesOn = await install('egms', bbox);
  assert.equal(goesOn.code, 0, goesOn.err);
  assert.deepEqual(
    server.asked.map(({ range }) => range).filter((range) => range === `bytes=0-${2 ** 22 - 1}`),
    [],
    'the first piece is not fetched again',
  );
  server.answer = () => ({ bytes: Buffer.from('<html>Sign in</html>'), etag: '"h"' });
  assert.match((await install('egms', '2.3,48.8,2.4,48.9')).err, /expected ZIP, got something else/);
  assert.match((await install('egms', '-80,25,-79,26')).err, /has no file for this place/);
  assert.match((await install('egms', '0,42,10,50')).err, /tiles of 100 km; at most 25/);
});

test('FIRMS: the key is in no message; requests continue; fires become their frequency', async (t) => {
  const { server, install, risk } = await bench(t);
  const head = 'latitude,longitude,bright_ti4,acq_date,acq_time,confidence,type\n';
  server.answer = (url) => {
    const [, key, box, days, date] =
      /^\/api\/area\/csv\/(\w+)\/VIIRS_SNPP_SP\/([\d.,-]+)\/(\d)\/(\d{4}-\d\d-\d\d)$/.exec(url) ?? [];
    assert.deepEqual([key, box, Number(days) <= 5], ['KEY', '-6.25,39.75,-5.75,40.25', true], url);
    const fire = date!.slice(5, 7) === '08' ? `40.0,-6.0,330,${date},1200,n,0\n` : '';
    return { bytes: Buffer.from(head + fire), isMade: true };
  };
  const before = await risk('wildfire', 40, -6);
  server.breaksAfter = 500;
  const broken = await install('firms', '-6.2,39.8,-5.8,40.2');
  assert.equal(broken.code, 1);
  assert.ok(!`${broken.err}${broken.out}`.includes('KEY'), broken.err);
  server.breaksAfter = Infinity;
  const asked = server.asked.length;
  const done = await install('firms', '-6.2,39.8,-5.8,40.2');
  assert.equal(done.code, 0, done.err);
  // Thirteen years in requests of five days: those before the break are not asked for again.
  assert.ok(server.asked.length - asked < 460, `${server.asked.length - asked} requests`);
  const then = await risk('wildfire', 40, -6);
  assert.ok(then.score > before.score);
  assert.ok(
    then.read.some(({ version, source }) => version === 'firms-viirs-2025' && /2013 to 2025/.test(source)),
  );
  assert.ok(!existsSync(join(home, 'downloads', 'firms')));
});

test('ERA5: hourly weather becomes noon weather of each point, and fire danger', async (t) => {
  const { server, install, risk } = await bench(t);
  const start = Date.UTC(2006, 0, 1);
  const hours = (Date.UTC(2026, 0, 1) - start) / 3_600_000;
  const times = Array.from({ length: hours }, (_, i) =>
    new Date(start + i * 3_600_000).toISOString().slice(0, 16),
  );
  const season = times.map((_, i) => -Math.cos((2 * Math.PI * (i % 8766)) / 8766));
  const isNoon = (i: number): boolean => i % 24 === 12;
  server.answer = (url) => {
    assert.match(
      url,
      /^\/v1\/archive\?latitude=40&longitude=-6&start_date=2006-01-01&end_date=2025-12-31&hourly=temperature_2m,relative_humidity_2m,wind_speed_10m,precipitation&models=era5&timezone=GMT$/,
    );
    // Hours other than noon are cold and wet: they must not count.
    const hourly = {
      time: times,
      temperature_2m: season.map((s, i) => (isNoon(i) ? 20 + 16 * s : 0)),
      relative_humidity_2m: season.map((s, i) => (isNoon(i) ? 40 - 22 * s : 100)),
      wind_speed_10m: season.map((_, i) => (isNoon(i) ? 20 + (i % 7) : 0)),
      precipitation: season.map((s, i) => (s < 0 && i % 96 === 0 ? 10 : 0)),
    };
    return { bytes: Buffer.from(JSON.stringify({ hourly })), isMade: true };
  };
  const before = await risk('wildfire', 40, -6);
  const done = await install('era5-fire-weather', '-6.02,39.98,-5.98,40.02', '--json');
  assert.equal(done.code, 0, done.err);
  const { layers } = JSON.parse(done.out) as { layers: { layer: string; values?: { median: number } }[] };
  const severity = layers.find(({ layer }) => layer === 'fire-severity');
  assert.ok(severity!.values!.median > 5, JSON.stringify(severity));
  const then = await risk('wildfire', 40, -6);
  assert.notEqual(then.score, before.score);
  assert.ok(then.read.some(({ version, source }) => version === 'era5-2025' && /Open-Meteo/.test(source)));
});

test('what is available is listed with licence and source; what cannot be installed says how', async (t) => {
  const { run, install } = await bench(t);
  const { out } = await run(['layers', 'available', '--json'], async () => undefined);
  const { available, by_hand: byHand } = JSON.parse(out) as {
    available: { name: string; licence: string; source: string }[];
    by_hand: { name: string }[];
  };
  assert.deepEqual(
    DATASETS.map(({ name }) => name).filter((name) => !available.some((one) => one.name === name)),
    [],
  );
  assert.ok(available.every(({ licence, source }) => licence.length > 3 && source.length > 10));
  assert.ok(byHand.some(({ name }) => name === 'mcd64'));
  assert.match((await install('mcd64', '0,0,1,1')).err, /HDF4/);
  assert.match((await install('srtm', '0,0,1,1')).err, /expected one of ibtracs, .*jrc-flood; got "srtm"/);
});
