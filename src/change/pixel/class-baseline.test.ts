import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { PARAMETERS } from '../parameters.ts';
import { sceneFrame } from '../scene/scene-frame.ts';
import { JudgeBaseline } from './judge-baseline.ts';

test('a pixel whose rank lies midway between two classes follows half of the change in their gap', () => {
  const [times, classes] = [5, PARAMETERS.likeClasses];
  const timesMs = Float64Array.from({ length: times }, (_, t) => Date.UTC(2022, 5, 1) + t * 5 * DAY_MS);
  const median = Float64Array.from(
    { length: classes * times },
    (_, i) => 0.125 + 0.25 * Math.floor(i / times),
  );
  const widening = new Float64Array(classes * times);
  widening[1 * times + 4] = 0.08; // in the last scene, the gap between the second and the third class is wider
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
    const baseline = new JudgeBaseline(sceneFrame(spec, levels, 0.025));
    for (const [t, value] of values.entries()) baseline.add(t, value, Number.NaN);
    assert.ok(baseline.predict(4));
    return baseline.expected;
  };
  const isNear = (given: number, expected: number): void => assert.ok(Math.abs(given - expected) < 1e-12);
  isNear(expectedAfter([0.45, 0.55, 0.45, 0.55]), 0.5 - 0.5 * 0.08); // the pixel is below the third class
  isNear(expectedAfter([0.45, 0.45, 0.45, 0.55]), 0.45 + 0.25 * 0.08); // the pixel is above the second class
  isNear(expectedAfter([0.45, 0.45, 0.45, 0.45]), 0.45);
});
