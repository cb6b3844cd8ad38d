import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../base/errors.ts';
import { nextAttemptAt, parseSchedule } from './schedule.ts';
import { DELIVERY_SCHEDULE } from '../contract/limits.ts';

test('the default schedule is 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h', () => {
  assert.deepEqual(
    parseSchedule(DELIVERY_SCHEDULE),
    [0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000],
  );
});

test('delays are parsed in every unit, with spaces and fractions', () => {
  assert.deepEqual(
    parseSchedule(' 0, 250ms,1.5s , 2m,1h,7d'),
    [0, 250, 1_500, 120_000, 3_600_000, 604_800_000],
  );
  assert.deepEqual(parseSchedule('0s'), [0]);
});

test('an invalid schedule is refused, naming the setting and the delay', () => {
  for (const [text, said] of [
    ['', '""'],
    ['0,,5s', '""'],
    ['5', '"5"'],
    ['-5s', '"-5s"'],
    ['5 s', '"5 s"'],
    ['5S', '"5S"'],
    ['5s;5m', '"5s;5m"'],
    ['1e3s', '"1e3s"'],
    ['Infinitys', '"Infinitys"'],
    ['8d', 'at most 7d, got "8d"'],
    [Array.from({ length: 31 }, () => '1s').join(','), 'at most 30 delays, got 31'],
  ] as const)
    assert.throws(
      () => parseSchedule(text),
      (error) =>
        error instanceof InvalidInput &&
        error.param === 'GROUNDWATCH_WEBHOOK_SCHEDULE' &&
        error.message.startsWith('GROUNDWATCH_WEBHOOK_SCHEDULE: ') &&
        error.message.includes(said),
      text,
    );
});

test('the next attempt is due after its delay plus up to a fifth; there is none after the last', () => {
  const schedule = [0, 5_000, 300_000];
  assert.equal(
    nextAttemptAt(schedule, 1, 1_000_000, () => 0),
    1_005_000,
  );
  assert.equal(
    nextAttemptAt(schedule, 1, 1_000_000, () => 0.5),
    1_005_500,
  );
  assert.equal(
    nextAttemptAt(schedule, 2, 1_000_000, () => 0),
    1_300_000,
  );
  assert.ok(nextAttemptAt(schedule, 2, 0, () => 1 - Number.EPSILON)! <= 360_000);
  assert.equal(
    nextAttemptAt(schedule, 3, 1_000_000, () => 0),
    undefined,
  );
});
