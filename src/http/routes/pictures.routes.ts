import { describeChangeImages, makeChangeImage } from '../../app/pictures/change-images.ts';
import { describeSceneTiles, makeSceneTile } from '../../app/pictures/scene-tiles.ts';
import type { TileFormat } from '../../contract/pictures/tiles.ts';
import { describeLayerTiles, keptLayerTile, makeLayerTile } from '../../app/pictures/layer-tiles.ts';
import { readTile } from '../../app/pictures/tile-address.ts';
import * as contract from '../../contract/pictures/change-images.ts';
import * as layerTiles from '../../contract/pictures/layer-tiles.ts';
import * as tiles from '../../contract/pictures/tiles.ts';
import { describeRiskTiles, keptRiskTile, makeRiskTile } from '../../app/pictures/risk-tiles.ts';
import { NotFound } from '../../base/errors.ts';
import { TILE_UNITS } from '../../contract/limits.ts';
import * as risk from '../../contract/pictures/risk-tiles.ts';
import { type Peril, PERILS } from '../../contract/vocabulary.ts';
import type { FastifyReply } from 'fastify';
import { tileAddresses } from '../host-address.ts';
import { route, type RouteContext } from '../route.ts';

export function pictureRoutes(context: RouteContext): void {
  const { pictures, layers } = context.deps;
  const { limits, takeTurn } = context;
  route(context, contract.getChangeImages, ({ storage, principal, params }) =>
    describeChangeImages({ storage, pictures }, principal, params.id),
  );
  route(context, contract.getChangeImage, async ({ storage, principal, params, query, reply }) => {
    const { id, moment } = params;
    const { colours = 'metric' } = query;
    const picture = await makeChangeImage({ storage, pictures }, principal, id, moment, colours);
    return answerPng(reply, picture);
  });
  route(context, tiles.getSceneTiles, async ({ storage, principal, params, query, request }) => {
    const { colours = 'metric' } = query;
    const described = await describeSceneTiles({ storage, pictures }, principal, params.id, colours);
    const choice = new URLSearchParams({
      ...(colours === 'true' && { colours }),
      ...(query.f === 'webp' && { f: query.f }),
    });
    return { ...described, tiles: tileAddresses(request, choice.size === 0 ? '' : `?${choice.toString()}`) };
  });
  route(context, tiles.getSceneTile, async ({ storage, principal, params, query, request, reply }) => {
    const tile = readTile(request.params as Parameters<typeof readTile>[0]);
    const { colours = 'metric', f: format = 'png' } = query;
    const wanted = { colours, format };
    const made = await makeSceneTile({ storage, pictures }, principal, params.id, tile, wanted);
    return answerPicture(reply, made, format);
  });
  route(context, risk.getRiskTiles, ({ principal, params, request }) => ({
    ...describeRiskTiles({ layers }, principal, readPeril(params.peril)),
    tiles: tileAddresses(request),
  }));
  route(context, layerTiles.getLayerTiles, ({ principal, params, query, request }) => {
    const { return_period: years } = query;
    return {
      ...describeLayerTiles({ layers }, principal, params.layer, years),
      tiles: tileAddresses(request, years === undefined ? '' : `?return_period=${years}`),
    };
  });
  route(context, layerTiles.getLayerTile, async ({ principal, params, query, request, reply }) => {
    const { layer } = params;
    const { return_period: years } = query;
    const tile = readTile(request.params as Parameters<typeof readTile>[0]);
    const kept = keptLayerTile({ layers }, principal, layer, years, tile);
    if (kept !== undefined) return answerPng(reply, kept);
    await limits.raise(principal, TILE_UNITS, reply);
    const turn = (): Promise<void> => takeTurn(request);
    return answerPng(reply, await makeLayerTile({ layers, pictures }, principal, layer, years, tile, turn));
  });
  route(context, risk.getRiskTile, async ({ principal, params, request, reply }) => {
    const peril = readPeril(params.peril);
    const tile = readTile(request.params as Parameters<typeof readTile>[0]);
    const kept = keptRiskTile({ layers, pictures }, principal, peril, tile);
    if (kept !== undefined) return answerPng(reply, kept);
    await limits.raise(principal, TILE_UNITS, reply);
    const turn = (): Promise<void> => takeTurn(request);
    return answerPng(reply, await makeRiskTile({ layers, pictures }, principal, peril, tile, turn));
  });
}

/** @throws NotFound for a text that is no peril */
function readPeril(text: string): Peril {
  const peril = PERILS.find((one) => one === text);
  if (peril === undefined)
    throw new NotFound(`There is no risk map of ${text}: expected ${PERILS.join(', ')}`);
  return peril;
}

function answerPng(reply: FastifyReply, picture: Uint8Array): Buffer {
  return answerPicture(reply, picture, 'png');
}

function answerPicture(
  reply: FastifyReply,
  { buffer, byteOffset, byteLength }: Uint8Array,
  format: TileFormat,
): Buffer {
  reply.type(`image/${format}`);
  return Buffer.from(buffer, byteOffset, byteLength);
}
