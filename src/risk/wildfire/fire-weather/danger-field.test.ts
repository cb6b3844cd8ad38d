import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DangerField, type DangerRule, type WeatherFields } from './danger-field.ts';
import { CLOSED_SEASON, GLOBAL_FIRE_WEATHER, nextSeasonDay, WOTTON_FLANNIGAN } from './fire-season.ts';
import type { MoistureCodes } from './fire-weather.ts';
import { SPRING_CODES } from './fire-weather.ts';
import { nextFireDanger } from './next-fire-danger.ts';
import { overwinteredDroughtCode } from './overwintering.ts';
import { SeasonField } from './season-field.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const SHARED = join(ROOT, '../shared/data/fire-weather-index');
const ALL_YEAR: DangerRule = { variant: 'current', season: null, overwintering: null };

type Row = Readonly<Record<string, string>>;

function rowsOf(path: string): Row[] {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split(/\r?\n/);
  const names = head!.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, (cells[i] ?? '').trim()]));
  });
}

/** Returns weather fields with the same values at every place. */
function everywhere(
  places: number,
  values: readonly [temperature: number, humidity: number, wind: number, rain: number, snow?: number],
): WeatherFields {
  const [t, h, w, r, s] = values.map((value) => new Float64Array(places).fill(value!));
  return {
    temperatureC: t!,
    seasonTemperatureC: t!,
    relativeHumidity: h!,
    windKmh: w!,
    rainMm: r!,
    snowDepthM: s,
  };
}

/** Uniform random numbers in [0, 1) (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('a field of places reproduces the 48 days of Van Wagner & Pickett 1985, for each variant', () => {
  const rows = rowsOf(join(ROOT, 'data/tables/fire-weather-48-days.csv'));
  const current = new DangerField([40, 40], ALL_YEAR);
  const ftr33 = new DangerField([40], { ...ALL_YEAR, variant: 'ftr33' });
  for (const [i, row] of rows.entries()) {
    const [t, h, w, r, month] = [
      'temperature_c',
      'relative_humidity_pct',
      'wind_kmh',
      'rain_mm',
      'month',
    ].map((name) => Number(row[name])) as [number, number, number, number, number];
    current.next(everywhere(2, [t, h, w, r]), month);
    ftr33.next(everywhere(1, [t, h, w, r]), month);
    for (const place of [0, 1]) {
      const codes = current.codes(place);
      for (const name of ['ffmc', 'dmc', 'dc'] as const)
        assert.ok(
          Math.abs(codes[name] - Number(row[name])) <= 1e-6 * Math.max(1, codes[name]),
          `day ${i + 1} ${name}`,
        );
      for (const name of ['fwi', 'dsr'] as const)
        // The field stores single precision.
        assert.ok(Math.abs(current[name][place]! / Number(row[name]) - 1) < 1e-6, `day ${i + 1} ${name}`);
    }
    if (i === 0) assert.ok(Math.abs(ftr33.fwi[0]! - 10.09637139) < 1e-6);
  }
});

test('the seasons of a field equal those of each place alone, with either rule', () => {
  for (const rule of [WOTTON_FLANNIGAN, GLOBAL_FIRE_WEATHER]) {
    const random = generator(7);
    const field = new SeasonField(3, rule);
    const alone = [CLOSED_SEASON, CLOSED_SEASON, CLOSED_SEASON];
    let turns = 0;
    for (let day = 0; day < 1500; day++)
      for (let place = 0; place < 3; place++) {
        // Round to single precision, as the field does.
        const temperatureC = Math.fround(8 + 8 * Math.sin(day / 20 + place) + 8 * (random() - 0.5));
        const snowDepthM = Math.fround(temperatureC < 3 ? 0.05 * random() : 0);
        const before = alone[place]!;
        const now = nextSeasonDay(before, { temperatureC, snowDepthM }, rule);
        alone[place] = now;
        assert.equal(field.next(place, temperatureC, snowDepthM), now.open, `day ${day}`);
        if (before.open !== now.open) turns++;
      }
    assert.ok(turns > 30, `${turns} turns`);
  }
});

test('winter closes the season, and the drought code is carried over by the winter rain (Lawson & Armitage 2008)', () => {
  const rule: DangerRule = {
    variant: 'current',
    season: WOTTON_FLANNIGAN,
    overwintering: { carryOver: 0.75, wetting: 0.75 },
  };
  const field = new DangerField([50, -50], rule);
  const fresh = new DangerField([50], { ...rule, overwintering: null });
  const run = (days: number, t: number, rain: number, month: number): void => {
    for (let day = 0; day < days; day++) {
      field.next(everywhere(2, [t, 40, 15, rain]), month);
      fresh.next(everywhere(1, [t, 40, 15, rain]), month);
    }
  };
  run(3, 20, 0, 6);
  assert.deepEqual([...field.fwi], [0, 0], 'three warm days open it on the fourth');
  run(60, 20, 0, 6);
  assert.ok(field.fwi[0]! > 5);
  const before = field.codes(0).dc; // the three cold days still belong to the season
  run(3, 0, 0, 10);
  const autumn = field.codes(0).dc;
  assert.ok(autumn !== before);
  run(100, 0, 1.1, 12);
  assert.deepEqual([field.fwi[0], field.codes(0).dc], [0, autumn]);
  run(3, 20, 0, 4);
  const spring = overwinteredDroughtCode(autumn, 110, 0.75, 0.75);
  assert.ok(spring > SPRING_CODES.dc + 20);
  run(1, 20, 0, 4);
  const weather = { temperatureC: 20, relativeHumidity: 40, windKmh: 15, rainMm: 0 };
  const first = nextFireDanger({ ...SPRING_CODES, dc: spring }, weather, 50, 4);
  assert.ok(Math.abs(field.codes(0).dc - first.dc) < 1e-9 && Math.abs(field.fwi[0]! - first.fwi) < 1e-5);
  assert.ok(Math.abs(fresh.codes(0).dc - nextFireDanger(SPRING_CODES, weather, 50, 4).dc) < 1e-9);
});

test('a missing day has no index and leaves the codes unchanged; other places are not affected', () => {
  const field = new DangerField([40, 40], ALL_YEAR);
  field.next(everywhere(2, [17, 42, 25, 0]), 4);
  const codes: MoistureCodes = field.codes(0);
  const gap = everywhere(2, [20, 21, 25, 2.4]);
  (gap.rainMm as Float64Array)[0] = Number.NaN;
  field.next(gap, 4);
  assert.deepEqual([Number.isNaN(field.fwi[0]!), Number.isNaN(field.dsr[0]!)], [true, true]);
  assert.deepEqual(field.codes(0), codes);
  assert.ok(Math.abs(field.fwi[1]! - 9.22044587902297) < 1e-5, 'day 2 of the 48');
  assert.throws(() => field.next(everywhere(2, [290, 40, 10, 0]), 4), /temperatureC 290/);
});

test('a year of the Global Fire Weather Database is reproduced from the first day of spring (Field et al. 2015, Montreal 2017)', (t) => {
  const path = join(SHARED, 'gfwed_2017_montreal.csv');
  if (!existsSync(path)) return t.skip(`${path} is absent`);
  const field = new DangerField([47], {
    variant: 'ftr33',
    season: GLOBAL_FIRE_WEATHER,
    overwintering: null,
  });
  let [compared, worst] = [0, 0];
  for (const row of rowsOf(path)) {
    const value = (name: string): number => Number(row[name]);
    field.next(
      everywhere(1, [
        value('temp_noon_c'),
        value('rh_noon_pct'),
        value('wind_noon_kmh'),
        value('rain_24h_mm'),
        value('snow_depth_m'),
      ]),
      Number(row['date']!.slice(5, 7)),
    );
    if (row['FWI'] === '') {
      assert.equal(field.fwi[0], 0, row['date']);
      continue;
    }
    compared++;
    worst = Math.max(worst, Math.abs(field.fwi[0]! - value('FWI')) / Math.max(1, value('FWI')));
  }
  assert.ok(compared > 150 && worst < 5e-4, `${compared} days, the worst off by ${worst}`);
});
