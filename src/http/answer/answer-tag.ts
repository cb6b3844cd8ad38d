import { hash } from 'node:crypto';

/**
 * Maximum length of a text that is hashed in JavaScript [characters]. Longer texts are hashed with SHA-1. For short
 * texts, a call into OpenSSL costs ten times as much as the arithmetic below.
 */
const SHORT = 256;

/** Returns the entity tag of a text. The tag is weak, because compression changes the bytes but not the content. */
export function answerTag(text: string): string {
  return `W/"${text.length > SHORT ? hash('sha1', text, 'base64url') : digest(text)}"`;
}

/** Returns the entity tag of bytes, such as those of a picture. */
export function bytesTag(bytes: Uint8Array): string {
  return `W/"${hash('sha1', bytes, 'base64url')}"`;
}

/**
 * Returns whether an `If-None-Match` header contains a tag. If so, the caller already has the same answer (RFC 9110
 * section 13.1.2).
 */
export function matchesTag(header: string, tag: string): boolean {
  if (header.trim() === '*') return true;
  const bare = tag.slice(2); // a weak comparison ignores the prefix W/
  return header.split(',').some((held) => held.trim().replace(/^W\//, '') === bare);
}

/** Multipliers of the two halves of the hash: constants of MurmurHash3 and xxHash. */
const PRIME_A = 0x85ebca6b;
const PRIME_B = 0x9e3779b1;

/**
 * Computes a 64-bit hash of a text, which is not cryptographic: two multiplicative hashes with a finaliser, so that
 * every bit depends on every character.
 */
function digest(text: string): string {
  let a = 0x811c9dc5 ^ text.length; // offset basis of FNV-1a, 32 bits
  let b = 0x1b873593 ^ text.length; // constant c2 of MurmurHash3
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, PRIME_A);
    a ^= a >>> 15;
    b = Math.imul(b ^ code, PRIME_B);
    b ^= b >>> 13;
  }
  return `${finished(a)}-${finished(b)}`;
}

/** Applies the 32-bit finaliser of MurmurHash3. */
function finished(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
