import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FittedPart, PixelBaseline } from './baseline.ts';
import { PARAMETERS } from '../parameters.ts';
import { sceneFrame } from '../scene/scene-frame.ts';

const DAY_MS = 86_400_000;
const TIMES = 150;

/** Six years of which nothing is known but one pixel: no classes, no comparable scenes. */
function loneFrame() {
  const timesMs = Float64Array.from({ length: TIMES }, (_, t) => Date.UTC(2018, 0, 4) + t * 15 * DAY_MS);
  const of = (count: number) => new Float64Array(count * TIMES).fill(Number.NaN);
  const classes = PARAMETERS.likeClasses;
  const levels = {
    edges: of(classes - 1),
    median: of(classes),
    comparable: new Uint8Array(classes * TIMES),
    level: of(classes),
    least: of(classes),
    widening: new Float64Array(classes * TIMES),
  };
  return sceneFrame({ width: 1, height: 1, pixelAreaM2: 100, metric: 'mndwi', timesMs }, levels);
}

/** A season with noise, a step in the fourth year, a wild value now and then. */
function valueAt(t: number): number {
  const noise = (((t * 7919) % 97) / 97 - 0.5) * 0.08;
  return Math.fround(
    0.4 +
      0.2 * Math.sin((2 * Math.PI * t * 15) / 365.25) +
      noise -
      (t > 85 ? 0.2 : 0) +
      (t % 31 === 0 ? 0.5 : 0),
  );
}

test('what a witness is asked late it had expected then, to the bit: over refits, a stable end and years', () => {
  const judge = new PixelBaseline(loneFrame(), 'judge');
  const witness = new PixelBaseline(loneFrame(), 'witness');
  const told: { scene: number; part: FittedPart; expected: number }[] = [];
  for (let t = 0; t < TIMES; t++) {
    if ((t * 5) % 7 === 3) continue; // cloud
    const isExpected = judge.predict(t);
    assert.equal(witness.predict(t), isExpected);
    if (isExpected) told.push({ scene: t, part: witness.part, expected: judge.expected });
    judge.add(t, valueAt(t), Number.NaN);
    witness.add(t, valueAt(t), Number.NaN);
  }
  assert.ok(new Set(told.map(({ part }) => part)).size > 8, 'too few refits to tell');
  assert.ok(told.some(({ part }) => part.from > 0));
  for (const { scene, part, expected } of told.toReversed())
    assert.equal(witness.expectedAt(scene, part), expected);
});

test('a pixel that ranks between two classes goes by both: by half of what they part in a scene when it lies midway', () => {
  const [times, classes] = [5, PARAMETERS.likeClasses];
  const timesMs = Float64Array.from({ length: times }, (_, t) => Date.UTC(2022, 5, 1) + t * 5 * DAY_MS);
  const median = Float64Array.from(
    { length: classes * times },
    (_, i) => 0.125 + 0.25 * Math.floor(i / times),
  );
  const widening = new Float64Array(classes * times);
  widening[1 * times + 4] = 0.08; // the second class and the third, in the last scene
  const levels = {
    edges: Float64Array.from({ length: (classes - 1) * times }, (_, i) => [0.25, 0.5, 0.75][i % 3]!),
    median,
    comparable: new Uint8Array(classes * times).fill(1),
    level: median,
    least: new Float64Array(classes * times).fill(Number.NEGATIVE_INFINITY),
    widening,
  };
  const spec = { width: 1, height: 1, pixelAreaM2: 100, metric: 'ndvi', timesMs };
  const expectedAfter = (values: readonly number[]): number => {
    const baseline = new PixelBaseline(sceneFrame(spec, levels), 'judge');
    for (const [t, value] of values.entries()) baseline.add(t, value, Number.NaN);
    assert.ok(baseline.predict(4));
    return baseline.expected;
  };
  const isNear = (given: number, expected: number): void => assert.ok(Math.abs(given - expected) < 1e-12);
  isNear(expectedAfter([0.45, 0.55, 0.45, 0.55]), 0.5 - 0.5 * 0.08); // of the third, from below
  isNear(expectedAfter([0.45, 0.45, 0.45, 0.55]), 0.45 + 0.25 * 0.08); // of the second, from above
  isNear(expectedAfter([0.45, 0.45, 0.45, 0.45]), 0.45);
});
