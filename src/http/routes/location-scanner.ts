import type { Places } from '../../app/risk/assess-risk.ts';
import { PERILS } from '../../contract/vocabulary.ts';
import type { Location } from '../../contract/risk.ts';
import { ScannedBody } from '../scanned-body.ts';
import { BATCH_LOCATIONS } from '../../contract/limits.ts';

/** The valid locations of a batch, in columns. */
export class ScannedPlaces extends ScannedBody implements Places {
  readonly count: number;
  readonly perils: Uint8Array;
  readonly lats: Float64Array;
  readonly lngs: Float64Array;

  constructor(perils: Uint8Array, lats: Float64Array, lngs: Float64Array) {
    super();
    this.count = perils.length;
    this.perils = perils;
    this.lats = lats;
    this.lngs = lngs;
  }
}

/** Converts locations to columns, in the same order. The schema has already checked them. */
export function placesOf(locations: readonly Location[]): Places {
  return {
    perils: Uint8Array.from(locations, ({ peril }) => PERILS.indexOf(peril)),
    lats: Float64Array.from(locations, ({ lat }) => lat),
    lngs: Float64Array.from(locations, ({ lng }) => lng),
  };
}

// Bytes of the JSON syntax (RFC 8259).
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const LEFT_BRACE = 0x7b;
const RIGHT_BRACE = 0x7d;
const LEFT_BRACKET = 0x5b;
const RIGHT_BRACKET = 0x5d;
const SPACE = 0x20;

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
const LOCATIONS = ascii('"locations"');
const FIELDS = ['"lat"', '"lng"', '"peril"'].map(ascii);
const PERIL_NAMES = PERILS.map((name) => ascii(`"${name}"`));
const LAT = 0;
const LNG = 1;
const ALL_FIELDS = 0b111;

/** Powers of ten that a double can represent exactly. */
const EXACT_POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
/**
 * Maximum number of digits of a whole number that a double always represents exactly. Dividing such a number by an
 * exact power of ten rounds only once, so the result is the nearest double, as with JSON.parse.
 */
const EXACT_DIGITS = 15;
const MAX_DEGREES = [90, 180] as const; // maximum latitude and longitude

/**
 * Reads a body `{"locations": [{"lat", "lng", "peril"}, ...]}` directly from its bytes into columns, faster than
 * JSON.parse alone. Returns undefined for a body that is invalid or not in this plain form. JSON.parse and the schema
 * then read the body and report any problems. Members may be in any order, with any white space. A body with string
 * escapes or with a repeated member is not in plain form.
 */
export function scanPlaces(bytes: Uint8Array): ScannedPlaces | undefined {
  const perils = new Uint8Array(BATCH_LOCATIONS);
  const degrees = [new Float64Array(BATCH_LOCATIONS), new Float64Array(BATCH_LOCATIONS)] as const;
  let at = afterByte(bytes, 0, LEFT_BRACE);
  at = afterText(bytes, spaceEnd(bytes, at), LOCATIONS);
  at = afterByte(bytes, at, COLON);
  at = afterByte(bytes, at, LEFT_BRACKET);
  let count = 0;
  for (let isMore = true; isMore; count++) {
    if (count === BATCH_LOCATIONS) return undefined;
    at = afterByte(bytes, at, LEFT_BRACE);
    for (let seen = 0; seen !== ALL_FIELDS;) {
      at = spaceEnd(bytes, at);
      const field = indexOfNext(bytes, at, FIELDS);
      if (field < 0 || (seen & (1 << field)) !== 0) return undefined;
      seen |= 1 << field;
      at = spaceEnd(bytes, afterByte(bytes, at + FIELDS[field]!.length, COLON));
      if (field === LAT || field === LNG) {
        at = readNumber(bytes, at);
        if (!(at < FAILED && Math.abs(numberRead) <= MAX_DEGREES[field])) return undefined;
        degrees[field][count] = numberRead;
      } else {
        const peril = indexOfNext(bytes, at, PERIL_NAMES);
        if (peril < 0) return undefined;
        perils[count] = peril;
        at += PERIL_NAMES[peril]!.length;
      }
      at = afterByte(bytes, at, seen === ALL_FIELDS ? RIGHT_BRACE : COMMA);
    }
    at = spaceEnd(bytes, at);
    isMore = bytes[at] === COMMA;
    if (isMore) at++;
  }
  at = afterByte(bytes, at, RIGHT_BRACKET);
  at = spaceEnd(bytes, afterByte(bytes, at, RIGHT_BRACE));
  if (at !== bytes.length) return undefined;
  const [lats, lngs] = degrees;
  return new ScannedPlaces(perils.subarray(0, count), lats.subarray(0, count), lngs.subarray(0, count));
}

/** Position of a failed match. It is past the end of any body, so that every match from this position fails too. */
const FAILED = 2 ** 30;

/** Returns the position of the next byte that is not white space. */
function spaceEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  // White space in JSON is the space and three control characters; other control characters are invalid.
  while (at < bytes.length && bytes[at]! <= SPACE) {
    const byte = bytes[at]!;
    if (byte !== SPACE && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return FAILED;
    at++;
  }
  return at;
}

/** Returns the position after an expected byte, which white space may precede. */
function afterByte(bytes: Uint8Array, from: number, byte: number): number {
  if (bytes[from] === byte) return from + 1;
  const at = spaceEnd(bytes, from);
  return at < bytes.length && bytes[at] === byte ? at + 1 : FAILED;
}

function afterText(bytes: Uint8Array, from: number, text: Uint8Array): number {
  return isNext(bytes, from, text) ? from + text.length : FAILED;
}

function isNext(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  if (at + text.length > bytes.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

/** Returns the index of the text that is at a position; -1 when none of the texts is there. */
function indexOfNext(bytes: Uint8Array, at: number, texts: readonly Uint8Array[]): number {
  for (let i = 0; i < texts.length; i++) if (isNext(bytes, at, texts[i]!)) return i;
  return -1;
}

/** The number that the last successful call of `readNumber` read. */
let numberRead = 0;

/** Reads a number (RFC 8259 section 6) to the same double as JSON.parse. @returns the position after it */
function readNumber(bytes: Uint8Array, from: number): number {
  const length = bytes.length;
  if (from >= length) return FAILED;
  const isNegative = bytes[from] === MINUS;
  let at = isNegative ? from + 1 : from;
  const first = at;
  let whole = 0;
  for (; at < length && isDigit(bytes[at]!); at++) whole = whole * 10 + (bytes[at]! - ZERO);
  let digits = at - first;
  if (digits === 0 || (digits > 1 && bytes[first] === ZERO)) return FAILED;
  let decimals = 0;
  if (at < length && bytes[at] === DOT) {
    const point = ++at;
    for (; at < length && isDigit(bytes[at]!); at++) whole = whole * 10 + (bytes[at]! - ZERO);
    decimals = at - point;
    if (decimals === 0) return FAILED;
    digits += decimals;
  }
  const hasExponent = at < length && (bytes[at] === LOWER_E || bytes[at] === UPPER_E);
  if (digits <= EXACT_DIGITS && !hasExponent) {
    const value = decimals === 0 ? whole : whole / EXACT_POWERS[decimals]!;
    numberRead = isNegative ? -value : value;
    return at;
  }
  if (hasExponent) {
    at++;
    if (bytes[at] === PLUS || bytes[at] === MINUS) at++;
    const exponent = at;
    while (at < length && isDigit(bytes[at]!)) at++;
    if (at === exponent) return FAILED;
  }
  numberRead = Number(Buffer.from(bytes.subarray(from, at)).toString('latin1'));
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
