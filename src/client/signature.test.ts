import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { SignatureError, type SignatureFault, verifySignature } from './signature.ts';

const T = 1_700_000_000;
const now = () => T * 1000;
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgh1g4nHE=';
const payload =
  '{"id":"evt_1","type":"webhook.test","created_at":"2023-11-14T22:13:20.000Z","environment":"sandbox","data":{"ä":"✓"}}';

const sign = (key: string, time: number, body: string | Uint8Array) =>
  createHmac('sha256', key).update(`${time}.`).update(body).digest('hex');
const header = `t=${T},v1=${sign(secret, T, payload)}`;

const refused = (fault: SignatureFault) => (error: unknown) =>
  error instanceof SignatureError && error.fault === fault;

test('a delivery signed by node:crypto is accepted, as text and as bytes', async () => {
  const event = await verifySignature({ payload, header, secret, now });
  assert.equal(event.type, 'webhook.test');
  assert.deepEqual(event.data, { ä: '✓' });
  const bytes = Buffer.from(`--${payload}`).subarray(2);
  assert.equal((await verifySignature({ payload: bytes, header, secret, now })).id, 'evt_1');
});

test('a vector computed by the openssl command line is accepted', async () => {
  // Made with: printf '%s' '1700000000.{"test":1}' | openssl dgst -sha256 -hmac whsec_dGVzdA==
  const v1 = '199fe17892666aaccfa2660422a3876a1ceb039fdd2a1acc2604faae79bc945d';
  const given = { payload: '{"test":1}', header: `t=1700000000,v1=${v1}`, secret: 'whsec_dGVzdA==', now };
  assert.deepEqual(await verifySignature(given), { test: 1 });
});

test('during a rotation one matching secret is enough, on either side', async () => {
  const other = 'whsec_b3RoZXI=';
  const both = `t=${T},v1=${sign(other, T, payload)},v1=${sign(secret, T, payload)}`;
  await verifySignature({ payload, header: both, secret, now });
  await verifySignature({ payload, header, secret: [other, secret], now });
});

test('a different body, time, secret or signature is rejected', async () => {
  const cases = [
    { payload: `${payload} ` },
    { payload: payload.replace('sandbox', 'Sandbox') },
    { header: header.replace(`t=${T}`, `t=${T + 1}`) },
    { secret: `${secret}x` },
    { secret: secret.slice('whsec_'.length) },
    { header: `t=${T},v1=${'0'.repeat(64)}` },
  ];
  for (const change of cases)
    await assert.rejects(
      verifySignature({ payload, header, secret, now, ...change }),
      refused('no_match'),
      JSON.stringify(change),
    );
});

test('a timestamp may be five minutes in the past or future, but not one second more', async () => {
  const at = (seconds: number) => () => (T + seconds) * 1000;
  await verifySignature({ payload, header, secret, now: at(300) });
  await verifySignature({ payload, header, secret, now: at(-300) });
  const late = refused('timestamp_out_of_range');
  await assert.rejects(verifySignature({ payload, header, secret, now: at(301) }), late);
  await assert.rejects(verifySignature({ payload, header, secret, now: at(-301) }), late);
  await verifySignature({ payload, header, secret, now: at(3600), toleranceSeconds: 3600 });
});

test('a malformed header is rejected as malformed', async () => {
  const v1 = sign(secret, T, payload);
  for (const bad of [
    undefined,
    null,
    '',
    v1,
    `v1=${v1}`,
    `t=${T}`,
    `t=x,v1=${v1}`,
    `t=${T},v1=${v1.slice(1)}`,
    `t=${T},t=${T},v1=${v1}`,
  ])
    await assert.rejects(
      verifySignature({ payload, header: bad, secret, now }),
      refused('malformed_header'),
      String(bad),
    );
});

test('an empty secret is an error of the caller, not a match', async () => {
  await assert.rejects(verifySignature({ payload, header, secret: '', now }), TypeError);
});

test('a signed body that is not JSON is rejected', async () => {
  const given = { payload: 'hello', header: `t=${T},v1=${sign(secret, T, 'hello')}`, secret, now };
  await assert.rejects(verifySignature(given), refused('malformed_body'));
});
