import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decibelsOf,
  lookWeights,
  multiLook,
  orbitMetric,
  orbitPolarisation,
  powerOf,
  StripLooks,
} from './backscatter.ts';

test('decibels are ten times the decimal logarithm of power; no power has none', () => {
  assert.equal(decibelsOf(0.1), -10);
  assert.equal(powerOf(-20), 0.01);
  for (const power of [0, -0.001, Number.NaN, Infinity]) assert.ok(Number.isNaN(decibelsOf(power)));
});

test('a metric of an orbit says its polarisation, and other metrics say none', () => {
  assert.equal(orbitPolarisation(orbitMetric('vh', 98)), 'vh');
  for (const metric of ['vh', 'vv_orbit_0', 'hh_orbit_1', 'vh_orbit_1234', 'vh_orbit_'])
    assert.equal(orbitPolarisation(metric), undefined);
});

test('fine pixels are averaged over 50 m, coarse ones with half of their neighbours', () => {
  assert.deepEqual(lookWeights(10), [1, 1, 1, 1, 1]);
  assert.deepEqual(lookWeights(20), [1, 1, 1]);
  assert.deepEqual(lookWeights(30), [1, 2, 1]);
  assert.throws(() => lookWeights(0), RangeError);
});

test('the mean of power is kept, and a single bright pixel is spread by the weights', () => {
  const flat = multiLook(new Float32Array(20).fill(0.05), 5, [1, 2, 1]);
  for (const value of flat) assert.ok(Math.abs(value - 0.05) < 1e-8);
  const bright = new Float32Array(25);
  bright[12] = 16;
  const spread = multiLook(bright, 5, [1, 2, 1]);
  assert.deepEqual([...spread.subarray(5, 10)], [0, 1, 2, 1, 0]);
  assert.equal(spread[12], 4);
});

test('pixels without an observation stay so, and lonely pixels are none', () => {
  const power = new Float32Array(25).fill(Number.NaN);
  power[12] = 1;
  assert.ok(multiLook(power, 5, [1, 1, 1]).every((value) => Number.isNaN(value)));
  const hole = new Float32Array(25).fill(1);
  hole[12] = Number.NaN;
  assert.deepEqual(
    [...multiLook(hole, 5, [1, 1, 1]).entries()].filter(([, value]) => value !== 1).map(([p]) => p),
    [12],
  );
});

test('rows that come strip by strip are averaged as if they came at once, whatever the strips', () => {
  const [width, height] = [7, 23];
  const power = Float32Array.from({ length: width * height }, (_, p) => {
    const mixed = Math.imul(p + 1, 0x85ebca6b) >>> 20;
    return mixed % 3 === 0 ? Number.NaN : mixed;
  });
  for (const weights of [
    [1, 2, 1],
    [1, 1, 1, 1, 1],
  ]) {
    const atOnce = multiLook(power, width, weights);
    assert.ok(atOnce.some((value) => Number.isNaN(value)) && atOnce.some((value) => value > 0));
    for (const heights of [[23], [1, 1, 1, 20], [9, 2, 1, 8, 3], [22, 1]]) {
      const looks = new StripLooks(width, weights);
      let row = 0;
      const parts = heights.flatMap((rows) => {
        const strip = power.subarray(row * width, (row += rows) * width);
        return [...looks.add(strip, row === height)];
      });
      assert.deepEqual(Float32Array.from(parts), atOnce, `${weights.join(' ')}, ${heights.join(' ')}`);
    }
  }
});

test('speckle of 15 looks has the spread of 15 * 7.1 looks after weights of 1, 2, 1', () => {
  // Gamma-distributed power as the mean of 15 exponential ones, from a fixed sequence.
  let state = 12_345;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  const side = 128;
  const speckle = Float32Array.from({ length: side * side }, () => {
    let sum = 0;
    for (let k = 0; k < 15; k++) sum -= Math.log(uniform());
    return sum / 15;
  });
  const looks = (power: Float32Array): number => {
    const mean = power.reduce((sum, value) => sum + value, 0) / power.length;
    return mean ** 2 / (power.reduce((sum, value) => sum + (value - mean) ** 2, 0) / power.length);
  };
  assert.ok(Math.abs(looks(speckle) - 15) < 1);
  assert.ok(Math.abs(looks(multiLook(speckle, side, [1, 2, 1])) - (15 * 256) / 36) < 8);
});
