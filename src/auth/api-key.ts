import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isId, newId } from '../base/ids.ts';
import type { Environment } from '../app/owner.ts';
import { secretHash } from './secret-hash.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32; // characters from an alphabet of 62: 190 random bits
const CHECKSUM_LENGTH = 6; // characters: 62^6 > 2^32, so a CRC-32 fits
const FORM = /^gw_(sandbox|staging|production)_(key_[0-9a-z]{26})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** A new key: its text, which is shown to the caller once, and the id and hash that are stored. */
export interface NewApiKey {
  readonly id: string;
  readonly text: string;
  readonly hash: Buffer;
}

/** Parts of a well-formed key. */
export interface ParsedApiKey {
  readonly id: string;
  readonly environment: Environment;
  readonly hash: Buffer;
}

/** Makes a key `gw_<environment>_<key id>_<secret><checksum>`. */
export function newApiKey(environment: Environment): NewApiKey {
  const id = newId('key');
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    // 248 = 4 x 62. Bytes from 248 on are skipped: they would make the first 8 characters more likely.
    for (const byte of randomBytes(SECRET_LENGTH)) if (byte < 248) secret += ALPHABET[byte % 62];
  }
  const body = `gw_${environment}_${id}_${secret.slice(0, SECRET_LENGTH)}`;
  const text = body + checksum(body);
  return { id, text, hash: secretHash(text) };
}

/** Parses a key; undefined when it is mistyped or not a key. Checks form and checksum, without a database query. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const form = FORM.exec(text);
  if (!form || !isId('key', form[2]!)) return undefined;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== form[4]) return undefined;
  return { id: form[2]!, environment: form[1] as Environment, hash: secretHash(text) };
}

/** Returns the public id in a text that looks like an API key, for logs. The key is not verified. */
export function apiKeyId(text: string): string | undefined {
  return /gw_(?:sandbox|staging|production)_(key_[0-9a-z]{26})_/.exec(text)?.[1];
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET[rest % 62]! + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
