import { randomFillSync } from 'node:crypto';

/** Prefix of every identifier, by the kind of thing it names. */
export const ID_PREFIXES = {
  account: 'acc_',
  key: 'key_',
  aoi: 'aoi_',
  change: 'chg_',
  anomaly: 'an_',
  subscription: 'sub_',
  webhook: 'wh_',
  event: 'evt_',
  delivery: 'dlv_',
  collection: 'col_',
  scene: 'scn_',
  request: 'req_',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Crockford's base32 in lower case: no i, l, o, u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const BODY = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const random = new Uint8Array(16);

/** A new identifier: the kind's prefix and a UUIDv7 (RFC 9562) in 26 characters of Crockford base32. */
export function newId(kind: IdKind, nowMs: number = Date.now()): string {
  randomFillSync(random);
  let value = (BigInt(Math.trunc(nowMs)) & 0xffffffffffffn) << 80n;
  value |= 0x7n << 76n;
  value |= BigInt(((random[0]! & 0x0f) << 8) | random[1]!) << 64n;
  value |= 0x2n << 62n;
  let tail = 0n;
  for (let i = 2; i < 10; i++) tail = (tail << 8n) | BigInt(random[i]!);
  value |= tail & 0x3fffffffffffffffn;
  let text = '';
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += ALPHABET[Number((value >> shift) & 31n)]!;
  return ID_PREFIXES[kind] + text;
}

/** Whether a text has the form of an identifier of that kind. A malformed one is answered like an unknown one. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind];
  return text.startsWith(prefix) && BODY.test(text.slice(prefix.length));
}
