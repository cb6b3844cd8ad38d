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
  watch: 'rw_',
  event: 'evt_',
  delivery: 'dlv_',
  collection: 'col_',
  scene: 'scn_',
  station: 'stn_',
  request: 'req_',
  client: 'cli_',
  grant: 'grt_',
  standingFeed: 'fd_',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Crockford's base32 in lower case: no i, l, o, u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const BODY = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Random bytes are drawn by the page: a call for each identifier would cost more than all the rest of it. */
const random = new Uint8Array(4096);
const RANDOM_BYTES = 10; // of an identifier
let drawn = random.length;
const bytes = new Uint8Array(16);

/** A new identifier: the kind's prefix and a UUIDv7 (RFC 9562) in 26 characters of Crockford base32. */
export function newId(kind: IdKind, nowMs: number = Date.now()): string {
  if (drawn + RANDOM_BYTES > random.length) {
    randomFillSync(random);
    drawn = 0;
  }
  const time = Math.trunc(nowMs);
  const high = Math.floor(time / 2 ** 16);
  bytes[0] = high >>> 24;
  bytes[1] = high >>> 16;
  bytes[2] = high >>> 8;
  bytes[3] = high;
  bytes[4] = (time % 2 ** 16) >>> 8;
  bytes[5] = time % 2 ** 8;
  for (let i = 0; i < RANDOM_BYTES; i++) bytes[6 + i] = random[drawn++]!;
  bytes[6] = 0x70 | (bytes[6]! & 0x0f); // version 7
  bytes[8] = 0x80 | (bytes[8]! & 0x3f); // variant of RFC 9562
  let text: string = ID_PREFIXES[kind];
  let bits = 0;
  let count = 2; // 128 bits are two less than 26 characters hold
  for (let i = 0; i < bytes.length; i++) {
    bits = ((bits << 8) | bytes[i]!) & 0x1fff;
    for (count += 8; count >= 5;) {
      count -= 5;
      text += ALPHABET[(bits >>> count) & 31]!;
    }
  }
  return text;
}

/** Whether a text has the form of an identifier of that kind. A malformed one is answered like an unknown one. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind];
  return text.startsWith(prefix) && BODY.test(text.slice(prefix.length));
}
