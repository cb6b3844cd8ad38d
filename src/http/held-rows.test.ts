import assert from 'node:assert/strict';
import { test } from 'node:test';
import { square } from '../../test/fixtures/records.ts';
import { broken, testApp } from '../../test/fixtures/test-app.ts';
import type { Storage } from '../app/storage.ts';
import { Contended } from '../base/errors.ts';

test('a creation that waits for rows of others for too long is told when to come again', async () => {
  const storage: Storage = new Proxy<Storage>(broken(), {
    get: (from, name) =>
      name === 'boundTo'
        ? () => storage
        : name === 'transaction'
          ? () => Promise.reject(new Contended('held'))
          : Reflect.get(from, name),
  });
  await using app = await testApp({ storage });
  const { status, headers, text } = await app.call({
    method: 'POST',
    url: '/v1/aois',
    payload: { name: 'an area', geometry: square(14, 46) },
  });
  assert.equal(status, 429, text);
  assert.match(headers['retry-after'] ?? '', /^[12]$/);
  assert.match(text, /writes to the same rows in progress/);
});
