import type { Socket } from 'node:net';
import { errorAnswer } from '../answer/raw-answer.ts';

const MAX_HEAD_BYTES = 16_384; // looked through for a credential
const LINGER_MS = 1_000; // a client still sending must see the answer before the connection breaks under it
const LINGER_BYTES = 262_144; // taken from such a client and thrown away
const AUTHORIZATION = /\nauthorization:[ \t]*([^\r\n]+)\r?\n/i; // with its line end: a part of a key tells nothing

/**
 * Refuses a plain HTTP request at once, whatever of it has arrived. What follows is not read as a request: it is only
 * searched for an `Authorization` header until the head ends, since a credential sent in the clear is exposed, and
 * thrown away for a moment, since closing on unread data would tear the answer from the client.
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
