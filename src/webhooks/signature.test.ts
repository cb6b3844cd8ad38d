import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signatureHeaders } from './signature.ts';

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');

test("Standard Webhooks' published vector, with and without the prefix of the secret", () => {
  for (const prefix of ['', 'whsec_']) {
    const headers = signatureHeaders({
      eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1_614_265_330,
      body: utf8('{"test": 2432232314}'),
      secrets: [`${prefix}MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`],
    });
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    assert.equal(headers['webhook-id'], 'msg_p5jXN8AQM9LWM0D4loKWxJek');
    assert.equal(headers['webhook-timestamp'], '1614265330');
  }
});

test('X-SERVICE-Signature is the hex HMAC of "<t>.<raw body>" under the whole secret', () => {
  // Expected value: printf '1700000000.{"a":"\xc3\xa9"}' | openssl dgst -sha256 -hmac 'whsec_c2VjcmV0'
  const headers = signatureHeaders({
    eventId: 'evt_1',
    timestamp: 1_700_000_000,
    body: utf8('{"a":"é"}'),
    secrets: ['whsec_c2VjcmV0'],
  });
  assert.equal(
    headers['x-service-signature'],
    't=1700000000,v1=159c54eec309926af11c4fe1b3d2d6898a8bba7b5f7fb088a5f064ba5ae1ccf0',
  );
});

test('each secret signs once in both kinds of headers, and the public library verifies each', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()];
  const text = '{"id":"evt_1","data":{"name":"Žabljak"}}';
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = signatureHeaders({ eventId: 'evt_1', timestamp, body: utf8(text), secrets });
  for (const secret of secrets)
    assert.deepEqual(new Webhook(secret).verify(text, { ...headers }), JSON.parse(text));
  assert.throws(() => new Webhook(newWebhookSecret()).verify(text, { ...headers }));
  assert.throws(() => new Webhook(secrets[0]!).verify(`${text} `, { ...headers }));
  const byHand = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${timestamp}.${text}`, 'utf8').digest('hex'),
  );
  assert.equal(headers['x-service-signature'], `t=${timestamp},v1=${byHand[0]},v1=${byHand[1]}`);
});

test('a new secret is whsec_ and the base64 of 32 random bytes', () => {
  const secrets = Array.from({ length: 50 }, newWebhookSecret);
  assert.equal(new Set(secrets).size, 50);
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
  }
});

test('the delivery in docs/webhooks.md is signed with the secret that stands above it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
  const secret = /signed with the secret `(whsec_[^`]+)`/.exec(page)![1]!;
  const [head, body] = /```http\n([^`]*)\n```/.exec(page)![1]!.split('\n\n') as [string, string];
  const shown = Object.fromEntries(
    head
      .split('\n')
      .slice(1)
      .map((line) => [line.split(': ')[0]!.toLowerCase(), line.split(': ')[1]!]),
  );
  const { 'webhook-id': eventId, 'webhook-timestamp': timestamp } = shown;
  const headers = signatureHeaders({
    eventId: eventId!,
    timestamp: Number(timestamp),
    body: utf8(body),
    secrets: [secret],
  });
  for (const [name, value] of Object.entries(headers)) assert.equal(shown[name], value, name);
});
