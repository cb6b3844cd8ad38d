import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { InvalidInput } from '../../../base/errors.ts';
import { FolderLayerShelf } from '../../../sources/layers/folder-layer-shelf.ts';
import { LayerStore } from '../../../sources/layers/layer-store.ts';
import { PointsFileReader } from '../../../sources/stations/points-file.ts';
import { deriveFloodLevels, floodLevelsBetween, type FloodLevelsRequest } from './derive-flood-levels.ts';

function derivation(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-gauges-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const options = { folder: join(home, 'layers'), catalogues: [] };
  const deps = {
    clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
    shelf: new FolderLayerShelf(options),
    points: new PointsFileReader(),
  };
  const run = (text: string, request: Partial<FloodLevelsRequest>) => {
    writeFileSync(join(home, 'g.csv'), text);
    return deriveFloodLevels(deps, {
      kind: 'river-flow',
      path: join(home, 'g.csv'),
      version: 'v1',
      ...request,
    });
  };
  const sample = async (layer: string, years: number | null, lat: number, lng: number): Promise<number> => {
    const store = await LayerStore.open(options);
    const snapshot = store.snapshot('production');
    const card = snapshot.cards(layer).find(({ returnPeriodYears }) => returnPeriodYears === years)!;
    const [found] = await snapshot.sample(card, Float64Array.of(lng), Float64Array.of(lat));
    store.close();
    return found!.ok ? found!.value : Number.NaN;
  };
  return { run, sample };
}

/** Yearly maxima at the plotting positions of a Gumbel distribution, in an order without trend. */
const maxima = (mode: number, scale: number, count = 40): number[] =>
  Array.from({ length: count }, (_, i) => {
    const rank = (i * 17) % count;
    return mode - scale * Math.log(-Math.log((rank + 0.56) / (count + 0.12)));
  });
const yearly = (values: readonly number[], title = 'flow', factor = 1): string =>
  [`year,${title}`, ...values.map((value, i) => `${1980 + i},${(factor * value).toFixed(4)}`)].join('\n');
const AT = { lat: 48, lng: 10 };

test('a flow gauge: stage above the bank per bankfull depth, in any unit, fading with the distance', async (t) => {
  const { run, sample } = derivation(t);
  const { gauges } = await run(yearly(maxima(500, 150), 'flow_cfs', 1 / 0.028316846592), AT);
  const [{ levels, layerLevels, trend }] = gauges as [(typeof gauges)[number]];
  assert.equal(trend, null);
  // The definition of the layer: half of (Q_T/Q_2)^0.6 - 1.
  for (const [i, { level }] of levels.entries())
    assert.ok(Math.abs(layerLevels[i]! - 0.5 * ((level / levels[0]!.level) ** 0.6 - 1)) < 1e-9);
  assert.ok(Math.abs((await sample('river-stage', 100, 48, 10)) - layerLevels[5]!) < 0.01);
  const errors = await Promise.all([48, 48.2, 48.5].map((lat) => sample('river-stage-error', null, lat, 10)));
  assert.ok(errors[0]! < errors[1]! && errors[1]! < errors[2]!, errors.join());
  assert.ok(Number.isNaN(await sample('river-stage', 100, 48.6, 10)), '67 km off');
  // With its area, a river twice as deep as the usual one of that area rises twice as high by the usual depth.
  const { gauges: known } = await run(yearly(maxima(500, 150)), { ...AT, areaKm2: 400, version: 'v2' });
  assert.ok(known[0]!.layerLevels[5]! > 1.2 * layerLevels[5]!);
});

test('a stage gauge needs the area, and a tide gauge the mean level, unless the record shows it', async (t) => {
  const { run } = derivation(t);
  const stages = yearly(maxima(3, 0.5), 'stage_m');
  await assert.rejects(run(stages, { ...AT, kind: 'river-level' }), /expected --area with the upstream area/);
  const { gauges } = await run(stages, { ...AT, kind: 'river-level', areaKm2: 1000, bankM: 4 });
  // The bankfull depth of 1,000 km2 is 0.27 (1.5 * 1000^0.7)^0.3 = 1.30 m.
  const { levels, layerLevels } = gauges[0]!;
  assert.ok(Math.abs(layerLevels[5]! - (levels[5]!.level - 4) / 1.301) < 0.01, `${layerLevels[5]}`);
  assert.equal(layerLevels[0], 0); // two years stay below the bank

  const tides = yearly(maxima(3.9, 0.2), 'sea_level');
  await assert.rejects(run(tides, { ...AT, kind: 'sea-level' }), /one level a year.*expected --mean-level/);
  const { gauges: sea } = await run(tides, { ...AT, kind: 'sea-level', meanLevelM: 1.8, version: 'v3' });
  assert.ok(Math.abs(sea[0]!.layerLevels[2]! - (sea[0]!.levels[2]!.level - 1.8)) < 1e-9);
  // Daily levels show their mean: 2 m, with one high tide a year.
  const high = maxima(3.9, 0.2, 12);
  const daily = high.flatMap((top, year) =>
    Array.from({ length: 365 }, (_, day) => {
      const date = new Date(Date.UTC(2000 + year, 0, 1 + day)).toISOString().slice(0, 10);
      return `${date};${(day === 40 ? top : 2 + 0.3 * Math.sin(day)).toFixed(3).replace('.', ',')}`;
    }),
  );
  const { gauges: shown } = await run(['date;water_level', ...daily].join('\n'), {
    ...AT,
    kind: 'sea-level',
    version: 'v4',
  });
  // Tables of NOAA: feet, and the day and the clock in two columns.
  const noaa = ['Date,Time (GMT),Predicted (ft),Verified (ft)', ...daily].map((line, i) =>
    i === 0
      ? line
      : line
          .replace(';', ',06:00,1,')
          .replace(/(\d+),(\d+)$/, (_, a: string, b: string) => String(Number(`${a}.${b}`) / 0.3048)),
  );
  const { gauges: feet } = await run(noaa.join('\n'), { ...AT, kind: 'sea-level', version: 'v5' });
  assert.ok(Math.abs(feet[0]!.layerLevels[0]! - shown[0]!.layerLevels[0]!) < 0.01);
  assert.equal(shown[0]!.years, 12);
  assert.ok(Math.abs(shown[0]!.levels[0]!.level - shown[0]!.layerLevels[0]! - 2) < 0.02);
});

test('implausible levels are refused with their numbers, unless they are confirmed', async (t) => {
  const { run } = derivation(t);
  const tides = maxima(2.1, 0.2);
  const sea = { ...AT, kind: 'sea-level', meanLevelM: 0 } as const;
  await assert.rejects(
    run(yearly(tides, 'sea_level', 100), sea),
    /every other year has 21\d m above the mean sea level of 0 m or more; plausible are 0\.15 to 10\. .*--keep-doubtful/,
  );
  const { doubts } = await run(yearly(tides, 'sea_level', 5.5), { ...sea, keepDoubtful: true });
  assert.match(doubts[0]!, /every other year has 11\.\d m/);
  await assert.rejects(
    run(yearly(maxima(300, 50), 'stage'), { ...AT, kind: 'river-level', areaKm2: 1000 }),
    /the level of 250 years is \d+ m above that of two years; plausible are up to 25/,
  );
  await assert.rejects(
    run(yearly(maxima(500, 150), 'flow', 35.3), { ...AT, areaKm2: 3 }),
    /every other year has 19\d+ m3\/s or more, \d+ times the usual flow from 3 km2/,
  );
});

test('options that do not fit are refused by name, and short records with their spans', async (t) => {
  const { run } = derivation(t);
  const flows = yearly(maxima(500, 150));
  for (const [request, message] of [
    [{ ...AT, bankM: 3 }, /bank 3: expected --kind river-level, got river-flow/],
    [
      { ...AT, kind: 'sea-level', areaKm2: 3 },
      /area 3: expected --kind river-level or river-flow, got sea-level/,
    ],
    [{ ...AT, areaKm2: -1 }, /area -1: expected an upstream area above 0/],
    [{ ...AT, reachKm: 5000 }, /reach 5000: expected 1 to 1000 km/],
    [{}, /does not say where its station stands: give --lat and --lng/],
  ] as const)
    await assert.rejects(
      run(flows, request),
      (error) => error instanceof InvalidInput && message.test(error.message),
    );
  await assert.rejects(
    run(yearly(maxima(500, 150, 9)), AT),
    /no gauge with 10 whole years .*station 48,10 has 9 of 9 years \(1980 to 1988\)/,
  );
});

test('a place between two gauges has their mean, weighted by their errors, with the error of the better one', () => {
  const gauge = (lng: number, level: number, logError: number) => ({
    lat: 0,
    lng,
    layerLevels: [level],
    logError,
  });
  const into = new Float64Array(1);
  const between = (a: number, b: number): readonly [number, number] => {
    const error = floodLevelsBetween(
      [gauge(-0.5, 2, a), gauge(0.5, 4, b)],
      { lat: 0, lng: 0 },
      200,
      0.35,
      into,
    );
    return [into[0]!, error];
  };
  const [middle, error] = between(0.1, 0.1);
  assert.ok(Math.abs(middle - 3) < 1e-9 && error > 0.1);
  assert.ok(between(0.1, 1)[0] < 2.6 && between(0.1, 1)[1] === error);
  assert.ok(Number.isNaN(floodLevelsBetween([gauge(9, 2, 0.1)], { lat: 0, lng: 0 }, 200, 0.35, into)));
});
