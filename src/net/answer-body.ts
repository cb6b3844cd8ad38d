import type { Dispatcher } from 'undici';
import { CutShort, ReadFailed } from './read-failure.ts';

/**
 * Reads a body; of an error response, only the start.
 * @param asked address of the request
 * @param reached address of the answer, after redirects
 * @throws ReadFailed when any other body exceeds `maxBytes`, or is a page of another host; CutShort
 */
export async function collect(
  asked: string,
  reached: string,
  answer: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<Buffer> {
  if (isOtherPage(asked, reached, answer)) {
    await answer.body.dump();
    throw new ReadFailed(
      asked,
      `the server answered with a page of ${new URL(reached).host}, perhaps to sign in`,
      401,
    );
  }
  const isWhole = answer.statusCode === 200 || answer.statusCode === 206;
  // Only the first line of an error response is used, in the error message.
  const most = isWhole ? maxBytes : Math.min(maxBytes, 4096);
  const kept: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    kept.push(chunk);
    length += chunk.length;
    if (length <= most) continue;
    if (!isWhole) break;
    throw new ReadFailed(reached, `the answer is longer than ${maxBytes} bytes`, answer.statusCode);
  }
  // Undici watches the length of the body, but not that of the piece it should be.
  const piece = answer.statusCode === 206 ? contentRange(answer) : undefined;
  if (piece !== undefined && length < piece.end - piece.first)
    throw new CutShort(`the piece ended after ${length} of ${piece.end - piece.first} bytes`);
  return Buffer.concat(kept);
}

/** Place of a piece in its file, `[first, end)`, and the length of the file; undefined where the answer tells none. */
export function contentRange({ headers }: Dispatcher.ResponseData) {
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? [];
  if (first === undefined || !Number.isSafeInteger(Number(size))) return undefined;
  return { first: Number(first), end: Number(last) + 1, size: Number(size) };
}

/**
 * Whether an answer is the page of another host in place of a file: Earthdata Login sends requests without a valid
 * token to such a page.
 */
function isOtherPage(
  asked: string,
  reached: string,
  { statusCode, headers }: Dispatcher.ResponseData,
): boolean {
  if (statusCode !== 200 || new URL(reached).host === new URL(asked).host) return false;
  return /^text\/html\b/i.test(String(headers['content-type']));
}
