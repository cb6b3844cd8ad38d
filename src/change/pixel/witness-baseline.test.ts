import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { JudgeBaseline } from './judge-baseline.ts';
import type { FittedPart } from './seasonal-baseline.ts';
import { WitnessBaseline } from './witness-baseline.ts';
import { PARAMETERS } from '../parameters.ts';
import { sceneFrame } from '../scene/scene-frame.ts';

const TIMES = 150;

/** A frame of six years without classes or comparable scenes, so that a pixel has only its own history. */
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
  return sceneFrame({ width: 1, height: 1, pixelAreaM2: 100, metric: 'mndwi', timesMs }, levels, 0.1);
}

/** Value of a season with noise, a step in the fourth year and occasional extreme values. */
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

test('a witness fits later exactly what a judge fits at once, over refits, a stable end and years', () => {
  const judge = new JudgeBaseline(loneFrame());
  const witness = new WitnessBaseline(loneFrame());
  const judged: { scene: number; part: FittedPart; expected: number }[] = [];
  for (let t = 0; t < TIMES; t++) {
    if ((t * 5) % 7 === 3) continue; // cloud
    const isExpected = judge.predict(t);
    assert.equal(witness.predict(t), isExpected);
    if (isExpected) judged.push({ scene: t, part: witness.part, expected: judge.expected });
    judge.add(t, valueAt(t), Number.NaN);
    witness.add(t, valueAt(t));
  }
  assert.ok(new Set(judged.map(({ part }) => part)).size > 8, 'too few refits for the test');
  assert.ok(judged.some(({ part }) => part.from > 0));
  for (const { scene, part, expected } of judged.toReversed())
    assert.equal(witness.expectedAt(scene, part), expected);
});
