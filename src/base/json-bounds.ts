const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const LEFT_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const RIGHT_BRACKET = 0x5d;
const LEFT_BRACE = 0x7b;
const RIGHT_BRACE = 0x7d;

/** Bits of the hashes of names: two different names share one with a probability of 1 to 65,536. */
const HASH_BITS = 16;

/** What a JSON text may have at most. */
export interface JsonBounds {
  /** Depth of nesting of arrays and objects. */
  readonly levels: number;
  /** Arrays and objects. */
  readonly containers: number;
  /** Fields of all objects together. */
  readonly fields: number;
  /** Different names of fields. */
  readonly names: number;
  /** Texts, the names of fields included. */
  readonly texts: number;
  /** Commas between items and fields. */
  readonly commas: number;
}

/**
 * Returns the first bound that a JSON text in UTF-8 exceeds, without parsing it; undefined where it keeps all. `JSON.parse`
 * needs seconds for a million levels in two megabytes, and half a second for 200,000 different names, in which it answers
 * nobody else. The text need not be valid. Names that differ in their escapes alone count as different, and a few
 * different ones as the same.
 */
export function exceededBound(text: Uint8Array, bounds: JsonBounds): keyof JsonBounds | undefined {
  const isSeen = new Uint8Array(1 << HASH_BITS);
  let depth = 0;
  let containers = 0;
  let fields = 0;
  let names = 0;
  let texts = 0;
  let commas = 0;
  let hash = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]!) {
      case QUOTE:
        if (++texts > bounds.texts) return 'texts';
        hash = 0;
        for (at++; at < text.length && text[at] !== QUOTE; at++) {
          hash = Math.imul(hash ^ text[at]!, 0x01000193);
          if (text[at] === BACKSLASH) hash = Math.imul(hash ^ text[++at]!, 0x01000193);
        }
        break;
      case COMMA:
        if (++commas > bounds.commas) return 'commas';
        break;
      case COLON: {
        if (++fields > bounds.fields) return 'fields';
        const bucket = (hash ^ (hash >>> HASH_BITS)) & (isSeen.length - 1);
        names += 1 - isSeen[bucket]!;
        isSeen[bucket] = 1;
        if (names > bounds.names) return 'names';
        break;
      }
      case LEFT_BRACKET:
      case LEFT_BRACE:
        if (++depth > bounds.levels) return 'levels';
        if (++containers > bounds.containers) return 'containers';
        break;
      case RIGHT_BRACKET:
      case RIGHT_BRACE:
        depth--;
        break;
    }
  }
  return undefined;
}
