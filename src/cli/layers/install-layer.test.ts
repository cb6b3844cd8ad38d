import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installedAt, layerInstaller } from '../../../test/fixtures/layer-installer.ts';
import { tiffFixture, WGS84_KEYS } from '../../../test/fixtures/tiff-fixture.ts';
import { zipFixture } from '../../../test/fixtures/zip-fixture.ts';
import { DATASETS } from '../../app/layers/install/datasets.ts';

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
  const { server, run, install, risk } = await layerInstaller(t);
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
  assert.ok(!existsSync(join(installedAt, 'downloads', 'ibtracs')), 'the download is deleted');
});

test('an error page in place of a file is refused with its words, and installs nothing', async (t) => {
  const { server, install, risk } = await layerInstaller(t);
  server.answer = () => ({ bytes: Buffer.from('Service is moving\n'), etag: '"1"' });
  const refused = await install('ibtracs', '177,-19,180,-16');
  assert.equal(refused.code, 2);
  assert.match(refused.err, /expected best tracks, got something else from the provider: Service is moving/);
  assert.ok(
    (await risk('storm', -17.7, 178.5)).read.every(({ version }) => version !== 'ibtracs-2026-11-21'),
  );
});

test('SoilGrids: squares of a degree in g/kg become percent, and no clay stays nodata', async (t) => {
  const { server, install, risk } = await layerInstaller(t);
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
  const { server, install, risk } = await layerInstaller(t);
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

test('FIRMS: the key is in no message; requests continue; fires become their frequency', async (t) => {
  const { server, install, risk } = await layerInstaller(t);
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
  assert.ok(!existsSync(join(installedAt, 'downloads', 'firms')));
});

test('ERA5: hourly weather becomes noon weather of each point, and fire danger', async (t) => {
  const { server, install, risk } = await layerInstaller(t);
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
  const { run, install } = await layerInstaller(t);
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
