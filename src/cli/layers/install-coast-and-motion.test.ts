import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installedAt, layerInstaller } from '../../../test/fixtures/layer-installer.ts';
import { rectangle, shapefileFixture } from '../../../test/fixtures/shapefile-fixture.ts';
import { zipFixture } from '../../../test/fixtures/zip-fixture.ts';

test('GSHHG: an islet that the shipped coast lacks gets an answer; the archive is fetched in pieces', async (t) => {
  const { server, install, risk } = await layerInstaller(t);
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
  const { server, install, risk } = await layerInstaller(t);
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
    rmSync(join(installedAt, 'downloads', 'osm-coast'), { recursive: true, force: true });
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
  raster = Buffer.from('II*\0'),
) {
  const head =
    'pid,easting,northing,height,rmse,mean_velocity,mean_velocity_std,acceleration,acceleration_std,seasonality,seasonality_std,20200105,20200111';
  const rows = points.map(
    ([x, y, v], i) => `p${i},${x},${y},12.3,1.1,${v},0.2,0.01,0.05,1.2,0.3,0.0,${v / 60}`,
  );
  return zipFixture(
    {
      [`${name}.csv`]: Buffer.from(`${[head, ...rows].join('\n')}\n`),
      [`${name}.tiff`]: raster,
      [`${name}.xml`]: Buffer.from('<x/>'),
    },
    true,
  );
}

test('EGMS: tiles by token, the newest release of each, the points of the box only', async (t) => {
  const { server, install, risk } = await layerInstaller(t);
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
  const without = await layerInstaller(t, '');
  const missing = await without.install('egms', bbox);
  assert.equal(missing.code, 2);
  assert.match(missing.err, /expected a key in GROUNDWATCH_EGMS_TOKEN_FILE.*sign in at https:\/\/egms/);
  const { server, install } = await layerInstaller(t, 'OLD');
  const points = [[4_504_000, 2_483_400, -3]] as const;
  const bytes = motionTile('EGMS_L3_E45N24_100km_U_2020_2024_1', points, randomBytes(5_000_000));
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
