import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  agoInWords,
  area,
  count,
  day,
  moment,
  number,
  percent,
  position,
  signed,
  whole,
  words,
} from './format.ts';

test('a probability below 1 is never shown as 100 %, nor one above 0 as 0 %', () => {
  assert.deepEqual([0, 0.001, 0.004, 0.44, 0.996, 1].map(percent), [
    '0 %',
    '< 1 %',
    '< 1 %',
    '44 %',
    '> 99 %',
    '100 %',
  ]);
});

test('the unit of an area depends on its size', () => {
  assert.deepEqual([412, 9_999, 10_000, 41_000, 20_652_000].map(area), [
    '412 m²',
    '10,000 m²',
    '1 ha',
    '4.1 ha',
    '20.7 km²',
  ]);
});

test('times are in UTC in every time zone', () => {
  assert.equal(day('2026-08-31'), '31 Aug 2026');
  assert.equal(day('2026-08-31T23:59:59.000Z'), '31 Aug 2026');
  assert.equal(moment('2026-01-02T03:04:05.000Z'), '2 Jan 2026, 03:04 UTC');
});

test('numbers, differences, keys and positions are formatted', () => {
  assert.equal(number(0.123456), '0.123');
  assert.deepEqual([0.25, -0.25, 0].map(signed), ['+0.25', '\u22120.25', '0']);
  assert.deepEqual([whole(12_345), count(1, 'day'), count(1204, 'day')], ['12,345', '1 day', '1,204 days']);
  assert.equal(words('vegetation_loss'), 'Vegetation loss');
  assert.equal(position(-46.05, 14.471234), '46.05000°\u00a0S, 14.47123°\u00a0E');
});

test('an age is told in the largest unit of which there are two', () => {
  const DAY = 86_400_000;
  assert.deepEqual(
    [0.5, 1, 59, 61, 596, 800].map((days) => agoInWords(days * DAY)),
    ['today', '1 day ago', '59 days ago', '2 months ago', '19 months ago', '2 years ago'],
  );
});
