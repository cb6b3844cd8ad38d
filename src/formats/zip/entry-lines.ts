import { StringDecoder } from 'node:string_decoder';

/** Maximum length of a line [characters]; no table has longer lines. A packed file can hold one of any length. */
const LONGEST_LINE = 1 << 24;
const LINE_END = /\r\n|\r|\n/;

/**
 * Splits pieces of a UTF-8 text into its lines, without their ends.
 * @throws RangeError naming a line that is too long
 */
export async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let begun: string[] = []; // parts of the line that has no end yet
  let length = 0;
  let count = 0;
  let isHeld = false; // whether they end with a return, which a line feed may follow
  for await (const piece of pieces) {
    const part = decoder.write(piece);
    begun.push(part);
    length += part.length;
    if (isHeld || LINE_END.test(part)) {
      const text = begun.join('');
      isHeld = text.endsWith('\r');
      const lines = (isHeld ? text.slice(0, -1) : text).split(LINE_END);
      const rest = lines.pop()! + (isHeld ? '\r' : '');
      yield* lines;
      count += lines.length;
      [begun, length] = [[rest], rest.length];
    }
    if (length > LONGEST_LINE)
      throw new RangeError(`line ${count + 1} is longer than ${LONGEST_LINE} characters`);
  }
  const last = begun.join('') + decoder.end();
  if (last !== '') yield isHeld ? last.slice(0, -1) : last;
}
