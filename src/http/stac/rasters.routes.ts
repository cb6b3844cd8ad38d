import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { openChangeRaster } from '../../app/pictures/change-raster.ts';
import { type RasterFile, readByteRange } from '../../app/pictures/raster-file.ts';
import { openSceneRaster } from '../../app/pictures/scene-raster.ts';
import { NotFound } from '../../base/errors.ts';
import { RASTER_UNIT_BYTES } from '../../contract/limits.ts';
import * as contract from '../../contract/stac/items.ts';
import { matchesTag } from '../answer/answer-tag.ts';
import { type Call, route, type RouteContext } from '../route.ts';

/** Size of a part that is made whole before it is sent [bytes]. Larger ones are sent while they are made. */
const WHOLE_BYTES = 1024 * 1024;
const ENDING = '.tif';

type RasterCall = Pick<Call<typeof contract.getStacValues>, 'principal' | 'request' | 'reply'>;

/** Cloud Optimized GeoTIFFs of scenes and changes, of which any part can be asked for. */
export function stacRasterRoutes(context: RouteContext): void {
  const { pictures } = context.deps;
  const answerRaster = async (
    { principal, request, reply }: RasterCall,
    file: RasterFile,
  ): Promise<FastifyReply | Buffer | Readable | null> => {
    const { byteLength } = file;
    const tag = file.tag === undefined ? undefined : `"${file.tag}"`;
    reply.type(contract.COG_TYPE).header('Accept-Ranges', 'bytes');
    if (tag !== undefined) {
      reply.header('ETag', tag);
      const held = request.headers['if-none-match'];
      if (held !== undefined && matchesTag(held, `W/${tag}`)) return reply.code(304).send();
    }
    const condition = request.headers['if-range'];
    const range = condition === undefined || condition === tag ? request.headers.range : undefined;
    reply.header('Content-Range', `bytes */${byteLength}`);
    const span = readByteRange(range, byteLength);
    reply.removeHeader('Content-Range');
    const { from, to } = span ?? { from: 0, to: byteLength };
    if (span !== undefined) reply.code(206).header('Content-Range', `bytes ${from}-${to - 1}/${byteLength}`);
    reply.header('Content-Length', to - from);
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    await context.limits.owe(principal, Math.floor((to - from) / RASTER_UNIT_BYTES), reply);
    const parts = inTurns(file.read(from, to), () => context.takeTurn(request));
    if (to - from <= WHOLE_BYTES) {
      const made: Uint8Array[] = [];
      for await (const part of parts) made.push(part);
      // As a stream, because other answers are charged by the size that compresses well.
      return reply.send(Readable.from(made, { objectMode: false }));
    }
    // What cannot be made at all is found by the first block, while an error can still be answered. The header may come
    // before it.
    const first = [await parts.next(), await parts.next()].flatMap(({ value }) => value ?? []);
    return reply.send(Readable.from(following(first, parts), { objectMode: false }));
  };
  route(context, contract.getStacValues, async (call) => {
    const { storage, principal, params } = call;
    const file = await openSceneRaster({ storage, pictures }, principal, params.collection_id, params.id);
    return answerRaster(call, file);
  });
  route(context, contract.getStacChanges, async (call) => {
    const { storage, principal, params } = call;
    const { collection_id, id, file: name } = params;
    if (!name.endsWith(ENDING))
      throw new NotFound(`There is no ${name} of changes: expected a name that ends in ${ENDING}`);
    const quantity = name.slice(0, -ENDING.length);
    return answerRaster(call, await openChangeRaster({ storage }, principal, collection_id, id, quantity));
  });
}

/** Begins each part in a turn of the caller's account: to find the ground of one block takes some 10 ms. */
async function* inTurns(
  parts: AsyncGenerator<Uint8Array>,
  takeTurn: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (;;) {
      await takeTurn();
      const { done, value } = await parts.next();
      if (done === true) return;
      yield value;
    }
  } finally {
    await parts.return(undefined); // the caller may have gone
  }
}

async function* following(
  first: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield* first;
  yield* rest;
}
