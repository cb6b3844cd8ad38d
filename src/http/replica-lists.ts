import type { FastifyReply } from 'fastify';
import type { Owner } from '../app/owner.ts';
import type { ReplicaReads, Storage } from '../app/storage.ts';
import { Contended, Forbidden, InvalidInput, NotFound, RateLimited } from '../base/errors.ts';

/** Header of an answer that a replica of the database gave. */
const READ_FROM = 'X-Read-From';

const OURS = [Contended, Forbidden, InvalidInput, NotFound, RateLimited];

/**
 * Answers a list from a replica if it has everything that was committed before the call, otherwise from the primary. When
 * the replica fails, the primary answers.
 */
export async function fromReplica(
  replica: ReplicaReads,
  owner: Owner,
  reply: FastifyReply,
  primary: Storage,
  answer: (storage: Storage) => unknown,
): Promise<unknown> {
  const copy = await replica.upToDate(owner);
  if (copy !== undefined) {
    try {
      // Set before, since some lists write their answers themselves.
      reply.header(READ_FROM, 'replica');
      return await answer(copy);
    } catch (error) {
      if (reply.raw.headersSent || OURS.some((kind) => error instanceof kind)) throw error;
      reply.removeHeader(READ_FROM);
      replica.failed(error);
    }
  }
  return answer(primary);
}
