import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { recordedActs } from '../../../test/fixtures/recorded-acts.ts';
import { wildfireModel } from '../../risk/wildfire/wildfire.ts';
import { readDatesCsv } from '../../sources/imagery/dates-csv.ts';
import { FireCsvReader } from '../../sources/records/fire-csv.ts';
import { FolderLayerShelf } from '../../sources/layers/folder-layer-shelf.ts';
import { GeoTiffStackReader } from '../../sources/imagery/geotiff-stack.ts';
import { LayerStore } from '../../sources/layers/layer-store.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import { WeatherCsvReader } from '../../sources/records/weather-csv.ts';
import type { CliDeps } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { runCommand } from '../run.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2000, 0, 1);

/** The weather of day `i` at a place: dry summers, wet winters, slightly different in each year. */
function weather(i: number, place: number): readonly [t: number, h: number, w: number, r: number] {
  const date = new Date(START + i * DAY_MS);
  const summer = -Math.cos((2 * Math.PI * (i % 365.25)) / 365.25);
  const year = Math.sin(date.getUTCFullYear() * 1.7);
  const wet = i % 9 === 0 && summer < 0.6;
  return [16 + 14 * summer + 2 * year + 3 * place, 55 - 25 * summer - 4 * year, 12 + (i % 7), wet ? 8 : 0];
}

const dateOf = (i: number): string => new Date(START + i * DAY_MS).toISOString().slice(0, 10);

function bench(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-fire-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const stacks = new GeoTiffStackReader();
  const deps = {
    clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
    storage: recordedActs().storage,
    shelf: new FolderLayerShelf({ folder: join(home, 'layers'), catalogues: [] }),
    stacks: { open: (path: string) => stacks.open(path), readDates: readDatesCsv },
    weather: new WeatherCsvReader(),
    fires: new FireCsvReader(),
  } as unknown as CliDeps;
  const derive = (...argv: string[]) => run('fire-danger', ...argv);
  const run = async (...argv: string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const terminal = {
      out: (line: string) => out.push(line),
      err: (line: string) => err.push(line),
      version: '0',
    };
    const code = await runCommand(COMMANDS, ['layers', 'derive', ...argv], terminal, {
      open: () => Promise.resolve(deps),
      serve: () => Promise.reject(new Error('not here')),
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
  const read = async (layer: string, lat: number, lng: number) => {
    const store = await LayerStore.open({ folder: join(home, 'layers'), catalogues: [] });
    const snapshot = store.snapshot('production');
    const found = [];
    for (const card of snapshot.cards(layer)) {
      const [sample] = await snapshot.sample(card, Float64Array.of(lng), Float64Array.of(lat));
      found.push({ card, value: sample!.ok ? sample!.value : Number.NaN });
    }
    store.close();
    return found.sort((a, b) => (a.card.returnPeriodYears ?? 0) - (b.card.returnPeriodYears ?? 0));
  };
  const put = (name: string, content: string | Buffer): string => {
    writeFileSync(join(home, name), content);
    return join(home, name);
  };
  return { derive, run, read, put };
}

function csv(days: number, place = 0): string {
  const rows = Array.from({ length: days }, (_, i) => [dateOf(i), ...weather(i, place)].join(','));
  return `date,temp,rh,ws,prec\n${rows.join('\n')}\n`;
}

test("layers derive fire-danger: a station's weather becomes the layers that the wildfire model reads", async (t) => {
  const { derive, read, put } = bench(t);
  const station = put('station.csv', csv(365 * 12 + 3));
  const place = ['--lat', '40', '--lng', '-4', '--version', 'v1'];
  const made = await derive('--station', station, ...place);
  assert.equal(made.code, 0, made.err);
  assert.match(made.err, /4383 days of weather; complete years: 12/);
  const danger = await read('fire-danger', 40.1, -4.1);
  const [severity] = await read('fire-severity', 40.1, -4.1);
  assert.deepEqual(
    danger.map(({ card }) => card.returnPeriodYears),
    [null, 2, 5, 10, 25, 50, 100],
  );
  const levels = danger.map(({ value }) => value);
  for (let i = 1; i < levels.length; i++) assert.ok(levels[i]! > levels[i - 1]!, levels.join(' '));
  assert.ok(severity!.value > 1 && levels[0]! > 10 && levels.at(-1)! < 100);
  assert.ok(
    (await read('fire-danger', 40.3, -4)).every(({ value }) => Number.isNaN(value)),
    'beyond 25 km',
  );

  const seen = [...danger, severity!];
  const answer = wildfireModel.prepare(seen.map(({ card }) => card)).explain(
    seen.map(({ value }) => ({ ok: true, value })),
    40.1,
    -4.1,
  );
  assert.ok(answer.confidence > 0 && answer.hazardCurve.length > 0);
  assert.deepEqual(
    answer.exceedance!.map(({ from }) => from),
    [5.2, 11.2, 21.3, 38, 50],
  );
  const again = await derive('--station', station, ...place);
  assert.match(again.out, /was there already/);
  const other = await derive(
    '--station',
    station,
    ...place.slice(0, 4),
    '--version',
    'v2',
    '--variant',
    'ftr33',
  );
  assert.equal(other.code, 0, other.err);
  const variant = (await read('fire-danger', 40.1, -4.1)).find(({ card }) => card.version === 'v2')!;
  assert.ok(variant.value !== levels[0] && Math.abs(variant.value / levels[0]! - 1) < 0.05);
});

test('weather of real places: Saskatoon, the driest, has the highest danger of the Canadian cities (ERA5 1990-1993), and every form of station file is read', async (t) => {
  const shared = join(import.meta.dirname, '../../../../shared/data');
  if (!existsSync(shared)) return t.skip(`${shared} is absent`);
  const { derive, read } = bench(t);
  const severities: number[] = [];
  for (const [city, lat, lng] of [
    ['halifax', '44.5', '-63.4'],
    ['montreal', '45.5', '-73.4'],
    ['saskatoon', '52', '-106.65'],
  ] as const) {
    const station = join(shared, 'era5-daily-canada', `${city}.csv`);
    const made = await derive('--station', station, '--lat', lat, '--lng', lng, '--version', 'era5');
    assert.equal(made.code, 0, made.err);
    assert.match(made.err, /1461 days of weather; complete years: 4/);
    severities.push((await read('fire-severity', Number(lat), Number(lng)))[0]!.value);
  }
  const [halifax, montreal, saskatoon] = severities as [number, number, number];
  assert.ok(saskatoon > 2 * montreal && montreal > 2 * halifax && halifax > 0, severities.join(' '));
  const folder = join(shared, 'fire-weather-index');
  for (const [file, ...options] of [
    ['station_1_daily_weather.csv'],
    ['gfwed_2017_montreal.csv', '--lat', '47', '--lng', '-70', '--season', 'temperature-snow'],
    ['gfwed_2017_amazonie.csv', '--lat', '0', '--lng', '-61.9', '--season', 'all-year'],
  ] as const) {
    const made = await derive('--station', join(folder, file), ...options, '--version', file);
    assert.equal(made.code, 0, made.err);
  }
});

test('stacks give each pixel the same values as a station with its weather; a nodata pixel gets none', async (t) => {
  const { derive, read, put } = bench(t);
  const days = 366;
  const stack = (name: string, field: 0 | 1 | 2 | 3, change: (value: number) => number): string =>
    put(
      name,
      tiffFixture({
        width: 3,
        height: 1,
        kind: 'float32',
        bands: Array.from({ length: days }, (_, i) =>
          [0, 1, 2].map((place) => (place === 2 ? -9999 : change(weather(i, place)[field]))),
        ),
        origin: [-4, 40],
        pixel: [1, 1],
        nodata: '-9999',
      }),
    );
  const dates = put(
    'dates.csv',
    `band,date\n${Array.from({ length: days }, (_, i) => `${i + 1},${dateOf(i)}`).join('\n')}\n`,
  );
  const made = await derive(
    '--temperature',
    stack('t.tif', 0, (value) => value + 273.15),
    '--temperature-unit',
    'K',
    '--humidity',
    stack('h.tif', 1, (value) => value / 100),
    '--humidity-unit',
    '1',
    '--wind',
    stack('w.tif', 2, (value) => value / 3.6),
    '--wind-unit',
    'm/s',
    '--rain',
    stack('r.tif', 3, (value) => value),
    '--dates',
    dates,
    '--version',
    'stack',
  );
  assert.equal(made.code, 0, made.err);
  assert.match(made.err, /Return levels need ten complete years/);
  for (const place of [0, 1]) {
    const station = put(`s${place}.csv`, csv(days, place));
    const alone = await derive(
      '--station',
      station,
      '--lat',
      '39.5',
      '--lng',
      String(-3.5 + place),
      '--reach',
      '1',
      '--version',
      `s${place}`,
    );
    assert.equal(alone.code, 0, alone.err);
    const found = await read('fire-danger', 39.5, -3.5 + place);
    const [byStack, byStation] = ['stack', `s${place}`].map(
      (version) => found.find(({ card }) => card.version === version)!.value,
    );
    assert.ok(Math.abs(byStack! / byStation! - 1) < 1e-3, `${byStack} ${byStation}`);
  }
  const beyond = await read('fire-severity', 39.5, -1.5);
  assert.ok(beyond.every(({ value }) => Number.isNaN(value)));
});

test('unusable weather files and wrong options are refused with a message', async (t) => {
  const { derive, put } = bench(t);
  const place = ['--lat', '40', '--lng', '-4', '--version', 'v'];
  const year = csv(366).split('\n');
  const gap = [...year.slice(0, 100), ...year.slice(120)].join('\n');
  const shares = csv(366).replaceAll(
    /^(\d[^,]*,[^,]*),([^,]*)/gm,
    (_, before, h) => `${before},${Number(h) / 100}`,
  );
  const hot = year.with(10, '2000-01-10,290,40,10,0').join('\n');
  const cases: [string, string[], RegExp][] = [
    [csv(48), place, /no place whose weather is known in every month.*48 days from 2000-01-01/],
    [csv(366), ['--version', 'v'], /does not say where it stands: give --lat/],
    [csv(366), [...place, '--season', 'temperature-snow'], /no column snow_depth_m/],
    [
      csv(366),
      [...place, '--season', 'summer'],
      /--season: expected temperature or temperature-snow or all-year/,
    ],
    [csv(366), [...place, '--carry-over', '2'], /carry-over 2/],
    [csv(366), [...place, '--rain', 'r.tif'], /--station and --rain/],
    [gap, place, /no weather for the 20 days before 2000-04-29/],
    [shares, place, /no humidity above 1.5 % on any day: shares of 1 are --humidity-unit 1/],
    [hot, [...place, '--season', 'all-year'], /2000-01-10: temperatureC 290.*check the units/],
  ];
  for (const [text, options, message] of cases) {
    const refused = await derive('--station', put('bad.csv', text), ...options);
    assert.deepEqual([refused.code, message.test(refused.err)], [2, true], refused.err);
  }
  assert.equal((await derive('--version', 'v')).code, 2);
});

test('layers derive fire-history: a record of fires becomes layers of their number and burned area, where the record is complete', async (t) => {
  const { run, read, put } = bench(t);
  const rows = Array.from({ length: 12 }, (_, i) => `${2001 + i}-08-01,40,-4,${i === 0 ? 0.5 : 100}`);
  const record = put('fires.csv', `date,lat,lng,area_ha\n${rows.join('\n')}\n`);
  const box = ['--bbox', '-4.5,39.5,-3.5,40.5', '--version', 'v1'];
  const made = await run('fire-history', '--fires', record, ...box, '--from', '2001');
  assert.equal(made.code, 0, made.err);
  assert.match(made.err, /11 fires of 2001 to 2012/); // the fire of 0.5 ha is left out: it is under 1 ha
  const near = async (layer: string, lat: number) => (await read(layer, lat, -4))[0]!.value;
  const perKm2 = 11 / (Math.PI * 25) / 12;
  assert.ok(Math.abs((await near('fire-frequency', 40)) / perKm2 - 1) < 1e-5);
  // Each fire burned 100 ha, which is 1 km2.
  assert.ok(Math.abs((await near('burn-history', 40.02)) / perKm2 - 1) < 1e-5);
  assert.equal(await near('fire-frequency', 40.4), 0);
  assert.equal(await near('fire-record-years', 40.4), 12);
  assert.ok(Number.isNaN(await near('fire-frequency', 41)));
  for (const [args, message] of [
    [['--from', '2010'], /covers 2010 to 2012; at least 10 years/],
    [['--from', 'x'], /--from: expected a number/],
    [['--bbox', '-4,40,-4,40'], /expected more than 0.025 degrees each way/],
  ] as const) {
    const refused = await run('fire-history', '--fires', record, ...box, ...args);
    assert.deepEqual([refused.code, message.test(refused.err)], [2, true], refused.err);
  }
});
