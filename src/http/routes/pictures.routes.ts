import { describeChangeImages, makeChangeImage } from '../../app/pictures/change-images.ts';
import { describeSceneTiles, makeSceneTile } from '../../app/pictures/scene-tiles.ts';
import { readTile } from '../../app/pictures/tile-address.ts';
import * as contract from '../../contract/pictures/change-images.ts';
import * as tiles from '../../contract/pictures/tiles.ts';
import type { FastifyReply } from 'fastify';
import { tileAddresses } from '../host-address.ts';
import { route, type RouteContext } from '../route.ts';

export function pictureRoutes(context: RouteContext): void {
  const { pictures } = context.deps;
  route(context, contract.getChangeImages, ({ storage, principal, params }) =>
    describeChangeImages({ storage, pictures }, principal, params.id),
  );
  route(context, contract.getChangeImage, async ({ storage, principal, params, reply }) => {
    const picture = await makeChangeImage({ storage, pictures }, principal, params.id, params.moment);
    return answerPng(reply, picture);
  });
  route(context, tiles.getSceneTiles, async ({ storage, principal, params, request }) => ({
    ...(await describeSceneTiles({ storage, pictures }, principal, params.id)),
    tiles: tileAddresses(request),
  }));
  route(context, tiles.getSceneTile, async ({ storage, principal, params, request, reply }) => {
    const tile = readTile(request.params as Parameters<typeof readTile>[0]);
    return answerPng(reply, await makeSceneTile({ storage, pictures }, principal, params.id, tile));
  });
}

function answerPng(reply: FastifyReply, { buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  reply.type('image/png');
  return Buffer.from(buffer, byteOffset, byteLength);
}
