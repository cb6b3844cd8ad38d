import { createAois, refuseMisshapen } from '../../app/areas/create-aois.ts';
import {
  createAoi,
  deleteAoi,
  examineAoi,
  type ExaminedAoi,
  renameAoi,
} from '../../app/areas/manage-aois.ts';
import type { Aoi } from '../../app/areas/aoi-store.ts';
import type { Imagery } from '../../app/areas/aoi-store.ts';
import * as contract from '../../contract/aois.ts';
import { countHeights, countPositions } from '../../app/areas/measure-area.ts';
import {
  AREA_BATCH,
  AREA_VERTICES,
  AREAS_PER_UNIT,
  VERTICES_PER_UNIT,
  whole,
} from '../../contract/limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput, type Problem } from '../../base/errors.ts';
import { formatTimestamp } from '../../base/time.ts';
import { schemaChecker } from '../validation.ts';
import { JsonText } from '../answer/json-text.ts';
import { answerDrawn, readDrawn } from './drawn-list.ts';
import { featureOf, featuresOf, wantsGeoJson } from './geojson.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { creatingRoute, route, type RouteContext } from '../route.ts';

const LIST: ListKind = { name: 'aois', position: ['aoi'] };

export function aoiRoutes(context: RouteContext): void {
  const { accountLimits, limits } = context;
  creatingRoute(
    context,
    contract.createAoi,
    async ({ stores, principal, body, request, reply }) => {
      const positions = countPositions(body.geometry, AREA_VERTICES);
      await limits.raise(principal, request.units + Math.floor(positions / VERTICES_PER_UNIT), reply);
      const aoi = await createAoi(stores, principal, body, accountLimits);
      return { status: 201, location: `/v1/aois/${aoi.id}`, body: presentAoi(aoi) };
    },
    { announce: ({ geometry }, reply) => tellHeights([geometry], reply) },
  );
  creatingRoute(
    context,
    contract.createAois,
    async ({ stores, principal, body, request, reply }) => {
      await payForBatch(context, body.aois, request, reply);
      const aois = await createAois(stores, principal, body.aois, accountLimits);
      return { status: 201, location: '/v1/aois', body: { aois: aois.map(withoutGeometry) } };
    },
    {
      announce: ({ aois }, reply) =>
        tellHeights(
          aois.map(({ geometry }) => geometry),
          reply,
        ),
      async explain(request, reply) {
        const { aois } = (request.body ?? {}) as { readonly aois?: unknown };
        if (!Array.isArray(aois) || aois.length === 0 || aois.length > AREA_BATCH.areas) return;
        const found = aois.flatMap((one: unknown, i) => areaProblems(one).map((problem) => at(problem, i)));
        if (found.length === 0) return; // the fault is in another member of the body
        await payForBatch(context, aois, request, reply);
        await refuseMisshapen(aois, found, request.principal!.accountId);
      },
    },
  );
  route(context, contract.listAois, async ({ storage, principal, query, request, reply }) => {
    const page = await readDrawn(request, () => storage.aois.listDrawn(principal, pageRequest(LIST, query)));
    const next = nextPage(LIST, page, request, reply);
    const aois = page.items.map(({ geometryText, ...aoi }) =>
      presentAoi({ ...aoi, geometry: new JsonText(geometryText) }),
    );
    const answer = wantsGeoJson(request, reply, query.f)
      ? { ...featuresOf(aois), ...next }
      : { aois, ...next };
    return answerDrawn(context, answer, request, reply);
  });
  route(context, contract.getAoi, async ({ storage, principal, params, query, request, reply }) => {
    const detail = presentDetail(await examineAoi(storage, principal, params.id));
    return wantsGeoJson(request, reply, query.f) ? featureOf(detail) : detail;
  });
  route(context, contract.renameAoi, async ({ storage, principal, params, body }) =>
    presentDetail(await renameAoi(storage, principal, params.id, body.name)),
  );
  route(context, contract.deleteAoi, async ({ storage, principal, params }) => {
    await storage.transaction((stores) => deleteAoi(stores, principal, params.id));
  });
}

/** Problems of one area of a batch, with the names of its fields. */
const areaProblems = schemaChecker(contract.createAoi.body, 'The area', 'field');

/** A problem of an area, as one of the batch. */
function at({ param, message }: Problem, index: number): Problem {
  const name = `aois[${index}]`;
  return param === ''
    ? { param: name, message: message.replace(/^The area/, name) }
    : { param: `${name}.${param}`, message: `${name}.${message}` };
}

/** Charges for the areas and positions of a batch. @throws InvalidInput when it has too many positions */
async function payForBatch(
  { limits }: RouteContext,
  aois: readonly unknown[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const positions = countPositions(aois, AREA_BATCH.positions);
  if (positions > AREA_BATCH.positions)
    throw new InvalidInput(
      `aois: expected at most ${whole(AREA_BATCH.positions)} positions in all, got more; divide the call`,
      { param: 'aois' },
    );
  const cost = Math.floor(aois.length / AREAS_PER_UNIT) + Math.floor(positions / VERTICES_PER_UNIT);
  await limits.raise(request.principal!, request.units + cost, reply);
}

/** Tells that heights are not kept. */
function tellHeights(geometries: readonly unknown[], reply: FastifyReply): void {
  const count = geometries.reduce((sum: number, geometry) => sum + countHeights(geometry), 0);
  if (count > 0) void reply.header('X-Heights-Omitted', String(count));
}

const presentDetail = ({ aoi, imagery }: ExaminedAoi): contract.AoiDetail => ({
  ...presentAoi(aoi),
  imagery: imagery.map(presentImagery),
});

function presentImagery({
  collection,
  metric,
  scenes,
  firstAt,
  lastAt,
  simulated,
}: Imagery): contract.AoiDetail['imagery'][number] {
  return {
    collection,
    metric,
    scenes,
    first_at: formatTimestamp(firstAt.getTime()),
    last_at: formatTimestamp(lastAt.getTime()),
    ...(simulated && { simulated }),
  };
}

function withoutGeometry(aoi: Pick<Aoi, 'id' | 'name' | 'areaM2' | 'createdAt'>) {
  const { geometry: _, ...rest } = presentAoi({ ...aoi, geometry: undefined });
  return rest;
}

/** An area in the format of the API. */
export function presentAoi<Geometry>(
  aoi: Pick<Aoi, 'id' | 'name' | 'areaM2' | 'createdAt'> & { readonly geometry: Geometry },
): Omit<contract.Aoi, 'geometry'> & { geometry: Geometry } {
  return {
    id: aoi.id,
    name: aoi.name,
    geometry: aoi.geometry,
    area_m2: aoi.areaM2,
    created_at: formatTimestamp(aoi.createdAt.getTime()),
  };
}
