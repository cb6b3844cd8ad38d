import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32; // length of a SHA-256 output; a longer key adds no strength: RFC 2104 section 3
const MAX_CACHED_SECRETS = 10_000; // maximum number of secrets whose keys are cached: about 10 MB of key objects

/** The two HMAC keys of one secret. They are KeyObjects, since passing a buffer to HMAC costs 30 us more per call. */
interface SecretKeys {
  /** Key from the text of the secret, for `X-SERVICE-Signature`. */
  readonly text: KeyObject;
  /** Key from the bytes that the base64 part of the secret encodes, for Standard Webhooks. */
  readonly decoded: KeyObject;
}

const cache = new Map<string, SecretKeys>();

/** Makes a signing secret: `whsec_` and the base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Computes the signature headers of one attempt: `X-SERVICE-Signature` and the headers of Standard Webhooks, with one
 * signature for each secret. The signed bytes are exactly the bytes that are sent.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders(attempt: {
  readonly eventId: string;
  /** Unix time of this attempt [s]. */
  readonly timestamp: number;
  readonly body: Uint8Array;
  readonly secrets: readonly string[];
}): Readonly<Record<string, string>> {
  const { eventId, timestamp, body } = attempt;
  const service = [`t=${timestamp}`];
  const standard: string[] = [];
  for (const secret of attempt.secrets) {
    const keys = keysOf(secret);
    service.push(`v1=${createHmac('sha256', keys.text).update(`${timestamp}.`).update(body).digest('hex')}`);
    const signed = createHmac('sha256', keys.decoded).update(`${eventId}.${timestamp}.`).update(body);
    standard.push(`v1,${signed.digest('base64')}`);
  }
  return {
    'x-service-signature': service.join(','),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  };
}

function keysOf(secret: string): SecretKeys {
  const cached = cache.get(secret);
  if (cached !== undefined) return cached;
  const base64 = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const keys = {
    text: createSecretKey(secret, 'utf8'),
    decoded: createSecretKey(base64, 'base64'),
  };
  if (cache.size >= MAX_CACHED_SECRETS) cache.delete(cache.keys().next().value!); // the oldest
  cache.set(secret, keys);
  return keys;
}
