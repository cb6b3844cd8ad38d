import { randomFillSync } from 'node:crypto';

/** Prefix of every identifier, by its kind. */
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
  catalogue: 'fd_',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Crockford's base32 in lower case: no i, l, o, u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const BODY = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** The two characters for each value of ten bits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => ALPHABET[bits >> 5]! + ALPHABET[bits & 31]!);
/** Random bits are drawn in blocks: one call for each identifier would cost more than the rest of `newId`. */
const random = new Uint16Array(2048);
const RANDOM_WORDS = 8; // per identifier; ten bits of each word are used
let drawn = random.length;
/** Time of the last identifier [ms since the Unix epoch], and its characters. */
let lastMs = Number.NaN;
let timeText = '';

/** Makes an identifier: the kind's prefix and a UUIDv7 (RFC 9562) in 26 characters of Crockford base32. */
export function newId(kind: IdKind, nowMs: number = Date.now()): string {
  if (drawn === random.length) {
    randomFillSync(random);
    drawn = 0;
  }
  const time = Math.trunc(nowMs);
  if (time !== lastMs) [lastMs, timeText] = [time, tenCharacters(time)];
  const at = drawn;
  drawn += RANDOM_WORDS;
  // After the 48 bits of the time: the version in the first four bits, the variant in the 17th and 18th.
  const versioned = 0b0111_000000 | (random[at]! & 0b111111);
  const varied = (random[at + 1]! & 0b1111110011) | 0b0000001000;
  return (
    ID_PREFIXES[kind] +
    timeText +
    PAIRS[versioned]! +
    PAIRS[varied]! +
    PAIRS[random[at + 2]! & 1023]! +
    PAIRS[random[at + 3]! & 1023]! +
    PAIRS[random[at + 4]! & 1023]! +
    PAIRS[random[at + 5]! & 1023]! +
    PAIRS[random[at + 6]! & 1023]! +
    PAIRS[random[at + 7]! & 1023]!
  );
}

/** Encodes a time below 2^48 in ten characters. */
function tenCharacters(time: number): string {
  let text = '';
  for (let rest = time, k = 0; k < 5; k++) {
    text = PAIRS[rest % 1024]! + text;
    rest = Math.floor(rest / 1024);
  }
  return text;
}

/** Whether a text has the form of an identifier of a kind. Malformed identifiers are treated like unknown ones. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind];
  return text.startsWith(prefix) && BODY.test(text.slice(prefix.length));
}
