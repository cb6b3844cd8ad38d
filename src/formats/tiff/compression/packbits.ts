/**
 * Decodes PackBits: runs of bytes, each with its length before it. Stops at the end of the input, or when the output
 * is full.
 * @returns the decoded bytes, at most `most`
 * @see TIFF revision 6.0 (Adobe 1992), section 9
 */
export function decodePackBits(stored: Uint8Array, most: number): Uint8Array {
  const output = new Uint8Array(most);
  let filled = 0;
  for (let at = 0; at < stored.length && filled < most;) {
    const header = stored[at++]!;
    if (header === 128) continue; // no run
    const isRepeated = header > 128;
    const length = Math.min(isRepeated ? 257 - header : header + 1, most - filled);
    if (isRepeated) output.fill(stored[at] ?? 0, filled, filled + length);
    else output.set(stored.subarray(at, at + length), filled);
    // The input may end within a run: what is missing does not count as decoded.
    filled += isRepeated ? (at < stored.length ? length : 0) : Math.min(length, stored.length - at);
    at += isRepeated ? 1 : header + 1;
  }
  return output.subarray(0, filled);
}
