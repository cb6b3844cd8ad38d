import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../base/ids.ts';
import { newApiKey } from './api-key.ts';
import { credentialId } from './credential-id.ts';

const token = (claims: unknown) => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `Bearer ${part({ alg: 'ES256' })}.${part(claims)}.c2lnbmF0dXJl`;
};

test('keys and tokens give their public id, other texts give none', () => {
  const key = newApiKey('staging');
  assert.equal(credentialId(`Bearer ${key.text}`), key.id);
  const client = newId('client');
  assert.equal(credentialId(token({ client_id: client })), client);
  for (const claims of [null, 7, {}, { client_id: 7 }, { client_id: 'x\nforged line' }])
    assert.equal(credentialId(token(claims)), undefined);
  for (const text of ['', 'Bearer a.b.c', 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='])
    assert.equal(credentialId(text), undefined);
});
