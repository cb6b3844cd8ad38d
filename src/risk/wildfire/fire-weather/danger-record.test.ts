import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yearlyDangerMaxima } from '../../../../test/oracles/yearly-danger-maxima.ts';
import { DangerRecord } from './danger-record.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2001, 0, 1);

interface Day {
  readonly year: number;
  readonly month: number;
}

function dayOf(i: number): Day {
  const date = new Date(START + i * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
}

/**
 * Fire Weather Index of a northern place (0) and a southern place (1): their summers are half a year apart, and a
 * small variation differs from year to year.
 */
function index(i: number, place: number): number {
  const season = Math.cos((2 * Math.PI * (i - 200)) / 365.25) * (place === 0 ? 1 : -1);
  return Math.max(0, Math.fround(20 + 18 * season + 6 * Math.sin(i / 3) * Math.sin(i / 500)));
}

function run(days: number, missing: (i: number, place: number) => boolean = () => false): DangerRecord {
  const record = new DangerRecord([45, -33]);
  for (let i = 0; i < days; i++) {
    const fwi = Float32Array.from([0, 1], (place) => (missing(i, place) ? Number.NaN : index(i, place)));
    record.add(
      fwi,
      fwi.map((value) => value ** 1.5),
      dayOf(i).year,
      dayOf(i).month,
    );
  }
  return record;
}

test('worst weeks equal brute force: calendar years in the north, July to June in the south', () => {
  const days = 365 * 6 + 1;
  const record = run(days);
  const series = (place: number): number[] => Array.from({ length: days }, (_, i) => index(i, place));
  const near = (found: Float64Array, expected: ArrayLike<number>): void => {
    assert.equal(found.length, expected.length);
    for (const [i, value] of found.entries()) assert.ok(Math.abs(value - expected[i]!) < 1e-4, `year ${i}`);
  };
  const years = Array.from({ length: days }, (_, i) => dayOf(i).year);
  near(record.worstWeeks(0), yearlyDangerMaxima(series(0), years));
  const fireYears = Array.from({ length: days }, (_, i) => dayOf(i).year + (dayOf(i).month >= 7 ? 1 : 0));
  // The first and the last fire year are incomplete.
  near(record.worstWeeks(1), yearlyDangerMaxima(series(1), fireYears).slice(1, -1));
});

test('the season is the four worst months in a row, also across the turn of the year; means are over known days', () => {
  const days = 365 * 4 + 1;
  for (const missing of [() => false, (i: number) => i % 10 === 3]) {
    const record = run(days, missing);
    for (const place of [0, 1]) {
      const months = Array.from({ length: 12 }, (_, m) => {
        const values: number[] = [];
        for (let i = 0; i < days; i++)
          if (dayOf(i).month === m + 1 && !missing(i)) values.push(index(i, place));
        return [
          values.reduce((sum, v) => sum + v, 0) / values.length,
          values.reduce((sum, v) => sum + v ** 1.5, 0) / values.length,
        ] as const;
      });
      const seasons = months.map((_, first) =>
        [0, 1].map((kind) => [0, 1, 2, 3].reduce((sum, k) => sum + months[(first + k) % 12]![kind]! / 4, 0)),
      );
      const worst = seasons.toSorted((a, b) => b[1]! - a[1]!)[0]!;
      const { fwi, dsr } = record.season(place);
      assert.ok(Math.abs(fwi / worst[0]! - 1) < 1e-4 && Math.abs(dsr / worst[1]! - 1) < 1e-4);
    }
  }
});

test('a year with more than a tenth of its days missing has no worst week; a month with too few days gives no season', () => {
  const gap = (i: number, place: number): boolean => place === 0 && dayOf(i).year === 2002 && i % 8 === 0;
  assert.equal(run(365 * 4 + 1, gap).worstWeeks(0).length, 3);
  assert.equal(run(365 * 4 + 1, gap).worstWeeks(1).length, 3);
  assert.ok(Number.isNaN(run(365 * 4 + 1, (i) => dayOf(i).month === 8).season(0).fwi));
});
