const CLEAR = 256; // code that empties the table
const END = 257; // code after the last one
const FIRST_FREE = 258;
const FIRST_BITS = 9;
const MOST_BITS = 12;
const CODES = 1 << MOST_BITS;

/**
 * Decodes LZW as TIFF writes it: codes of 9 to 12 bits, highest bit first, one bit longer one code early. Stops at
 * the end code, at the end of the input, or when the output is full.
 *
 * This is our own code: the decoder of geotiff.js knows no end of the output, so that a changed byte can make it fill
 * gigabytes. A string of the table always stands somewhere in the output, therefore the table holds only its place.
 * @returns the decoded bytes, at most `most`
 * @throws RangeError for a code that is not in the table
 * @see TIFF revision 6.0 (Adobe 1992), section 13
 */
export function decodeLzw(stored: Uint8Array, most: number): Uint8Array {
  const output = new Uint8Array(most);
  const places = new Uint32Array(CODES);
  const lengths = new Uint16Array(CODES);
  let [filled, next, bits] = [0, FIRST_FREE, FIRST_BITS];
  let before = -1; // place of the string before, -1 after the table was emptied
  let beforeLength = 0;
  let [held, heldBits, at] = [0, 0, 0];
  while (filled < most) {
    while (heldBits < bits && at < stored.length) {
      held = ((held << 8) | stored[at++]!) & 0xff_ffff;
      heldBits += 8;
    }
    if (heldBits < bits) break;
    heldBits -= bits;
    const code = (held >>> heldBits) & ((1 << bits) - 1);
    if (code === END) break;
    if (code === CLEAR) {
      [next, bits, before] = [FIRST_FREE, FIRST_BITS, -1];
      continue;
    }
    let length = 1;
    if (code < CLEAR) {
      output[filled] = code;
    } else {
      if (before === -1 || code > next || (code === next && next === CODES))
        throw new RangeError(`LZW code ${code} is not in the table of ${next}`);
      // The code that is about to be added is the string before and its own first byte.
      const from = code === next ? before : places[code]!;
      length = Math.min(code === next ? beforeLength + 1 : lengths[code]!, most - filled);
      for (let i = 0; i < length; i++) output[filled + i] = output[from + i]!;
    }
    if (before !== -1 && next < CODES) {
      places[next] = before;
      lengths[next++] = beforeLength + 1;
      if (next + 1 >= 1 << bits && bits < MOST_BITS) bits++;
    }
    before = filled;
    beforeLength = length;
    filled += length;
  }
  return output.subarray(0, filled);
}
