import { createReadStream } from 'node:fs';
import { InvalidInput } from '../../base/errors.ts';
import { isUtf16, type TextEncoding } from '../../formats/csv/encoding.ts';
import { separatorIn } from '../../formats/csv/separator.ts';

const CHUNK_BYTES = 1 << 20; // bytes of one read, about 30,000 lines
const SHOWN = 40; // characters of a damaged field in its error
const LONGEST_LINE = 1 << 24; // maximum length of a line [characters]; no table has longer lines

/** Consecutive lines of a text, without line ends. */
export interface Lines {
  /** Number of the first line, from 1. */
  readonly first: number;
  readonly texts: readonly string[];
}

/** Streams the lines of a text in chunks. @throws InvalidInput when it cannot be read */
export async function* readLines(path: string, encoding: TextEncoding): AsyncGenerator<Lines> {
  let [rest, first] = ['', 1];
  try {
    for await (const chunk of chunksOf(path, encoding)) {
      const texts = (rest + chunk).split('\n');
      rest = texts.pop()!;
      if (rest.length > LONGEST_LINE)
        throw new InvalidInput(
          `${path}, line ${first + texts.length}: longer than ${LONGEST_LINE} characters`,
        );
      yield { first, texts: trimmed(texts, first) };
      first += texts.length;
    }
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, {
      param: 'file',
      cause: error,
    });
  }
  if (rest !== '') yield { first, texts: trimmed([rest], first) };
}

async function* chunksOf(path: string, encoding: TextEncoding): AsyncGenerator<string> {
  if (!isUtf16(encoding)) {
    for await (const chunk of createReadStream(path, { encoding, highWaterMark: CHUNK_BYTES }))
      yield chunk as string;
    return;
  }
  const decoder = new TextDecoder(encoding);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }))
    yield decoder.decode(chunk as Uint8Array, { stream: true });
  yield decoder.decode();
}

function trimmed(texts: string[], first: number): readonly string[] {
  if (first === 1 && texts[0]?.startsWith('\uFEFF') === true) texts[0] = texts[0].slice(1);
  for (let i = 0; i < texts.length; i++) if (texts[i]!.endsWith('\r')) texts[i] = texts[i]!.slice(0, -1);
  return texts;
}

/** Fields of one line. A quoted field may contain the separator and doubled quotes, but no line break. */
export function splitFields(line: string, separator: string | RegExp): string[] {
  if (!line.includes('"'))
    return typeof separator === 'string' ? line.split(separator) : line.trim().split(separator);
  const plain = typeof separator === 'string' ? separator : ' ';
  const fields: string[] = [];
  for (let at = 0; ;) {
    if (line[at] === '"') {
      let [end, text] = [at + 1, ''];
      for (;;) {
        const quote = line.indexOf('"', end);
        if (quote < 0)
          throw new RangeError(
            `a quote that is not closed in ${JSON.stringify(line.slice(at, at + SHOWN))}; fields have no line breaks here`,
          );
        text += line.slice(end, quote);
        end = quote + 1;
        if (line[end] !== '"') break;
        text += '"';
        end++;
      }
      fields.push(text);
      at = line.indexOf(plain, end);
    } else {
      const end = line.indexOf(plain, at);
      fields.push(end < 0 ? line.slice(at) : line.slice(at, end));
      at = end;
    }
    if (at < 0) return fields;
    at += plain.length;
  }
}

/** Separator of a table's fields, guessed from its header. */
export function separatorOf(header: string): string | RegExp {
  return separatorIn(header) ?? /\s+/;
}
