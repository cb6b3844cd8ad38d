import type { Readable } from 'node:stream';
import { errorCodes, type FastifyRequest } from 'fastify';
import { InvalidInput } from '../base/errors.ts';
import { STRANGER_BODY_BYTES, STRANGER_BODY_S } from '../contract/limits.ts';
import type { CallShares } from './call-shares.ts';
import { callerOf } from './caller.ts';

/** Reads a whole body. Rejects when it is too large, too slow or incomplete, or more than the caller may hold. */
export type ReadBody = (request: FastifyRequest, payload: Readable) => Promise<Buffer>;

/**
 * Makes the function that reads bodies. The bytes that have arrived count in the shares of the caller. Without a valid
 * credential, a body must be small and fast.
 */
export function bodyReader(shares: CallShares): ReadBody {
  return async (request, payload) => {
    const isStranger = request.principal === null;
    const address = callerOf(request.ip);
    const limit = isStranger ? STRANGER_BODY_BYTES : request.routeOptions.bodyLimit;
    const length = Number(request.headers['content-length']);
    if (length > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
    const chunks: Buffer[] = [];
    let received = 0;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const take = (chunk: Buffer): void => {
      const refusal =
        received + chunk.length > limit
          ? new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
          : shares.holdBody(request, chunk.length, address);
      if (refusal !== undefined) return reject(refusal);
      received += chunk.length;
      chunks.push(chunk);
    };
    const fail = (error: Error): void => reject(Object.assign(error, { statusCode: 400 }));
    const close = (): void => fail(new Error('the body is incomplete'));
    const late = (): void => reject(new InvalidInput(`The body did not arrive within ${STRANGER_BODY_S} s`));
    const timer = isStranger ? setTimeout(late, STRANGER_BODY_S * 1000) : undefined;
    payload.on('data', take).on('end', resolve).on('error', fail).on('close', close);
    // The caller left while its credential was looked up: the stream tells nothing more.
    if (payload.destroyed) close();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      payload.off('data', take).off('end', resolve).off('error', fail).off('close', close);
      if (isStranger) shares.giveStrange(address, received);
    }
    if (!Number.isNaN(length) && received !== length)
      throw new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH();
    return Buffer.concat(chunks, received);
  };
}
