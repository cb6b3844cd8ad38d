import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { Satellite } from './acquisition.ts';
import { LIVE_FROM } from './events.ts';
import { regionLayers } from './hazards.ts';
import { indexScene } from './imagery.ts';
import { bowlVelocities, multilooked, RADAR_GRID } from './motion.ts';
import { PAST_YEARS, pastFires, pastWeather, yearlyGusts } from './past.ts';
import { passNumber } from './passes.ts';
import { stationSeries } from './stations.ts';
import { SANDBOX_GRID } from './terrain.ts';
import { dayOf } from './weather.ts';
import { makeWorld, type World } from './world.ts';

const SEED = 7;

/** SHA-256 digest of little-endian values. -9999 replaces NaN, because the bits of NaN depend on the machine. */
function digest(...parts: readonly (Float32Array | Float64Array | Int16Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part.map((value) => (Number.isNaN(value) ? -9999 : value)));
  return hash.digest('hex').slice(0, 16);
}

describe('what is delivered of the simulated region', () => {
  let world: World;
  let satellite: Satellite;
  before(() => {
    world = makeWorld(SEED, LIVE_FROM + 60);
    satellite = new Satellite(world);
  });

  test('the region has the same bytes on every machine', () => {
    const scene = indexScene(satellite.take(dayOf(2024, 8, 20)), world.ground);
    assert.equal(digest(...scene.indices, scene.sceneClass), '28f7972b56a8f4e3');
    assert.equal(digest(multilooked(world, dayOf(2024, 6, 1))), 'e7a72e299b31a21a');
    const series = stationSeries(world, 900, 930).flatMap(({ timesMs, values }) => [timesMs, values]);
    assert.equal(digest(...series), '41674694b2b0f453');
    const events = world.events.flatMap(({ pixels, since }) => [
      Float64Array.from(pixels),
      Float64Array.from(since),
    ]);
    assert.equal(digest(...events), 'e1454cb9006412bf');
    assert.equal(digest(...regionLayers(world).map(({ samples }) => samples)), '227e1c2aec139bdf');
  });

  test('passes are at least fifteen days apart, in whatever steps they are requested', () => {
    const all = satellite.deliveredPasses(0, LIVE_FROM);
    assert.ok(all.length > 50 && all.length < 74, `${all.length} passes in three years`);
    for (const [i, day] of all.entries()) {
      assert.ok(Number.isInteger(passNumber(day)));
      if (i > 0) assert.ok(day - all[i - 1]! >= 15);
    }
    const stepwise = new Satellite(world);
    const found: number[] = [];
    for (let day = 0; day < LIVE_FROM; day++) found.push(...stepwise.deliveredPasses(day, day + 1));
    assert.deepEqual(found, all);
    assert.deepEqual(
      satellite.deliveredPasses(100, 200),
      all.filter((day) => day >= 100 && day < 200),
    );
  });

  test('no data is delivered at sea, and clear land has the scene class of its cover', () => {
    const day = satellite.deliveredPasses(dayOf(2023, 6, 1), dayOf(2023, 8, 1))[0]!;
    const { indices, sceneClass } = indexScene(satellite.take(day), world.ground);
    let [forest, count] = [0, 0];
    world.land.cover.forEach((cover, i) => {
      if (world.ground.elevationM[i]! <= 0) assert.equal(sceneClass[i], 0);
      else if (cover === 10 && sceneClass[i] === 5) {
        forest += indices[0]![i]! / 10_000;
        count++;
      }
    });
    assert.ok(forest / count > 0.6, `NDVI of woods in summer: ${forest / count}`);
  });

  test('a radar pixel is the mean of four, and NaN where one of them is water', () => {
    const mm = multilooked(world, 600);
    assert.equal(mm.length, RADAR_GRID.width * RADAR_GRID.height);
    const { width } = SANDBOX_GRID;
    const wet = (p: number): boolean =>
      [0, 1, width, width + 1].some(
        (step) =>
          world.ground.isWater[
            2 * Math.floor(p / RADAR_GRID.width) * width + 2 * (p % RADAR_GRID.width) + step
          ] === 1,
      );
    for (let p = 0; p < mm.length; p++) assert.equal(Number.isNaN(mm[p]!), wet(p));
  });

  test('the bowl is deepest in its middle, sinking by 26 mm a year', () => {
    const bowl = world.events.find(({ kind }) => kind === 'subsidence')!;
    const velocities = bowlVelocities(bowl);
    const deepest = Math.min(...velocities);
    assert.ok(deepest < -25.9 && deepest >= -26, `${deepest}`);
    assert.ok(Math.max(...velocities) < 0);
  });

  test('stations report each day once, and a day requested alone has the same values', () => {
    const both = stationSeries(world, 400, 402);
    const second = stationSeries(world, 401, 402);
    assert.equal(both.length, second.length);
    for (const [i, series] of both.entries()) {
      assert.equal(series.timesMs.length, 2);
      assert.equal(series.values[1], second[i]!.values[0], `${series.key} ${series.metric}`);
      assert.ok(series.values.every(Number.isFinite));
    }
  });

  test('the planted deluge makes the river rise tenfold', () => {
    const flow = (day: number): number =>
      stationSeries(world, day, day + 1).find(({ metric }) => metric === 'river_flow')!.values[0]!;
    assert.ok(flow(dayOf(2024, 10, 7)) > 10 * flow(dayOf(2024, 8, 10)));
  });

  test('rarer floods are deeper, and the sea floods only where it can flow to', () => {
    const maps = regionLayers(world);
    for (const layer of ['flood-depth', 'coastal-flood-depth']) {
      const depths = maps.filter((map) => map.layer === layer);
      assert.deepEqual(
        depths.map(({ returnPeriodYears }) => returnPeriodYears),
        [10, 20, 50, 100, 200, 500],
      );
      for (let k = 1; k < depths.length; k++)
        depths[k]!.samples.forEach((depth, i) => assert.ok(depth >= depths[k - 1]!.samples[i]!));
      assert.ok(depths.at(-1)!.samples.some((depth) => depth > 0.3));
    }
    const shore = maps.find(({ layer }) => layer === 'coast-distance')!.samples;
    world.ground.elevationM.forEach((metres, i) => assert.equal(shore[i]! > 0, metres > 0));
  });

  test('thirty earlier years are recorded, each with gusts, and with fires on land', () => {
    const [harbour, , ridge] = pastWeather(world).map(yearlyGusts);
    assert.equal(harbour!.length, PAST_YEARS.to - PAST_YEARS.from + 1);
    const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b) / values.length;
    assert.ok(mean(ridge!) > mean(harbour!));
    assert.ok(mean(harbour!) > 20 && mean(harbour!) < 35, `${mean(harbour!)} m/s`);
    const fires = pastFires(SEED, world.ground);
    assert.ok(fires.length > 15 && fires.every(({ areaHa }) => areaHa >= 1));
  });
});
