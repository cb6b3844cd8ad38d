import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { type ProviderServer, providerServer } from '../../../../test/fixtures/provider-server.ts';
import { testStorage, type TestStorage } from '../../../../test/fixtures/storage.ts';
import { DAY_MS, HOUR_MS } from '../../../base/time.ts';
import { fileDownloads } from '../../../sources/layers/file-downloads.ts';
import { PointsFileReader } from '../../../sources/stations/points-file.ts';
import { addStationFeed, type StationFeedReport } from './follow-stations.ts';
import { keepFeeds } from '../../feed-turns.ts';
import { takeStationTurn } from './keep-station-feeds.ts';

const SITES = `#  US Geological Survey
agency_cd\tsite_no\tstation_nm\tsite_tp_cd\tdec_lat_va\tdec_long_va\tcoord_acy_cd
5s\t15s\t50s\t7s\t16s\t16s\t1s
USGS\t01646500\tPOTOMAC RIVER NEAR WASH, DC LITTLE FALLS PUMP STA\tST\t38.94977778\t-77.12763889\t1
USGS\t01638500\tPOTOMAC RIVER AT POINT OF ROCKS, MD\tST\t39.27358\t-77.54311\t1
`;
/** Instantaneous values as USGS hands them out: 15 minutes apart, in the clock of the site. */
const flow = (site: string, rows: readonly (readonly [time: string, value: string])[]): string =>
  [
    '# ---------------------------------- WARNING ----------------------------------------',
    'agency_cd\tsite_no\tdatetime\ttz_cd\t69928_00060\t69928_00060_cd',
    '5s\t15s\t20d\t6s\t14n\t10s',
    ...rows.map(([time, value]) => `USGS\t${site}\t${time}\tEST\t${value}\tP`),
    '',
  ].join('\n');

describe('stations that are followed', () => {
  let world: TestStorage;
  let server: ProviderServer;
  let nowMs = Date.parse('2026-11-20T12:00:00Z');
  const downloadFolder = mkdtempSync(join(tmpdir(), 'groundwatch-stations-'));
  before(async () => {
    [world, server] = await Promise.all([testStorage(), providerServer()]);
  });
  after(async () => {
    await Promise.all([world.close(), server[Symbol.asyncDispose]()]);
    rmSync(downloadFolder, { recursive: true });
  });
  afterEach(async () => {
    for (const { id } of await world.storage.stationFeeds.list()) await world.storage.stationFeeds.remove(id);
    server.asked.length = 0;
    nowMs = Date.parse('2026-11-20T12:00:00Z');
    assert.deepEqual(readdirSync(downloadFolder), []);
  });
  const deps = () => ({
    storage: world.storage,
    clock: { now: () => nowMs },
    points: new PointsFileReader(),
    downloads: fileDownloads(() => server.reader, String),
    downloadFolder,
  });
  type Feed = Parameters<typeof addStationFeed>[1];
  const follow = (over: Partial<Feed>): Promise<string> =>
    addStationFeed(deps(), {
      environment: 'production',
      accountId: null,
      name: 'potomac',
      provider: 'usgs',
      base: `${server.base}/`,
      metric: 'river_flow',
      keys: ['01646500'],
      startsAt: new Date('2026-08-01T00:00:00Z'),
      everyMs: DAY_MS,
      ...over,
    });
  const turn = async (id?: string): Promise<StationFeedReport | undefined> => {
    let report: StationFeedReport | undefined;
    await takeStationTurn(deps(), (_, done) => (report = done), new AbortController().signal, id);
    return report;
  };
  const stored = async (name: string, metric: string) => {
    const { rows } = await sql`
      select s.key, s.position[1] as lat, s.position[0] as lng from stations s join collections c on c.id = s.collection_id
      where c.name = ${name} and c.metric = ${metric} order by s.key`.execute(world.database.db);
    return rows;
  };

  test('USGS: history in parts of 120 days, then only what is new, at the places that USGS tells', async () => {
    const rows: [string, string][] = [
      ['2026-08-02 00:00', '100'],
      ['2026-08-02 00:15', 'Ice'],
    ];
    server.answer = (url) => {
      if (url.startsWith('/nwis/site/')) return { bytes: Buffer.from(SITES), isMade: true };
      const site = /sites=(\d+)/.exec(url)![1]!;
      return url.includes('startDT=2025') ? 404 : { bytes: Buffer.from(flow(site, rows)), isMade: true };
    };
    const id = await follow({
      keys: ['01646500', '01638500', '01646500'],
      startsAt: new Date('2025-11-01T00:00:00Z'),
    });
    const first = (await turn())!;
    assert.deepEqual([first.problems, first.added], [[], 2]);
    assert.deepEqual(
      server.asked.slice(1).map(({ url }) => url.replace(/^.*sites=(\d+).*startDT/, '$1 startDT')),
      ['01646500', '01638500'].flatMap((site) =>
        [
          ['2025-11-01', '2026-02-28'],
          ['2026-03-01', '2026-06-28'],
          ['2026-06-29', '2026-10-26'],
          ['2026-10-27', '2026-11-20'],
        ].map(([from, to]) => `${site} startDT=${from}&endDT=${to}`),
      ),
    );
    assert.deepEqual(await stored('potomac', 'river_flow'), [
      { key: '01638500', lat: 39.27358, lng: -77.54311 },
      { key: '01646500', lat: 38.94977778, lng: -77.12763889 },
    ]);
    assert.equal(await turn(), undefined, 'it is not due');
    nowMs += DAY_MS;
    rows.push(['2026-11-21 00:00', '250']);
    server.asked.length = 0;
    assert.equal((await turn(id))!.added, 2);
    assert.ok(
      server.asked.every(({ url }) => url.endsWith('startDT=2026-11-13&endDT=2026-11-21')),
      server.asked[0]!.url,
    );
  });

  test('NGL: whole series of GNSS stations; one that is not there does not keep the others', async () => {
    const header =
      'site YYMMMDD yyyy.yyyy __MJD week d reflon _e0(m) __east(m) ____n0(m) _north(m) u0(m) ____up(m) _ant(m) sig_e(m) sig_n(m) sig_u(m) __corr_en __corr_eu __corr_nu _latitude(deg) _longitude(deg) __height(m)';
    const line = (day: string, up: string): string =>
      `P123 ${day} 2026.8 61000 2400 1 -105.4 -1000 0.1 4000000 0.2 1800 ${up} 0.0083 0.001 0.001 0.003 0 0 0 36.6354 -105.9145 1800.5`;
    server.answer = (url) =>
      url === '/gps_timeseries/tenv3/IGS14/P123.tenv3'
        ? {
            bytes: Buffer.from([header, line('26NOV01', '0.100'), line('26NOV02', '0.103'), ''].join('\n')),
            isMade: true,
          }
        : 404;
    await follow({
      name: 'gnss',
      provider: 'ngl',
      metric: 'displacement_up',
      keys: ['NONE', 'P123'],
      everyMs: 5 * HOUR_MS,
    });
    const report = (await turn())!;
    assert.equal(report.added, 2);
    assert.deepEqual(
      report.problems.map(({ station }) => station),
      ['NONE'],
    );
    assert.match(report.problems[0]!.problem, /404/);
    const [feed] = await world.storage.stationFeeds.list();
    assert.match(feed!.problem!, /^1 of 2 stations failed; NONE: /);
    assert.ok(feed!.nextAt.getTime() <= Date.now() + HOUR_MS + 1000, 'again within an hour');
    assert.deepEqual(
      feed!.stations.map(({ takenAt }) => takenAt),
      [undefined, '2026-11-20T12:00:00.000Z'],
    );
    assert.deepEqual(await stored('gnss', 'displacement_up'), [
      { key: 'P123', lat: 36.6354, lng: -105.9145 },
    ]);
  });

  test('Meteostat: packed files of a year each, and places from its list of stations', async () => {
    server.answer = (url) => {
      if (url === '/v2/stations/lite.json.gz')
        return {
          bytes: gzipSync(
            JSON.stringify([{ id: '10637', location: { latitude: 50.05, longitude: 8.6, elevation: 111 } }]),
          ),
          isMade: true,
        };
      if (url !== '/daily/2026/10637.csv.gz') return 404;
      const table =
        'date,temp,temp_source,prcp\n2026-11-18,4.1,dwd,0.3\n2026-11-19,,dwd,\n2026-11-20,6.5,dwd,2\n';
      return { bytes: gzipSync(table), isMade: true };
    };
    await follow({
      name: 'weather',
      provider: 'meteostat',
      metric: 'temperature',
      keys: ['10637'],
      startsAt: new Date('2025-06-01T00:00:00Z'),
    });
    const report = (await turn())!;
    assert.deepEqual([report.problems, report.added], [[], 2]);
    assert.deepEqual(await stored('weather', 'temperature'), [{ key: '10637', lat: 50.05, lng: 8.6 }]);
  });

  test('one process fetches a feed at a time; the loop takes what is due, and stops', async () => {
    server.answer = (url) => ({
      bytes: Buffer.from(
        url.startsWith('/nwis/site/') ? SITES : flow('01646500', [['2026-11-19 00:00', '7']]),
      ),
      isMade: true,
    });
    const id = await follow({});
    const { stationFeeds } = world.storage;
    assert.equal((await stationFeeds.hold('dead', 60_000))?.id, id);
    assert.equal(await turn(id), undefined);
    assert.equal(await stationFeeds.renew(id, 'another', 60_000), false);
    await stationFeeds.release(id, 'dead');
    const done: number[] = [];
    const stop = keepFeeds(
      (signal) => takeStationTurn(deps(), (_, { added }) => done.push(added), signal),
      (error) => assert.fail(String(error)),
      5,
    );
    while (done.length === 0) await sleep(5);
    await stop();
    assert.equal(done.length, 1);
  });

  test('what cannot be followed is refused before anything is stored', async () => {
    server.answer = () => ({ bytes: Buffer.from(SITES), isMade: true });
    for (const [over, message] of [
      [{ keys: ['P123'] }, /--stations: expected a site number of 8 to 15 digits for each station, got P123/],
      [{ keys: ['99999999'] }, /--stations: usgs tells no place of 99999999/],
      [{ metric: 'ndvi' }, /--metric: expected one of usgs: river_flow, river_level; got ndvi/],
      [{ name: 'a b' }, /expected a name/],
    ] as const)
      await assert.rejects(follow(over), { name: 'InvalidInput', message });
    await follow({});
    await assert.rejects(follow({}), /There is a feed of stations potomac in production already/);
    assert.equal((await world.storage.stationFeeds.list()).length, 1);
    server.answer = () => 403;
    await assert.rejects(follow({ name: 'other' }), { name: 'UpstreamUnavailable' });
  });
});
