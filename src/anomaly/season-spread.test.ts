import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeasonSpread } from './season-spread.ts';

test('a constant spread is found, times the correction', () => {
  const spread = new SeasonSpread();
  for (let bin = 0; bin < 73; bin++) for (const sign of [-1, 1]) spread.add(bin, 2 * sign);
  spread.settle(1.5);
  for (const bin of [0, 36, 72]) assert.ok(Math.abs(spread.variance(bin) - 6) < 1e-12);
  spread.widen(2);
  assert.ok(Math.abs(spread.variance(5) - 12) < 1e-12 && Math.abs(spread.yearVariance - 12) < 1e-12);
});

test('a season of strong variation gets a wide spread, a calm one a narrow spread, and the turn of the year makes no jump', () => {
  const spread = new SeasonSpread();
  for (let bin = 0; bin < 73; bin++) {
    const wild = bin < 18 || bin >= 55;
    for (let k = 0; k < 10; k++) spread.add(bin, (wild ? 3 : 1) * (k % 2 === 0 ? 1 : -1));
  }
  spread.settle(1);
  assert.ok(spread.variance(0) > 8.5 && spread.variance(72) > 8.5, 'wild about the turn of the year');
  assert.ok(spread.variance(36) < 1.5, 'calm in mid-year');
  assert.ok(Math.abs(spread.variance(0) - spread.variance(72)) < 1e-9);
});

test('a season without history is reported', () => {
  const spread = new SeasonSpread();
  for (let bin = 20; bin < 40; bin++) spread.add(bin, 1);
  spread.settle(1);
  assert.equal(spread.hasSeason(30), true);
  assert.equal(spread.hasSeason(12), true); // 40 days before the first residual, within the season
  assert.equal(spread.hasSeason(60), false);
});

test('degrees of freedom agree with those of the simulated variance: 2 / relative variance', () => {
  const spread = new SeasonSpread();
  const perBin = 3;
  let state = 11;
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647; // minimal standard generator (Park & Miller 1988)
    return state / 2_147_483_647;
  };
  let sum = 0;
  let squares = 0;
  const draws = 4000;
  for (let draw = 0; draw < draws; draw++) {
    spread.clear();
    for (let bin = 0; bin < 73; bin++) {
      for (let k = 0; k < perBin; k++) {
        spread.add(bin, Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()));
      }
    }
    spread.settle(1);
    const variance = spread.variance(36);
    sum += variance;
    squares += variance * variance;
  }
  const mean = sum / draws;
  const simulated = (2 * mean * mean) / (squares / draws - mean * mean);
  const stated = spread.freedom(36) * 73 * perBin;
  assert.ok(Math.abs(stated / simulated - 1) < 0.1, `${stated} against ${simulated}`);
});
