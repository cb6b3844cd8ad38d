import type { Socket } from 'node:net';
import { errorAnswer } from '../answer/raw-answer.ts';
import { endWithAnswer } from './lingering-end.ts';

/** Maximum size of the request line and the headers together [bytes]. */
export const MAX_HEAD_BYTES = 16_384;
/** Matches only a complete header line, because the first part of a key does not identify the key. */
const AUTHORIZATION = /\nauthorization:[ \t]*([^\r\n]+)\r?\n/i;

/**
 * Refuses a plain HTTP request at once, even before the whole request has arrived. Searches the head of the request
 * for an `Authorization` header, because a credential that was sent unencrypted is exposed. Reads and discards the
 * body for up to a second: if the connection were closed with unread data, the client would not receive the answer.
 */
export function refusePlain(
  socket: Socket,
  first: Buffer,
  onExposedCredential: (authorization: string, remoteAddress: string) => void,
): void {
  const remoteAddress = socket.remoteAddress ?? '';
  let head = '';
  let searching = true;

  const search = (): void => {
    searching = false;
    const authorization = AUTHORIZATION.exec(head)?.[1];
    if (authorization !== undefined) onExposedCredential(authorization.trim(), remoteAddress);
  };
  const take = (chunk: Buffer): void => {
    if (!searching) return;
    head += chunk.toString('latin1', 0, MAX_HEAD_BYTES - head.length);
    const end = /\r?\n\r?\n/.exec(head);
    if (end !== null) head = head.slice(0, end.index + end[0].length);
    if (end !== null || head.length >= MAX_HEAD_BYTES) search();
  };

  endWithAnswer(
    socket,
    errorAnswer('bad_request', 'expected HTTPS on this port, got plain HTTP', isHead(first)),
  );
  take(first);
  socket.on('data', take).once('close', () => {
    if (searching) search(); // the connection closed before the end of the head
  });
}

function isHead(first: Buffer): boolean {
  return first.subarray(0, 5).toString('latin1') === 'HEAD ';
}
