import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidenceColumns } from './evidence.ts';

test('steps become columns in order of time, with null where a step lacks the field', () => {
  assert.deepEqual(
    evidenceColumns([
      { date: '1970-01-03', value: 0.4, expected: 0.6, posterior: 0.9, run: -2 },
      { datetime: '1970-01-02T00:00:00Z', value: 0.5, posterior: 0.7 },
      { value: 1 },
    ]),
    { time: [86_400, 172_800], value: [0.5, 0.4], expected: [null, 0.6], posterior: [0.7, 0.9] },
  );
});

test('without evidence there are no columns', () => {
  assert.deepEqual(evidenceColumns([]), { time: [], value: [], expected: [], posterior: [] });
});
