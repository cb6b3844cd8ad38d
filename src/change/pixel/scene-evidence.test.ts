import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JudgeBaseline } from './judge-baseline.ts';
import { SceneEvidence } from './scene-evidence.ts';

const SEASONAL = { rho: 0.1, kind: 'harmonic', supported: true } as JudgeBaseline;

function together(...residuals: readonly number[]): number {
  const evidence = new SceneEvidence();
  evidence.clear();
  for (const z of residuals) evidence.add(z, SEASONAL, 1);
  return evidence.z;
}

test('indices of one scene are summed and divided by the deviation of a sum of values correlated by .7', () => {
  assert.equal(together(-3), -3);
  assert.ok(Math.abs(together(-2, -3) + 5 / Math.sqrt(2 + 2 * 0.7)) < 1e-12);
});

test('of clearly contradicting metrics the first one counts; a weak or an inverted one is no contradiction', () => {
  assert.equal(together(-5, 6), -5);
  assert.equal(together(4, 0.5, -4), 4);
  assert.ok(Math.abs(together(-5, 2) + 3 / Math.sqrt(3.4)) < 1e-12);
  const evidence = new SceneEvidence();
  evidence.clear();
  evidence.add(-5, SEASONAL, 1);
  evidence.add(5, SEASONAL, -1); // NDBI rises when NDVI falls, so the two do not contradict each other
  assert.ok(Math.abs(evidence.z + 10 / Math.sqrt(3.4)) < 1e-12);
});
