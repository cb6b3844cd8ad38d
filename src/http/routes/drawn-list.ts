import type { FastifyReply, FastifyRequest } from 'fastify';
import { FairQueue } from '../../base/fair-queue.ts';
import { ANSWER_UNIT_BYTES } from '../../contract/limits.ts';
import { jsonOf } from '../answer/json-text.ts';
import { refuseLeft } from '../answer-turns.ts';
import type { RouteContext } from '../route.ts';

/** Length of an answer from which on it is written in a turn of its own [characters]. */
const LARGE = 16_384;

/**
 * Answers a list that may be a megabyte of JSON text. Large answers of an account wait for their turn, so that calls of
 * other accounts are handled in between, and are charged by their size.
 */
export async function answerDrawn(
  { limits, takeTurn, writeAnswer }: Pick<RouteContext, 'limits' | 'takeTurn' | 'writeAnswer'>,
  answer: object,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await answerText({ limits, takeTurn, writeAnswer }, jsonOf(answer), request, reply);
  return reply; // if the promise resolved to undefined, Fastify would send an empty body
}

/**
 * Does the reading of a list that may have large rows. Two are read at a time, of one account one, because each keeps a
 * processor of the database busy for tens of milliseconds.
 * @throws NoPlace when the account waits too long; InvalidInput when the caller has left
 */
export async function readDrawn<T>(request: FastifyRequest, read: () => Promise<T>): Promise<T> {
  const { accountId } = request.principal!;
  await readers.wait(accountId);
  const beganMs = performance.now();
  try {
    refuseLeft(request);
    return await read();
  } finally {
    // The place stays taken for as long again, so that one account never keeps a processor busy.
    setTimeout(() => readers.leave(accountId), performance.now() - beganMs);
  }
}

const readers = new FairQueue(2, 'lists of geometries or events of this account at a time', 10_000);

/** Answers JSON text in the same way. */
export async function answerText(
  { limits, takeTurn, writeAnswer }: Pick<RouteContext, 'limits' | 'takeTurn' | 'writeAnswer'>,
  text: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const principal = request.principal!;
  await limits.owe(principal, Math.floor(text.length / ANSWER_UNIT_BYTES), reply);
  if (text.length >= LARGE) await takeTurn(request);
  writeAnswer(request, reply, text);
}
