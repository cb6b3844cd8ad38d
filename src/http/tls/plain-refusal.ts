import type { Socket } from 'node:net';
import { errorAnswer } from '../answer/raw-answer.ts';

/** Largest request line and headers together [bytes]. */
export const MAX_HEAD_BYTES = 16_384;
const LINGER_MS = 1_000; // a client that is still sending must receive the answer before the connection closes
const LINGER_BYTES = 262_144; // read from such a client and discarded, at most
const AUTHORIZATION = /\nauthorization:[ \t]*([^\r\n]+)\r?\n/i; // with its line end: part of a key does not identify it

/**
 * Refuses a plain HTTP request at once, even before all of it has arrived. The rest of its head is searched for an
 * `Authorization` header, because a credential that was sent unencrypted is exposed. The rest of its body is read for a
 * moment and discarded: closing the connection on unread data would lose the answer.
 */
export function refusePlain(
  socket: Socket,
  first: Buffer,
  onExposedCredential: (authorization: string, remoteAddress: string) => void,
): void {
  const remoteAddress = socket.remoteAddress ?? '';
  let head = '';
  let searching = true;
  let taken = 0;

  const search = (): void => {
    searching = false;
    const authorization = AUTHORIZATION.exec(head)?.[1];
    if (authorization !== undefined) onExposedCredential(authorization.trim(), remoteAddress);
  };
  const take = (chunk: Buffer): void => {
    taken += chunk.length;
    if (searching) {
      head += chunk.toString('latin1', 0, MAX_HEAD_BYTES - head.length);
      const end = /\r?\n\r?\n/.exec(head);
      if (end !== null) head = head.slice(0, end.index + end[0].length);
      if (end !== null || head.length >= MAX_HEAD_BYTES) search();
    }
    if (taken > LINGER_BYTES) socket.destroy();
  };

  socket.end(errorAnswer('bad_request', 'expected HTTPS on this port, got plain HTTP', isHead(first)));
  take(first);
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.on('data', take).once('close', () => {
    clearTimeout(linger);
    if (searching) search(); // the head never ended
  });
}

function isHead(first: Buffer): boolean {
  return first.subarray(0, 5).toString('latin1') === 'HEAD ';
}
