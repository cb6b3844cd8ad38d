import type { Duplex } from 'node:stream';

/** Time for which the connection stays open [ms], so that a client that is still sending receives the answer. */
export const LINGER_MS = 1_000;
/** Maximum number of bytes that are read from a client that is still sending. */
export const LINGER_BYTES = 262_144;

/**
 * Sends the last answer on a connection, and reads and discards what the client still sends, up to a maximum size and
 * time. If the connection were closed with unread data, the client would get a reset instead of the answer.
 */
export function endWithAnswer(socket: Duplex, answer: string): void {
  let taken = 0;
  const cut = (): void => void socket.destroy();
  // Removes the listeners of the HTTP parser, which would report the rest of a refused request as a new error.
  socket.removeAllListeners('data');
  socket.end(answer);
  const linger = setTimeout(cut, LINGER_MS);
  socket
    .on('error', cut)
    .on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (taken > LINGER_BYTES) cut();
    })
    .once('close', () => clearTimeout(linger));
}
