import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { DAY_MS } from '../../base/time.ts';
import { PARAMETERS } from '../parameters.ts';
import { sceneFrame } from '../scene/scene-frame.ts';
import { HistoryRange } from './history-range.ts';
import { PixelHistory } from './history.ts';
import { PendingObservations } from './pending.ts';
import { SeasonalBaseline } from './seasonal-baseline.ts';

const CLASSES = PARAMETERS.likeClasses;

/**
 * Returns the parts of a baseline, with the given values as its history: one observation every ten days from 2015.
 * @param greenest level of the greenest pixels of the grid by scene; .5 and above is the growing season
 */
function historyOf(
  values: readonly number[],
  times = values.length + 1, // one more scene, which the history is asked about
  greenest: readonly number[] = [],
): [PixelHistory, SeasonalBaseline, HistoryRange] {
  const unknown = new Float64Array(CLASSES * times).fill(Number.NaN);
  const top = (CLASSES - 1) * times;
  const [comparable, level, least] = [new Uint8Array(CLASSES * times), unknown.slice(), unknown.slice()];
  for (const [t, value] of greenest.entries()) {
    comparable[top + t] = Number(value >= 0.5);
    level[top + t] = value;
    least[top + t] = 0.5;
  }
  const levels = {
    edges: new Float64Array((CLASSES - 1) * times).fill(Number.NaN),
    median: unknown,
    comparable,
    level,
    least,
    widening: unknown,
  };
  const timesMs = Float64Array.from({ length: times }, (_, t) => Date.UTC(2015, 0, 3) + 10 * t * DAY_MS);
  const spec = { width: 1, height: 1, pixelAreaM2: 900, metric: 'ndvi', timesMs };
  const history = new PixelHistory(sceneFrame(spec, levels, 0.025));
  const seasonal = new SeasonalBaseline(history);
  for (const [scene, value] of values.entries()) history.add(scene, value);
  return [history, seasonal, new HistoryRange(history, seasonal)];
}

/** Fits the history at its last scene. */
function fit(seasonal: SeasonalBaseline, scene: number): void {
  assert.equal(seasonal.moveWindow(scene), true);
  seasonal.refit();
  assert.equal(seasonal.isFitted, true);
}

test('the range of a whole year leaves out the lowest and the highest tenth', () => {
  // 21 values from .60 to .80, in no order: the quantiles .1 and .9 are the third and the nineteenth.
  const [, , range] = historyOf(Array.from({ length: 21 }, (_, i) => (60 + ((i * 8) % 21)) / 100));
  assert.deepEqual(range.wholeYear, [0.62, 0.78]);
});

test('a forest with a dry season and some clouds is perennial, a field and water are not', () => {
  const forest = [0.8, 0.82, 0.81, 0.7, 0.65, 0.68, 0.8, 0.3, 0.83, 0.81, 0.82, 0.8, 0.64];
  const field = [0.8, 0.82, 0.81, 0.3, 0.25, 0.2, 0.3, 0.25, 0.83, 0.81, 0.82, 0.8, 0.28];
  const water = [-0.2, -0.21, -0.2, -0.22, -0.2, -0.2];
  const isPerennial = (values: readonly number[]): boolean => historyOf(values)[2].isPerennial;
  assert.deepEqual([forest, field, water, []].map(isPerennial), [true, false, false, false]);
});

test('a wood keeps its level in the growing season, a mown meadow does not', () => {
  const greenest = [0.3, 0.3, 0.7, 0.75, 0.8, 0.8, 0.8, 0.75, 0.7, 0.3, 0.7];
  const wood = [0.2, 0.2, 0.72, 0.8, 0.82, 0.6, 0.81, 0.79, 0.8, 0.2];
  const meadow = [0.3, 0.3, 0.7, 0.45, 0.7, 0.4, 0.7, 0.4, 0.7, 0.3];
  const lowOf = (values: readonly number[]): number => historyOf(values, 11, greenest)[2].growingLow(10, 10);
  assert.deepEqual([wood, meadow, wood.slice(0, 7)].map(lowOf), [0.6, Number.NaN, Number.NaN]);
  const [, , range] = historyOf(wood, 11, greenest);
  assert.deepEqual([range.isPerennial, range.isGrowing(9), range.isGrowing(10)], [false, false, true]);
});

test('the range follows a history that has grown, and is that of the fitted part after a fit', () => {
  const [history, seasonal, range] = historyOf([0.2, 0.2, 0.2, 0.8, 0.81, 0.82, 0.8, 0.81, 0.82, 0.8, 0.82]);
  assert.deepEqual([...range.wholeYear, range.isPerennial], [0.2, 0.82, false]);
  [seasonal.isFitted, seasonal.from, seasonal.to] = [true, 3, 11];
  assert.deepEqual([...range.wholeYear, range.isPerennial], [0.8, 0.82, true]);
  history.add(11, 0.7);
  assert.deepEqual(range.wholeYear, [0.7, 0.82]);
  history.clear();
  range.clear();
  seasonal.clear();
  for (const value of [0.3, 0.3, 0.3, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9])
    history.add(history.count, value);
  assert.deepEqual(range.wholeYear, [0.3, 0.9], 'the next pixel, with as many observations');
});

test('the range of a season is that of the same weeks of earlier years, from two years of history on', () => {
  // Green (.8) from July on, else bare: .30 in the first year, .31 in the second, .32 in the third.
  const valueAt = (i: number): number =>
    (10 * i) % 365.25 >= 181 ? 0.8 : (30 + Math.floor((10 * i) / 365.25)) / 100;
  const values = (count: number): number[] => Array.from({ length: count }, (_, i) => valueAt(i));
  // Scene 82 is in April of the third year. 45 days before it in that year and 45 days around it in the others count.
  const [, seasonal, range] = historyOf(values(82));
  assert.equal(range.inSeason(82), null, 'there is no fit yet');
  fit(seasonal, 82);
  assert.deepEqual(range.inSeason(82), [0.3, 0.32]);
  assert.ok(Math.abs(range.lengthMs(82) - 820 * DAY_MS) < 1);
  const [, short, ofShort] = historyOf(values(72));
  fit(short, 72);
  assert.equal(ofShort.inSeason(72), null, '720 days are less than two years');
  assert.equal(historyOf([])[2].lengthMs(0), 0);
});

test('the lowest value is that of two observations in a row within a season, from two years of history on', () => {
  // A mixed wood: .75 in leaf, .45 in winter. One observation of .20 is a cloud; two of .40 are a dry spell.
  const valueAt = (i: number): number => ((10 * i) % 365.25 >= 120 && (10 * i) % 365.25 < 300 ? 0.75 : 0.45);
  const values = Array.from({ length: 82 }, (_, i) => valueAt(i));
  values[30] = 0.2;
  [values[50], values[51]] = [0.4, 0.38];
  const [, seasonal, range] = historyOf(values);
  assert.equal(range.lowest(82), Number.NaN, 'there is no fit yet');
  fit(seasonal, 82);
  assert.equal(range.lowest(82), 0.4);
  const [, short, ofShort] = historyOf(values.slice(0, 72));
  fit(short, 72);
  assert.equal(ofShort.lowest(72), Number.NaN, '720 days are less than two years');
});

test('perennial cover is told alike from a sorted history, from one that was just loaded, and after more observations', () => {
  const next = uniform(17);
  const seen = new Set<boolean>();
  for (let round = 0; round < 60; round++) {
    const least = round % 3 === 0 ? 0.6 : 0.1;
    const values = Array.from({ length: 60 + (round % 7) }, () => least + 0.3 * next() * next());
    const [history, seasonal, range] = historyOf(values.slice(0, 20), values.length + 1);
    for (const [i, value] of values.slice(20).entries()) {
      if (i % 3 === 0) assert.equal(range.wholeYear.length, 2); // sorts the history
      if (i === 30 && round % 2 === 0) fit(seasonal, history.lastScene);
      const sorted = values
        .slice(seasonal.isFitted ? seasonal.from : 0, history.count)
        .toSorted((a, b) => a - b);
      const at = (q: number): number => sorted[Math.floor(q * (sorted.length - 1))]!;
      const expected = at(0.9) > 0 && at(0.25) >= PARAMETERS.perennialShare * at(0.9);
      assert.equal(range.isPerennial, expected);
      assert.equal(range.isPerennial, expected, 'asked again');
      assert.equal(new HistoryRange(history, seasonal).isPerennial, expected, 'just loaded');
      seen.add(expected);
      history.add(history.count, value);
    }
  }
  assert.equal(seen.size, 2);
});

/** Observations of .8, with other values in the given scenes. */
function greenWith(lows: Readonly<Record<number, number>>, count = 72): number[] {
  return Array.from({ length: count }, (_, i) => lows[i] ?? 0.8);
}

/** Withheld observations of consecutive scenes. @param from the first of these */
function withheld(values: readonly number[], from: number): PendingObservations {
  const pending = new PendingObservations(values.length);
  for (const [i, value] of values.entries()) pending.add(from + i, value, Number.NaN, Number.NaN);
  return pending;
}

const NOTHING = withheld([], 0);

test('a fall is custom if two observations in a row of the same season of an earlier year were as low', () => {
  // Scene 72 is in December of the second year. Scenes 33 to 38 are its season a year before.
  const wasLow = (lows: Readonly<Record<number, number>>): boolean =>
    historyOf(greenWith(lows))[2].wasAsLow(72, 0.4, NOTHING, 1);
  assert.equal(wasLow({ 35: 0.3, 36: 0.3 }), true);
  assert.equal(wasLow({ 35: 0.4, 36: 0.4 }), true, 'at the limit');
  assert.equal(wasLow({ 35: 0.3, 36: 0.41 }), false, 'one of them higher');
  assert.equal(wasLow({ 35: 0.3 }), false, 'one may be a cloud');
  assert.equal(wasLow({ 34: 0.3, 36: 0.3 }), false, 'it was green between them');
  assert.equal(wasLow({ 20: 0.3, 21: 0.3 }), false, 'another season');
  assert.equal(wasLow({ 68: 0.3, 69: 0.3 }), false, 'the same fall');

  // Scene 110 has scenes 71 to 76 and 34 to 39 as its season. Single looks of two years are not in a row.
  const [, , ofYears] = historyOf(greenWith({ 39: 0.3, 71: 0.3 }, 110));
  assert.equal(ofYears.wasAsLow(110, 0.4, NOTHING, 1), false);

  const falling = greenWith({ 35: 0.3, 36: 0.3 }).map((value) => -value);
  assert.equal(historyOf(falling)[2].wasAsLow(72, -0.4, NOTHING, -1), true, 'low values are green');
});

test('observations that are withheld from the history show what is custom too', () => {
  const wasLow = (history: readonly number[], pending: readonly number[]): boolean =>
    historyOf(history, 73)[2].wasAsLow(72, 0.4, withheld(pending, history.length), 1);
  assert.equal(wasLow(greenWith({}, 35), [0.3, 0.3, 0.8]), true);
  assert.equal(wasLow(greenWith({ 34: 0.3 }, 35), [0.3, 0.8, 0.8]), true, 'one of them is history');
  assert.equal(wasLow(greenWith({}, 35), [0.3, 0.8, 0.8]), false);
});

test('a wood without leaves is not as low as one that lost them in its growing season', () => {
  // Scene 84 is in April of the third year. Of its season a year before, scenes 45 to 47 are before the leaves.
  const isLeafless = (i: number): boolean => (10 * i) % 365.25 < 110 || (10 * i) % 365.25 > 300;
  const wood = Array.from({ length: 84 }, (_, i) => (isLeafless(i) ? 0.3 : 0.8));
  const greenest = Array.from({ length: 85 }, (_, i) => (i < 84 && isLeafless(i) ? 0.3 : 0.8));
  const wasLow = (values: readonly number[], levels: readonly number[]): boolean =>
    historyOf(values, 85, levels)[2].wasAsLow(84, 0.3, NOTHING, 1);
  assert.deepEqual([45, 46, 47, 48].map(isLeafless), [true, true, true, false]);
  assert.equal(wasLow(wood, greenest), false);
  assert.equal(wasLow(wood, []), true, 'nothing tells which looks are leafless');
  assert.equal(wasLow(wood.with(49, 0.3).with(50, 0.3), greenest), true);
});
