import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Interpolation, isInterpolated } from './interpolation.ts';

const QUANTUM = 1e-4; // step of the stored values

// NDVI of a pixel whose forest is cleared, from the labelled Landsat 8 series of Rondonia (e-sensing/sits). The
// producer of the series filled the values that clouds hid.
const FILLED = [
  0.8538, 0.855, 0.8562, 0.8575, 0.683, 0.6018, 0.5206, 0.4393, 0.485, 0.5308, 0.5766, 0.6224, 0.6682, 0.6969,
];

/** Lists each scene that counts as observed and the scene at which this becomes known, as `scene@known`. */
function observedAt(series: readonly number[], quantum = QUANTUM, from = 0): string[] {
  const interpolation = new Interpolation(quantum);
  interpolation.takeUp(series, 0, from);
  const scenes: string[] = [];
  for (let t = from; t < series.length; t++) {
    const late = interpolation.receive(t, series[t]!);
    for (const scene of [late, t]) {
      if (scene < 0) continue;
      const value = interpolation.observationAt(scene);
      if (Number.isNaN(value)) continue;
      assert.equal(value, series[scene]);
      scenes.push(`${scene}@${t}`);
    }
  }
  return scenes;
}

test('a value on the line through the two before it is no observation', () => {
  // .6018, .5206 and .4393 are filled values in the labelled Landsat 8 series of Rondonia (e-sensing/sits).
  assert.equal(isInterpolated(0.6018, 0.5206, 0.4393, 1e-4), true);
  assert.equal(isInterpolated(0.683, 0.6018, 0.5106, 1e-4), false);
});

test('equal values count as observed, as do metrics of unknown step and values without two before them', () => {
  assert.equal(isInterpolated(0.5, 0.5, 0.5, 1e-4), false);
  assert.equal(isInterpolated(1, 2, 3, 0), false);
  assert.equal(isInterpolated(Number.NaN, 0.5, 0.4, 1e-4), false);
});

test('the end of a line counts as observed once the next value leaves the line, and the value after it waits for one more', () => {
  assert.deepEqual(observedAt(FILLED), ['0@0', '1@1', '3@4', '4@5', '5@5', '7@8', '12@13']);
  // If scene 9 were not on the line through scenes 7 and 8, scene 8 would count as observed.
  const observed = FILLED.with(9, 0.51).slice(0, 10);
  assert.deepEqual(observedAt(observed).slice(-3), ['7@8', '8@9', '9@9']);
});

test('the state after earlier scenes follows from their values', () => {
  const gaps = FILLED.flatMap((value, t) => (t % 3 === 1 ? [value, Number.NaN] : [value]));
  for (const series of [FILLED, gaps]) {
    const whole = observedAt(series);
    for (let from = 1; from < series.length; from++) {
      const later = whole.filter((scene) => Number(scene.split('@')[1]) >= from);
      assert.deepEqual(observedAt(series, QUANTUM, from), later, `from ${from}`);
    }
  }
});

test('where the step is unknown, every value counts as observed at once', () => {
  assert.equal(observedAt(FILLED, 0).length, FILLED.length);
  assert.deepEqual(observedAt([0.5, Number.NaN, 0.4]), ['0@0', '2@2']);
});
