import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crossing } from './crossing.ts';

/** Returns the state of a watch after each score: `!` a crossing, `+` above the threshold, `-` not above. */
function follow(threshold: number, scores: readonly (number | null)[]): string {
  let isAbove = false;
  let told = '';
  for (const riskScore of scores) {
    const score = riskScore === null ? { riskScore: 0.99, confidence: 0 } : { riskScore, confidence: 0.4 };
    const { hasCrossed, isAbove: next } = crossing({ threshold, isAbove }, score);
    isAbove = next;
    told += hasCrossed ? '!' : isAbove ? '+' : '-';
  }
  return told;
}

test('a crossing is reported once, and again only after the score was 0.05 below the threshold', () => {
  assert.equal(follow(0.7, [0.6, 0.69, 0.7, 0.9, 0.7]), '--!++');
  assert.equal(follow(0.7, [0.8, 0.66, 0.75, 0.651, 0.7]), '!++++');
  assert.equal(follow(0.7, [0.8, 0.65, 0.7, 0.6499, 0.71]), '!-!-!');
});

test('a score of confidence 0 neither crosses nor rearms', () => {
  assert.equal(follow(0.7, [0.6, null, 0.65, 0.71, null, 0.72, null, 0.6, 0.7]), '---!+++-!');
});

test('a threshold of 0 is crossed by any score and rearms at 0; a threshold of 1 can be reached', () => {
  assert.equal(follow(0, [0.1, 0.05, 0, 0.2]), '!+-!');
  assert.equal(follow(0.03, [0.02, 0.03, 0.01, 0, 0.03]), '-!+-!');
  assert.equal(follow(1, [0.99, 1, 0.96, 1, 0.95, 1]), '-!++-!');
});
