import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { StateReader } from '../state/state-reader.ts';
import { StateWriter } from '../state/state-writer.ts';
import { type DepartureGround, OpenDeparture } from './open-departure.ts';

const YEAR_MS = 365.25 * DAY_MS;
/** The first anomaly is in scene 3, on 1 July 2018. Scenes are 16 days apart. */
const START_MS = Date.UTC(2018, 6, 1);
const NONE = -1;

const FOREST: DepartureGround = {
  isHarmonic: true,
  isYearly: true,
  isPerennial: true,
  historyMs: 3 * YEAR_MS,
};
const FIELD: DepartureGround = { ...FOREST, isPerennial: false };
const YOUNG_FOREST: DepartureGround = { ...FOREST, isHarmonic: false, historyMs: 0.5 * YEAR_MS };
const YOUNG_FIELD: DepartureGround = { ...YOUNG_FOREST, isPerennial: false };
const WATER: DepartureGround = { ...FOREST, isYearly: false, isPerennial: false };

/** Creates a departure that was flagged in scene 4 with two outliers and a given size [noise floors]. */
function flagged(ground: DepartureGround, size = 20, direction: -1 | 1 = -1, isBeyond = true): OpenDeparture {
  const departure = new OpenDeparture();
  const floors = direction * size;
  const timeMs = START_MS + 16 * DAY_MS;
  const step = { timeMs, deviation: floors, floors, isOutlier: true, isSupported: true, isBeyond };
  departure.open(direction, 3, 4, 2, START_MS, step, ground);
  return departure;
}

/** Adds observations of the given sizes [noise floors], from a given scene on. Returns the departure. */
function observe(
  departure: OpenDeparture,
  from: number,
  sizes: readonly number[],
  isBeyond = true,
): OpenDeparture {
  for (const [i, size] of sizes.entries()) {
    const scene = from + i;
    const floors = departure.direction * size;
    const timeMs = START_MS + (scene - 3) * 16 * DAY_MS;
    departure.count(scene, {
      timeMs,
      deviation: floors,
      floors,
      isOutlier: size > 3,
      isSupported: true,
      isBeyond: isBeyond && size > 3,
    });
  }
  return departure;
}

const times = (count: number, size: number): number[] => Array.from({ length: count }, () => size);

test('observations of less than half of the largest size are normal, on either side, and one low one between them ends nothing', () => {
  for (const direction of [-1, 1] as const) {
    const after = (sizes: readonly number[]): [number, number] => {
      const { calmSince, lowRun } = observe(flagged(FOREST, 20, direction), 5, sizes);
      return [calmSince, lowRun];
    };
    assert.deepEqual(after([18, 21, 9, 8, 7]), [7, 0]);
    assert.deepEqual(after([18, 21, 11, 12, 13]), [NONE, 7]);
    assert.deepEqual(after([9, 8, 19]), [5, 1], 'a cloud');
    assert.deepEqual(after([9, 8, 19, 18]), [NONE, 2], 'two clouds are a departure');
  }
});

test('a single extreme scene does not make the following ones normal, and a growing departure is compared with its largest size', () => {
  // The weight of an observation in the moving average is .3: 20 + .3 (60 - 20) = 32. Half of it is 16.
  assert.equal(observe(flagged(FOREST), 5, [60, 18, 18, 18]).calmSince, NONE);
  assert.equal(observe(flagged(FOREST, 6), 5, [...times(12, 20), 8, 8, 8]).calmSince, 17);
});

test('a brief departure is over after three normal observations, one of seasonal cover with a short history after two', () => {
  const isBack = (ground: DepartureGround, sizes: readonly number[]): boolean =>
    observe(flagged(ground), 5, sizes).isBack;
  // 32 days from the first anomaly to the last low observation.
  assert.deepEqual([isBack(FOREST, [18, 2, 2]), isBack(FOREST, [18, 2, 2, 2])], [false, true]);
  assert.deepEqual([isBack(YOUNG_FOREST, [18, 2, 2]), isBack(YOUNG_FOREST, [18, 2, 2, 2])], [false, true]);
  assert.deepEqual([isBack(YOUNG_FIELD, [18, 2]), isBack(YOUNG_FIELD, [18, 2, 2])], [false, true]);
  assert.equal(isBack(YOUNG_FIELD, [...times(10, 18), 2, 2]), true, 'also after half a year');
});

test('a departure of two months ends only when its season has been normal again', () => {
  // Low from 1 July to 5 October 2018, in 7 scenes. A year has 23 scenes.
  const departure = observe(flagged(FOREST), 5, times(5, 18));
  assert.equal(observe(departure, 10, times(15, 1)).isBack, false, 'normal until 2 June 2019');
  assert.equal(observe(departure, 25, times(5, 1)).isBack, true, 'normal until 21 August 2019');
  const again = observe(observe(flagged(FOREST), 5, times(5, 18)), 10, times(15, 1));
  assert.equal(observe(again, 25, times(5, 18)).isBack, false, 'low until 21 August 2019');
  assert.equal(observe(again, 30, times(18, 1)).isBack, false, 'normal until June 2020');
  assert.equal(observe(again, 48, times(5, 1)).isBack, true, 'normal until August 2020');
});

test('a metric that does not follow the season is back after three normal observations, confirmed or not', () => {
  const departure = observe(flagged(WATER), 5, [...times(10, 18), 1, 1]);
  departure.confirmed = 10;
  assert.equal(departure.isBack, false);
  assert.equal(observe(departure, 17, [1]).isBack, true);
});

test('a confirmed departure and one that was plain wait for their season even if they were brief', () => {
  for (const [confirmed, sure] of [
    [8, NONE],
    [NONE, 6],
  ] as const) {
    const departure = observe(flagged(FOREST), 5, [18]);
    [departure.confirmed, departure.sure] = [confirmed, sure];
    assert.equal(observe(departure, 6, times(15, 1)).isBack, false);
    assert.equal(observe(departure, 21, times(6, 1)).isBack, true);
  }
});

test('a fall of a forest in one half of the year is a change of seasonality, as is a rise of a field', () => {
  const isSeasonal = (ground: DepartureGround, direction: -1 | 1, low = 5): boolean =>
    observe(observe(flagged(ground, 20, direction), 5, times(low, 18)), 5 + low, times(6, 1)).isSeasonal;
  assert.deepEqual([isSeasonal(FOREST, -1), isSeasonal(FOREST, 1)], [true, false]);
  assert.deepEqual([isSeasonal(FIELD, -1), isSeasonal(FIELD, 1)], [false, true]);
  assert.equal(isSeasonal(WATER, 1), false);
  assert.equal(isSeasonal(FOREST, -1, 1), false, 'only a month');
  assert.equal(observe(flagged(FOREST), 5, times(30, 18)).isSeasonal, false, 'the whole year');
});

test('a suspicion is told while it is low, and against a short history only of perennial cover outside its range', () => {
  const departure = observe(flagged(FIELD), 5, times(5, 18), false);
  assert.equal(departure.isTold, true);
  assert.equal(observe(departure, 10, [1, 1, 1]).isTold, false, 'normal for now');
  assert.equal(observe(departure, 13, [18, 18, 18]).isTold, true, 'low again');
  const young = (ground: DepartureGround, size: number, isBeyond: boolean): boolean =>
    observe(flagged(ground, size, -1, isBeyond), 5, times(3, size), isBeyond).isTold;
  assert.deepEqual([young(YOUNG_FOREST, 18, true), young(YOUNG_FOREST, 18, false)], [true, false]);
  assert.deepEqual([young(YOUNG_FOREST, 3.5, true), young(YOUNG_FIELD, 18, true)], [false, false]);
  assert.equal(young({ ...WATER, isHarmonic: false }, 3.5, false), true);
});

test('values outside the range last long enough after 60 days, after 90 with less than two years of history', () => {
  // Duration in days after the flag and n more low observations: 16 (n + 1).
  const hasLasted = (ground: DepartureGround, days: number, isBeyond: boolean): boolean => {
    const departure = observe(flagged(ground, 18, -1, isBeyond), 5, times(days / 16 - 1, 18), isBeyond);
    return departure.hasLasted(START_MS + days * DAY_MS);
  };
  const oneYear = { ...FOREST, historyMs: 1.2 * YEAR_MS };
  assert.deepEqual([hasLasted(FOREST, 48, true), hasLasted(FOREST, 64, true)], [false, true]);
  assert.deepEqual([hasLasted(oneYear, 80, true), hasLasted(oneYear, 96, true)], [false, true]);
  // Values within the range last after 90 days with a full history, otherwise after a year or two.
  assert.deepEqual([hasLasted(FOREST, 80, false), hasLasted(FOREST, 96, false)], [false, true]);
  assert.deepEqual([hasLasted(oneYear, 720, false), hasLasted(oneYear, 736, false)], [false, true]);
  assert.deepEqual([hasLasted(YOUNG_FOREST, 352, true), hasLasted(YOUNG_FOREST, 368, true)], [false, true]);
  assert.deepEqual([hasLasted(WATER, 80, false), hasLasted(WATER, 96, false)], [false, true]);
});

test('a small departure outside the range does not last early, and a gap counts as 64 days at most', () => {
  const small = observe(flagged(FOREST, 3.5), 5, times(4, 3.5));
  assert.deepEqual([small.isDeep, small.isBeyondCustom], [false, true]);
  assert.equal(small.hasLasted(START_MS + 80 * DAY_MS), false);
  const departure = observe(flagged(FOREST), 5, [18]);
  assert.equal(departure.departedMs, 32 * DAY_MS);
  assert.equal(observe(departure, 15, [18]).departedMs, 96 * DAY_MS, 'the next image is 160 days later');
});

test('a departure is mostly low if two thirds of its observations are, since it last was normal', () => {
  const mixed = (low: number, returns: number): OpenDeparture =>
    observe(flagged(FOREST), 5, [
      ...times(low, 18),
      ...Array.from({ length: returns }, () => [1, 1, 18]).flat(),
    ]);
  assert.equal(mixed(8, 3).isMostlyLow, true, '13 of 19');
  assert.equal(mixed(6, 3).isMostlyLow, false, '11 of 17');
  assert.equal(observe(mixed(4, 4), 21, [1, 1, 1, 18, 18]).isMostlyLow, true, 'only what follows counts');
});

test('after the confirmation, a departure is mostly normal if less than a sixth is low, and a cloud does not change what is low', () => {
  const after = (sizes: readonly number[]): OpenDeparture => {
    const departure = observe(flagged(FOREST), 5, times(5, 18));
    departure.confirmed = 9;
    return observe(departure, 10, sizes);
  };
  assert.equal(after([18, 18, 18, ...times(15, 1)]).isMostlyNormal, false, '3 of 18');
  assert.equal(after([18, 18, 18, ...times(16, 1)]).isMostlyNormal, true, '3 of 19');
  assert.equal(after([80, 80, 80, 12]).lowRun, 11, '12 is more than half of 20');
  assert.equal(after(times(6, 1)).isLow, false);
});

test('four low observations in a row, deep and outside the range of two years or more, are plain', () => {
  const isPlain = (ground: DepartureGround, sizes: readonly number[], size = 20, isBeyond = true): boolean =>
    observe(flagged(ground, size, -1, isBeyond), 5, sizes, isBeyond).isPlain;
  assert.deepEqual([isPlain(FOREST, [18]), isPlain(FOREST, [18, 18])], [false, true]);
  assert.equal(isPlain(FOREST, [18, 18, 1, 18]), false, 'not in a row');
  assert.equal(isPlain(FOREST, [3.5, 3.5, 3.5], 3.5), false, 'not deep');
  assert.equal(isPlain(FOREST, [18, 18, 18], 20, false), false, 'within the range');
  assert.equal(isPlain({ ...FOREST, historyMs: 1.9 * YEAR_MS }, [18, 18, 18]), false);
  assert.equal(isPlain(WATER, [18, 18, 18]), false);
});

test('twelve observations of two noise floors and more are sustained, unless they are noise', () => {
  assert.equal(observe(flagged(FOREST), 5, times(11, 3)).isSustained(0.1), false);
  // The mean deviation is 3: times twelve, 36. Six standard errors are 6 sqrt(12 * 1.1 / .9) = 23, and 6 sqrt(12 * 3) = 36.
  assert.equal(observe(flagged(FOREST), 5, times(12, 3)).isSustained(0.1), true);
  assert.equal(observe(flagged(FOREST), 5, times(12, 3)).isSustained(0.51), false);
  assert.equal(observe(flagged(FOREST), 5, times(20, 1.9)).isSustained(0.1), false);
});

test('what follows three normal observations must be evidence by itself', () => {
  const departure = observe(flagged(FOREST), 5, [18, 18]);
  assert.equal(departure.outliers, 4);
  observe(departure, 7, [1, 1, 1, 18, 18]);
  assert.deepEqual([departure.outliers, departure.departedMs], [2, 16 * DAY_MS]);
  const plain = observe(flagged(FOREST), 5, [18, 18]);
  plain.sure = 6;
  observe(plain, 7, [1, 1, 1, 18, 18]);
  assert.deepEqual([plain.outliers, plain.departedMs], [6, 64 * DAY_MS]);
});

test('the next departure begins with fresh counts, and a saved one goes on as if it had not been saved', () => {
  const used = observe(flagged(FOREST), 5, [...times(5, 18), 1, 1, 18, 1]);
  used.sure = 8;
  const fresh = flagged(FIELD, 6, 1);
  used.open(
    1,
    3,
    4,
    2,
    START_MS,
    {
      timeMs: START_MS + 16 * DAY_MS,
      deviation: 6,
      floors: 6,
      isOutlier: true,
      isSupported: true,
      isBeyond: true,
    },
    FIELD,
  );
  assert.deepEqual(bytesOf(used), bytesOf(fresh));
  for (const sizes of [times(3, 18), [18, 18, 1, 1], [...times(9, 18), 1, 1, 1, 18, 1]]) {
    const departure = observe(flagged(FOREST), 5, sizes);
    departure.sure = sizes.length > 5 ? 9 : NONE;
    const loaded = flagged(WATER, 3, 1);
    loaded.load(new StateReader(bytesOf(departure)));
    assert.deepEqual(bytesOf(loaded), bytesOf(departure));
    const answers = [departure, loaded].map((each) => {
      observe(each, 5 + sizes.length, [18, 18, ...times(12, 1)]);
      const { isBack, isPlain, isSeasonal, isTold, calmSince, departedMs, outliers } = each;
      return { isBack, isPlain, isSeasonal, isTold, calmSince, departedMs, outliers, bytes: bytesOf(each) };
    });
    assert.deepEqual(answers[1], answers[0]);
  }
});

/** Returns the saved state. */
function bytesOf(departure: OpenDeparture): Uint8Array<ArrayBuffer> {
  const writer = new StateWriter();
  departure.save(writer);
  return writer.written();
}
