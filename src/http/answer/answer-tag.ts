import { hash } from 'node:crypto';

/**
 * Longer answers are tagged by SHA-1 [characters]: for short ones a call into OpenSSL costs ten times as much as the
 * arithmetic below.
 */
const SHORT = 256;

/** Entity tag of an answer's text. Weak, since compression changes the bytes but not what they say. */
export function answerTag(text: string): string {
  return `W/"${text.length > SHORT ? hash('sha1', text, 'base64url') : digest(text)}"`;
}

/**
 * Whether an `If-None-Match` names a tag: then the caller holds the same answer (RFC 9110 section 13.1.2, weak comparison).
 */
export function holdsTag(header: string, tag: string): boolean {
  if (header.trim() === '*') return true;
  const bare = tag.slice(2); // weak comparison: W/ counts for nothing
  return header.split(',').some((held) => held.trim().replace(/^W\//, '') === bare);
}

/** Multipliers of the two halves: constants of MurmurHash3 and xxHash. */
const PRIME_A = 0x85ebca6b;
const PRIME_B = 0x9e3779b1;

/** 64 bits of a text, no secret: two multiplicative hashes, each finished so that every bit depends on every character. */
function digest(text: string): string {
  let a = 0x811c9dc5 ^ text.length; // offset basis of FNV-1a, 32 bits
  let b = 0x1b873593 ^ text.length; // c2 of MurmurHash3
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, PRIME_A);
    a ^= a >>> 15;
    b = Math.imul(b ^ code, PRIME_B);
    b ^= b >>> 13;
  }
  return `${finished(a)}-${finished(b)}`;
}

/** The finaliser of MurmurHash3: 32 bits. */
function finished(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
