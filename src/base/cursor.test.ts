import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCursor, encodeCursor, type PositionPart } from './cursor.ts';
import { InvalidInput } from './errors.ts';

const CHANGE = 'chg_01k9q3v8gze7q8w1n5s0t4b6y1';
const forge = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a position survives encoding and decoding', () => {
  const position = ['2026-08-31', CHANGE];
  assert.deepEqual(decodeCursor('changes', ['day', 'change'], encodeCursor('changes', position)), position);
  const series = ['2026-08-31T10:00:00.000Z', '2'];
  assert.deepEqual(decodeCursor('series', ['moment', 'count'], encodeCursor('series', series)), series);
  assert.equal(encodeCursor('changes', undefined), undefined);
  assert.equal(decodeCursor('changes', ['day', 'change'], undefined), undefined);
});

test('a cursor of another list or form is refused, even if its parts are valid', () => {
  const refused = (form: readonly PositionPart[], cursor: string) =>
    assert.throws(
      () => decodeCursor('changes', form, cursor),
      (error) => error instanceof InvalidInput && error.param === 'cursor',
      cursor,
    );
  for (const cursor of [
    '',
    'x',
    '%%',
    forge(null),
    forge({}),
    forge([]),
    forge(['changes']),
    forge('changes'),
  ])
    refused(['day', 'change'], cursor);
  refused(['day', 'change'], forge(['anomalies', '2026-08-31', CHANGE]));
  refused(['day', 'change'], forge(['changes', '2026-08-31', CHANGE, 'more']));
  refused(['day', 'change'], forge(['changes', '2026-08-31', 'aoi_01k9q3v8gze7q8w1n5s0t4b6y1']));
  refused(['day', 'change'], forge(['changes', 20_260_831, CHANGE]));
  for (const day of [
    '0000-01-01',
    '2026-02-30',
    '2026-08-31T00:00:00.000Z',
    '2026-8-31',
    'now',
    '-001-01-01',
  ])
    refused(['day', 'change'], forge(['changes', day, CHANGE]));
  for (const moment of [
    '2026-08-31',
    '0000-01-01T00:00:00.000Z',
    '2026-08-31T10:00:00Z',
    '2026-08-31t10:00:00.000z',
    '9999-12-31T23:59:59.000-23:59',
    '2026-08-31T10:00:60.000Z',
    'infinity',
  ])
    refused(['moment'], forge(['changes', moment]));
  for (const count of ['-1', '1.5', '1e3', '01', '', '9'.repeat(20)])
    refused(['count'], forge(['changes', count]));
});
