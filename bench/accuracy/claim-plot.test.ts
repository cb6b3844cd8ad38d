import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reliabilityPoints } from './claim-plot.ts';

test('each tenth of the stated confidence is a point of its means; certainty is in the highest tenth', () => {
  const claims = [
    { confidence: 0.12, isTrue: false },
    { confidence: 0.18, isTrue: true },
    { confidence: 0.1, isTrue: false },
    { confidence: 1, isTrue: true },
    { confidence: 0.9, isTrue: true },
    { confidence: 0.05, isTrue: false },
  ];
  const rounded = reliabilityPoints(claims).map(([stated, observed]) => [
    Number(stated.toFixed(3)),
    Number(observed.toFixed(3)),
  ]);
  assert.deepEqual(rounded, [
    [0.05, 0],
    [0.133, 0.333],
    [0.95, 1],
  ]);
});
