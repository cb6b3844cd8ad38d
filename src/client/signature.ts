import type { Event as WebhookEvent } from './api-types.ts';

/** Why a delivery cannot be trusted. */
export type SignatureFault = 'malformed_header' | 'timestamp_out_of_range' | 'no_match' | 'malformed_body';

/** A delivery that cannot be trusted. The receiver should respond with 400 and do nothing else. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  readonly fault: SignatureFault;
  constructor(fault: SignatureFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

export interface SignedDelivery {
  /**
   * The body exactly as received, as bytes or UTF-8 text. If the JSON is parsed and serialized again, the signature
   * does not match.
   */
  readonly payload: Uint8Array | string;
  /** Value of the `X-SERVICE-Signature` header. */
  readonly header: string | null | undefined;
  /** The secret from the registration, including `whsec_`; during a rotation, all valid secrets. */
  readonly secret: string | readonly string[];
  /** How far the timestamp may be in the past or future [s]; default 300. */
  readonly toleranceSeconds?: number;
  /** Returns the current time [ms since the Unix epoch]; default: `Date.now`. */
  readonly now?: () => number;
}

const TOLERANCE_SECONDS = 300; // s, the usual tolerance of Standard Webhooks libraries
const TIMESTAMP = /^t=(\d{1,12})$/;
const SIGNATURE = /^v1=([0-9a-f]{64})$/i;
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' } as const;

function readHeader(header: string | null | undefined) {
  const parts = (header ?? '').split(',').map((part) => part.trim());
  const times = parts.flatMap((part) => TIMESTAMP.exec(part)?.[1] ?? []);
  const signatures = parts.flatMap((part) => SIGNATURE.exec(part)?.[1] ?? []);
  const [time] = times;
  if (time === undefined || times.length > 1 || signatures.length === 0)
    throw new SignatureError('malformed_header', 'expected a header of the form t=<unix time>,v1=<hex>');
  return { time, signatures };
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

function signedBytes(time: string, payload: Uint8Array | string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const prefix = encoder.encode(`${time}.`);
  const body = typeof payload === 'string' ? encoder.encode(payload) : payload;
  const bytes = new Uint8Array(prefix.length + body.length);
  bytes.set(prefix);
  bytes.set(body, prefix.length);
  return bytes;
}

/**
 * Verifies the signature and the timestamp of a delivery and returns its event. Compares in constant time (WebCrypto);
 * runs in Node and in browsers.
 * @throws SignatureError when the delivery cannot be trusted
 */
export async function verifySignature(delivery: SignedDelivery): Promise<WebhookEvent> {
  const { time, signatures } = readHeader(delivery.header);
  const bytes = signedBytes(time, delivery.payload);
  const secrets = typeof delivery.secret === 'string' ? [delivery.secret] : delivery.secret;
  let matches = false;
  for (const secret of secrets) {
    if (secret === '') throw new TypeError('the signing secret is empty');
    const raw = new TextEncoder().encode(secret);
    const key = await crypto.subtle.importKey('raw', raw, ALGORITHM, false, ['verify']);
    for (const signature of signatures)
      if (await crypto.subtle.verify(ALGORITHM.name, key, bytesOfHex(signature), bytes)) matches = true;
  }
  if (!matches) throw new SignatureError('no_match', 'no signature matches: other secret, or other bytes');
  const ageSeconds = (delivery.now ?? Date.now)() / 1000 - Number(time);
  if (Math.abs(ageSeconds) > (delivery.toleranceSeconds ?? TOLERANCE_SECONDS))
    throw new SignatureError(
      'timestamp_out_of_range',
      `signed ${Math.round(ageSeconds)} s ago: too far from now`,
    );
  const text =
    typeof delivery.payload === 'string' ? delivery.payload : new TextDecoder().decode(delivery.payload);
  try {
    return JSON.parse(text) as WebhookEvent;
  } catch {
    throw new SignatureError('malformed_body', 'the body is signed but is not JSON');
  }
}
