import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKeyId, newApiKey, parseApiKey } from './api-key.ts';

test('a new key can be parsed and has the same id, environment and hash', () => {
  const key = newApiKey('sandbox');
  assert.match(key.text, /^gw_sandbox_key_[0-9a-z]{26}_[0-9A-Za-z]{38}$/);
  assert.deepEqual(parseApiKey(key.text), { id: key.id, environment: 'sandbox', hash: key.hash });
  assert.equal(apiKeyId(`Bearer ${key.text}`), key.id);
});

test('a mistyped character is detected by the format or the checksum, at every position', () => {
  const { text } = newApiKey('production');
  for (let i = 0; i < text.length; i++) {
    const wrong = text.slice(0, i) + (text[i] === 'a' ? 'b' : 'a') + text.slice(i + 1);
    assert.equal(parseApiKey(wrong), undefined, `position ${i}`);
  }
});
