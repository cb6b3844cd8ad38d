import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LayerMeta } from '../assessment.ts';
import { floodModel } from './flood.ts';
import { dryMargins } from './mapped-flood-margin.ts';
import { normalQuantile } from '../../numerics/normal.ts';

const YEARS = [10, 50, 100, 500];

function explain(depths: readonly number[], resolutionM: number) {
  const cards = YEARS.map((returnPeriodYears): LayerMeta => ({
    layer: 'flood-depth',
    version: 'v1',
    unit: 'm',
    returnPeriodYears,
    resolutionM,
    date: '2026-01-01',
    licence: 'none',
    source: 'test',
  }));
  const readings = depths.map((value) => ({ ok: true, value }) as const);
  return floodModel.prepare(cards).explain(readings, 52, 5);
}

test('the margin of a dry place equals that of uniformly drawn places that a map with such errors shows as dry', () => {
  let state = 11;
  const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647; // Park & Miller 1988
  for (const errorM of [0.3, 0.9, 1.6]) {
    const kept: number[] = [];
    while (kept.length < 40_000) {
      const heightM = -1.7 + 2.3 * random(); // the range of docs/methods/flood.md
      if (heightM + errorM * normalQuantile(random()) > 0) kept.push(heightM);
    }
    kept.sort((a, b) => a - b);
    const ranks = Float64Array.of(0.02, 0.25, 0.5, 0.75, 0.98);
    for (const [i, margin] of dryMargins(errorM, ranks).entries()) {
      const drawn = kept[Math.floor(ranks[i]! * kept.length)]!;
      assert.ok(
        Math.abs(margin - drawn) < 0.03,
        `rank ${ranks[i]}, error ${errorM} m: ${margin}, drawn ${drawn}`,
      );
    }
  }
});

test('a coarse map that floods a place every other year is drawn towards lower depths: nobody builds there', () => {
  const usual = explain([0.1, 0.6, 0.9, 1.5], 1000).hazardCurve[3]!;
  const deep = explain([2.1, 2.6, 2.9, 3.5], 1000).hazardCurve[3]!;
  assert.ok(deep.intensity - deep.low > usual.intensity - usual.low + 0.3, JSON.stringify([usual, deep]));
  assert.ok(deep.high - deep.intensity < usual.high - usual.intensity - 0.3, JSON.stringify([usual, deep]));
});

test('a fine map is believed whatever its depth, and its interval contains that depth', () => {
  for (const depth of [5, 12, 60]) {
    const { hazardCurve } = explain([depth, depth + 1, depth + 2, depth + 3], 10);
    for (const { intensity, low, high } of hazardCurve) {
      assert.ok(
        low <= intensity && intensity <= high && high - low < 6,
        JSON.stringify({ intensity, low, high }),
      );
    }
  }
});
