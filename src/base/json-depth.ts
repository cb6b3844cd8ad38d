const QUOTE = 0x22;
const LEFT_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const RIGHT_BRACKET = 0x5d;
const LEFT_BRACE = 0x7b;
const RIGHT_BRACE = 0x7d;

/**
 * Returns whether a JSON text in UTF-8 nests arrays and objects deeper than `levels`, without parsing it. `JSON.parse`
 * needs seconds for a million levels in two megabytes, in which it answers nobody else. The text need not be valid.
 */
export function nestsDeeper(text: Uint8Array, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text[at]!;
    if (code < LEFT_BRACKET) {
      if (code !== QUOTE) continue;
      for (at++; at < text.length && text[at] !== QUOTE; at++) if (text[at] === BACKSLASH) at++;
    } else if (code === LEFT_BRACKET || code === LEFT_BRACE) {
      if (++depth > levels) return true;
    } else if (code === RIGHT_BRACKET || code === RIGHT_BRACE) depth--;
  }
  return false;
}
