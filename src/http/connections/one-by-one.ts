import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum number of requests of one connection that wait for the answer to an earlier one. Only pipelined ones do. */
const WAITING = 32;

/**
 * Makes the requests of each connection begin one after the other: each when the answer to the one before it was handed
 * to the operating system. Pipelined requests would otherwise be computed together, and also for a caller that reads
 * nothing or has left. Closes a connection on which too many wait.
 */
export function oneByOne(handler: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // A response has no socket until the response before it was sent.
    if (response.socket !== null) return handler(request, response);
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > WAITING) return void socket.destroy();
    response.once('socket', () => {
      waiting.set(socket, waiting.get(socket)! - 1);
      // In the next turn of the event loop, so that other connections are served in between.
      setImmediate(() => {
        if (!socket.destroyed) handler(request, response);
      });
    });
  };
}
