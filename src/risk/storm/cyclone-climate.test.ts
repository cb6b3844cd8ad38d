import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CycloneCounter, kernelReachCells, type CycloneGrid } from './cyclone-climate.ts';
import { interpolateTrack, type TrackFix } from './cyclone-track.ts';
import { cycloneWindField } from './cyclone-wind.ts';

const HOUR_MS = 3_600_000;

/**
 * A storm that starts at (lat, lng) and moves east by 0.15 degrees per hour and north by `northward` degrees per
 * hour.
 */
function storm(lat: number, lng: number, windMps: number, hours = 24, northward = 0): TrackFix[] {
  return [0, hours / 2, hours].map((hour) => ({
    timeMs: hour * HOUR_MS,
    lat: lat + northward * hour,
    lng: wrap(lng + 0.15 * hour),
    maxWindMps: windMps,
    centralPressureHPa: 960,
  }));
}

function wrap(lng: number): number {
  return ((((lng + 180) % 360) + 360) % 360) - 180;
}

const box = (west: number, north: number): CycloneGrid => ({
  west,
  north,
  width: 41,
  height: 41,
  step: 0.25,
});
const STORMS = [
  [15, 1, 45],
  [16, 0, 60],
  [14.5, 2, 30],
] as const;

function climateOf(grid: CycloneGrid, shift: number, mirror = 1) {
  const counter = new CycloneCounter(grid);
  for (const [lat, lng, wind] of STORMS) counter.add(storm(mirror * lat, lng + shift, wind));
  return counter.climate(30, [2, 10, 50]);
}

test('the same storms on either side of the antimeridian, and across it, give the same climate', () => {
  const here = climateOf(box(-4, 20), 0);
  assert.ok(Math.max(...here.levels[2]!) > 40);
  for (const shift of [178, -180, 182]) {
    const there = climateOf(box(shift - 4, 20), shift);
    for (const [i, level] of here.levels.entries())
      for (let cell = 0; cell < level.length; cell++)
        assert.ok(Math.abs(level[cell]! - there.levels[i]![cell]!) < 0.05, `${shift}: ${level[cell]}`);
  }
});

test('on a global grid a storm is counted at both ends of the rows', () => {
  const round: CycloneGrid = { west: -180, north: 20, width: 1440, height: 41, step: 0.25 };
  const counter = new CycloneCounter(round);
  for (let n = 0; n < 10; n++) counter.add(storm(15, 179, 50));
  const { storms } = counter.climate(10, [2]);
  const row = 20 * 1440; // 15 N
  assert.ok(storms[row + 1438]! > 5 && storms[row + 1]! > 5, 'at 179.5 E and at 179.75 W');
  assert.equal(storms[row + 720], 0, 'not at 0 E');
});

test('a storm mirrored in the equator has the mirrored climate', () => {
  const north = climateOf(box(-4, 20), 0);
  const south = climateOf(box(-4, -10), 0, -1);
  for (let row = 0; row < 41; row++)
    for (let col = 0; col < 41; col++) {
      const a = north.levels[2]![row * 41 + col]!;
      const b = south.levels[2]![(40 - row) * 41 + col]!;
      assert.ok(Math.abs(a - b) < 0.05, `${row}, ${col}: ${a} and ${b}`);
    }
});

test('counts before pooling equal brute force over every storm and cell', () => {
  const grid = box(-4, 20);
  const counter = new CycloneCounter(grid);
  const states = STORMS.map(([lat, lng, wind]) =>
    interpolateTrack(storm(lat, lng, wind), 0.5).map(cycloneWindField),
  );
  for (const [lat, lng, wind] of STORMS) counter.add(storm(lat, lng, wind));
  const { storms } = counter.climate(1, [2]);
  const raw = Array.from({ length: 41 * 41 }, (_, cell) => {
    const [lat, lng] = [20 - Math.floor(cell / 41) * 0.25, -4 + (cell % 41) * 0.25];
    return states.filter((fields) => fields.some((field) => field.windAt(lat, lng) > 17)).length;
  });
  // The kernel at the middle cell by its definition: a Gaussian of 80 km, truncated at three standard deviations.
  const lat = 20 - 20 * 0.25;
  let sum = 0;
  let weights = 0;
  for (let row = 0; row < 41; row++)
    for (let col = 0; col < 41; col++) {
      const y = (row - 20) * 0.25 * 111.195;
      const squeeze = Math.cos(((20 - row * 0.25) * Math.PI) / 180);
      const x = (col - 20) * 0.25 * 111.195 * squeeze;
      if (Math.abs(row - 20) > Math.ceil(240 / (0.25 * 111.195))) continue;
      if (Math.abs(col - 20) > Math.ceil(240 / (0.25 * 111.195 * squeeze))) continue;
      const weight = Math.exp((-0.5 * (x * x + y * y)) / 6400);
      sum += weight * raw[row * 41 + col]!;
      weights += weight;
    }
  assert.ok(
    Math.abs(storms[20 * 41 + 20]! - sum / weights) < 0.01,
    `${storms[20 * 41 + 20]} at ${lat} N, ${sum / weights}`,
  );
});

test('levels rise with the return period and the number of storms, and are 0 where storms are too rare', () => {
  const { levels } = climateOf(box(-4, 20), 0);
  const counter = new CycloneCounter(box(-4, 20));
  for (const [lat, lng, wind] of [...STORMS, [15.5, 1.5, 52]] as const) counter.add(storm(lat, lng, wind));
  const more = counter.climate(30, [2, 10, 50]);
  for (let cell = 0; cell < levels[0]!.length; cell++) {
    assert.ok(levels[1]![cell]! <= levels[2]![cell]!);
    assert.ok(more.levels[2]![cell]! >= levels[2]![cell]!);
    assert.equal(levels[0]![cell], 0, 'three storms in thirty years are no two-year event');
  }
  assert.equal(counter.stormCount, 4);
  assert.throws(() => counter.climate(0, [10]), RangeError);
});

test('inland, winds of a storm at sea decay with the time that the storm would need to arrive', () => {
  const grid = box(-4, 20);
  const open = new CycloneCounter(grid);
  const inland = new CycloneCounter(
    grid,
    Float32Array.from({ length: 41 * 41 }, (_, cell) => {
      const lat = 20 - Math.floor(cell / 41) * 0.25;
      return Math.max(0, (lat - 15.5) * 111); // the coast runs along 15.5 N, land lies north of it
    }),
  );
  for (const counter of [open, inland]) for (let n = 0; n < 10; n++) counter.add(storm(15, -2, 50));
  const [before, after] = [open.climate(10, [2]).levels[0]!, inland.climate(10, [2]).levels[0]!];
  const cell = (lat: number): number => Math.round((20 - lat) / 0.25) * 41 + 20;
  assert.ok(Math.abs(after[cell(13)]! - before[cell(13)]!) < 1e-6, 'at sea');
  assert.ok(after[cell(16.25)]! < before[cell(16.25)]! - 1, `${after[cell(16.25)]}, ${before[cell(16.25)]}`);
  assert.ok(after[cell(16.25)]! > 17);
  assert.throws(() => new CycloneCounter(grid, new Float32Array(3)), RangeError);
});

test('a storm with an extratropical part between two tropical ones is one storm', () => {
  const counter = new CycloneCounter(box(-4, 20));
  counter.add(storm(15, -1, 45), storm(15, 2, 45));
  const twice = new CycloneCounter(box(-4, 20));
  twice.add(storm(15, -1, 45));
  twice.add(storm(15, 2, 45));
  assert.equal(counter.stormCount, 1);
  assert.equal(twice.stormCount, 2);
});

test('the wider kernel reaches three standard deviations of 300 km', () => {
  assert.equal(kernelReachCells(0.25, 0), Math.ceil(900 / (0.25 * 111.195)));
  assert.equal(kernelReachCells(0.25, 60), Math.ceil(1800 / (0.25 * 111.195) - 1e-9));
});
