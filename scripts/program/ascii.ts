/**
 * The same JavaScript in ASCII: other characters become escapes, which strings, templates, regular expressions and names
 * may have. A character behind a backslash stays, because its escape would be another one.
 */
export function inAscii(code: string): string {
  return code.replace(/(\\*)([\u0080-\uffff]+)/g, (whole, slashes: string, text: string) =>
    slashes.length % 2 === 1 ? whole : slashes + escaped(text),
  );
}

/** The code units of a text as escapes. */
function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, i) => {
    const code = text.charCodeAt(i).toString(16);
    return `\\u${code.padStart(4, '0')}`;
  }).join('');
}
