import { createHash, randomFillSync } from 'node:crypto';

/** Prefix of the identifiers of each kind. */
const ID_PREFIXES = {
  account: 'acc_',
  key: 'key_',
  aoi: 'aoi_',
  change: 'chg_',
  anomaly: 'an_',
  incident: 'inc_',
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
  member: 'mbr_',
  stationFeed: 'sf_',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Crockford's base32 in lower case: no i, l, o, u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const BODY = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** The two characters that encode each ten-bit value. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => ALPHABET[bits >> 5]! + ALPHABET[bits & 31]!);
/** A block of random bits for many identifiers. One call per identifier would cost more than the rest of `newId`. */
const random = new Uint16Array(2048);
const RANDOM_WORDS = 8; // random words per identifier; at most ten bits of each word are used
let drawn = random.length;
/** Time of the last identifier [ms since the Unix epoch]; `timeText` is the same time in characters. */
let lastMs = Number.NaN;
let timeText = '';
/** The 24 bits after the time that order the identifiers of one millisecond; they start at random below half. */
let ordinal = 0;

/**
 * Makes an identifier: the kind's prefix and a UUIDv7 (RFC 9562, section 6.2, method 1) in 26 characters of Crockford
 * base32. Those that a process makes one after the other sort in this order, also within a millisecond.
 */
export function newId(kind: IdKind, nowMs: number = Date.now()): string {
  if (drawn === random.length) {
    randomFillSync(random);
    drawn = 0;
  }
  const time = Math.trunc(nowMs);
  const at = drawn;
  drawn += RANDOM_WORDS;
  if (time === lastMs) ordinal += 1;
  else {
    [lastMs, timeText] = [time, tenCharacters(time)];
    ordinal = ((random[at]! & 0x1fff) << 10) | (random[at + 1]! & 1023);
  }
  // The 48 bits of the time are followed by 80 bits. Of these, bits 1 to 4 are the version, 17 and 18 the variant; the
  // ordinal is in bits 5 to 16 and 19 to 30.
  const versioned = 0b0111_000000 | ((ordinal >> 18) & 0b111111);
  const varied = ((ordinal >> 8) & 0b1111110000) | 0b1000 | ((ordinal >> 10) & 0b11);
  return (
    ID_PREFIXES[kind] +
    timeText +
    PAIRS[versioned]! +
    PAIRS[varied]! +
    PAIRS[ordinal & 1023]! +
    PAIRS[random[at + 3]! & 1023]! +
    PAIRS[random[at + 4]! & 1023]! +
    PAIRS[random[at + 5]! & 1023]! +
    PAIRS[random[at + 6]! & 1023]! +
    PAIRS[random[at + 7]! & 1023]!
  );
}

/** Returns a text that sorts before the identifiers of a kind from a time on [ms], and after all earlier ones. */
export function idFloor(kind: IdKind, timeMs: number): string {
  return ID_PREFIXES[kind] + tenCharacters(timeMs);
}

/**
 * Makes the identifier that follows from what it names, so that the same input always has the same one. It has the form
 * of `newId`, with the first 80 bits of a SHA-256 in place of the random ones.
 * @param timeMs time that it begins with [ms since the Unix epoch]; earlier times count as the epoch
 */
export function stableId(kind: IdKind, timeMs: number, named: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(named)).digest();
  const words = Array.from({ length: 8 }, (_, i) => hash.readUInt16BE(2 * i) & 1023);
  words[0] = 0b0111_000000 | (words[0]! & 0b111111);
  words[1] = (words[1]! & 0b1111110011) | 0b0000001000;
  return (
    ID_PREFIXES[kind] +
    tenCharacters(Math.max(0, Math.trunc(timeMs))) +
    words.map((word) => PAIRS[word]!).join('')
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

/** Returns whether a text has the form of an identifier of a kind. Callers treat a malformed identifier as unknown. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind];
  return text.startsWith(prefix) && BODY.test(text.slice(prefix.length));
}
