import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '../base/errors.ts';
import { FairTurns } from '../base/fair-turns.ts';

/** Items of a list that is written at once, within a few milliseconds. */
const SHORT_LIST = 100;

/** Handles a call whose credential, query and body are checked. */
export type Handle = (
  request: FastifyRequest,
  reply: FastifyReply,
  query: Readonly<Record<string, unknown>>,
) => unknown;

/**
 * Waits for the turn of the caller's account, before a large answer or computation.
 * @throws InvalidInput when the caller has left
 */
export type TakeTurn = (request: FastifyRequest) => Promise<void>;

/** Makes the turns of all accounts. One large answer or computation begins in each turn of the event loop. */
export function answerTurns(): TakeTurn {
  const turns = new FairTurns(1);
  return async (request) => {
    await turns.turn(request.principal!.accountId);
    refuseLeft(request);
  };
}

/** Makes a list that may be long be written in a turn of its account, unless its handler writes it. */
export function listInTurn(handle: Handle, takeTurn: TakeTurn): Handle {
  return async (request, reply, query) => {
    const answer = await handle(request, reply, query);
    if (answer !== reply && !(Number(query['limit']) <= SHORT_LIST)) await takeTurn(request);
    return answer;
  };
}

/**
 * Ends a call whose connection is closed, so that nothing more is computed for it. For use after a wait.
 * @throws InvalidInput, which the log and the metrics show like an incomplete body
 */
export function refuseLeft({ raw }: FastifyRequest): void {
  if (raw.socket.destroyed) throw new InvalidInput('The connection was closed before the answer');
}
