import type { FastifyInstance } from 'fastify';
import { FairTurns } from '../../base/fair-turns.ts';
import { callerOf } from '../caller.ts';
import type { ConnectionTable } from './connection-table.ts';

/** Requests of strangers that are handled in one turn of the event loop. Each takes some 50 us. */
const PER_TURN = 4;

/**
 * Makes requests of strangers wait for their turn when many come together, so that calls of known accounts go on in
 * between. Their addresses are served in a circle. A stranger is who has not yet shown a valid credential on its
 * connection. Behind a trusted proxy, it is who sends none.
 */
export function paceStrangers(app: FastifyInstance, connections: ConnectionTable): void {
  const turns = new FairTurns(PER_TURN);
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    const isKnown = connections.isShared(socket)
      ? request.headers.authorization !== undefined
      : connections.isKnown(socket);
    if (isKnown) done();
    else turns.run(callerOf(request.ip), done);
  });
}
