import { isUtf8 } from 'node:buffer';

/**
 * Encoding of a text: the UTF-16 that its byte order mark names (spreadsheets write it as "Unicode text"), else UTF-8, or
 * ISO 8859-1 when it is not valid UTF-8, as in files of many national services.
 */
export type TextEncoding = 'utf8' | 'latin1' | 'utf-16le' | 'utf-16be';

/** Detects the encoding of a text. @param bytes the first bytes of the text, up to the end of a line */
export function encodingOf(bytes: Uint8Array): TextEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return isUtf8(bytes) ? 'utf8' : 'latin1';
}

/** Whether bytes are not those of a text: they have a zero, and no byte order mark of UTF-16. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0) && !isUtf16(encodingOf(bytes));
}

export function isUtf16(encoding: TextEncoding): encoding is 'utf-16le' | 'utf-16be' {
  return encoding.startsWith('utf-16');
}

/** A whole text, without its byte order mark. */
export function decodedText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}
