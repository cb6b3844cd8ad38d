import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryReader } from './query-reader.ts';

test('a query is parsed by its schema: numbers by the grammar of JSON, each parameter once, anything else as text', () => {
  const read = queryReader({
    lat: { type: 'number' },
    limit: { type: 'integer' },
    explain: { type: 'boolean' },
    name: { type: 'string' },
  });
  assert.deepEqual(
    { ...read('lat=5e-7&limit=3&explain=true&name=7&x=1') },
    { lat: 5e-7, limit: 3, explain: true, name: '7', x: '1' },
  );
  assert.deepEqual({ ...read('lat=0x10&limit=&explain=1') }, { lat: '0x10', limit: '', explain: '1' });
  assert.deepEqual({ ...read('') }, {});
  assert.throws(() => read('lat=1&lat=1'), /lat: expected once, got 2 times/);
});
