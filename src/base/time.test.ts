import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOf, formatDay, parseMoment } from './time.ts';

test('the examples of RFC 3339 section 5.8 and plain days are parsed', () => {
  assert.equal(parseMoment('1985-04-12T23:20:50.52Z')?.ms, Date.UTC(1985, 3, 12, 23, 20, 50, 520));
  assert.equal(parseMoment('1996-12-19T16:39:57-08:00')?.ms, Date.UTC(1996, 11, 20, 0, 39, 57));
  assert.equal(parseMoment('1990-12-31T23:59:60Z')?.ms, Date.UTC(1991, 0, 1));
  assert.equal(parseMoment('1937-01-01T12:00:27.87+00:20')?.ms, Date.UTC(1937, 0, 1, 11, 40, 27, 870));
  assert.deepEqual(parseMoment('2024-02-29'), { ms: Date.UTC(2024, 1, 29), isDay: true });
});

test('a time without an offset is UTC, and a space in place of a plus is a plus', () => {
  assert.equal(parseMoment('2025-01-01T02:00:00')?.ms, Date.UTC(2025, 0, 1, 2));
  assert.equal(parseMoment('2025-01-01T02:00:00 02:00')?.ms, Date.UTC(2025, 0, 1, 0));
});

test('other text is not parsed', () => {
  for (const bad of [
    '2025-02-30',
    '2025-13-01',
    '2025-00-10',
    '2023-02-29',
    'yesterday',
    '',
    '2025-1-1',
    '20250101',
  ])
    assert.equal(parseMoment(bad), undefined, bad);
  for (const bad of [
    '2025-01-01T24:00:00Z',
    '2025-01-01T00:60:00Z',
    '2025-01-01T00:00:00+24:00',
    '1700000000',
  ])
    assert.equal(parseMoment(bad), undefined, bad);
});

test('a day as the end of a range includes that day', () => {
  assert.equal(formatDay(endOf(parseMoment('2025-03-01')!) - 1), '2025-03-01');
  assert.equal(endOf(parseMoment('2025-03-01T06:00:00Z')!), Date.UTC(2025, 2, 1, 6));
});
