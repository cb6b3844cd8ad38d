import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '../contract/openapi.ts';
import { isRecorded, RECORDED } from './recorded-operations.ts';

test('of every operation of the document that is no GET it is decided whether it is recorded, and of no other', () => {
  const document = openApiDocument({ version: '1.3.0' });
  const changing = Object.values(document.paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, { operationId }]) => (method === 'get' ? [] : [operationId])),
  );
  assert.deepEqual(Object.keys(RECORDED).toSorted(), changing.toSorted());
});

test('an operation of which nobody decided it cannot be served', () => {
  assert.equal(isRecorded({ id: 'revokeKey', method: 'DELETE' }), true);
  assert.equal(isRecorded({ id: 'assessRiskBatch', method: 'POST' }), false);
  assert.equal(isRecorded({ id: 'anything', method: 'GET' }), false);
  assert.throws(() => isRecorded({ id: 'wipeEverything', method: 'POST' }), /wipeEverything/);
});
