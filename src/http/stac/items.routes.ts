import { getCollection } from '../../app/pictures/read-collections.ts';
import { findSceneIn } from '../../app/pictures/scene-raster.ts';
import { type SceneSearch, searchScenes } from '../../app/pictures/search-scenes.ts';
import { readPlaceAndTime } from '../../app/place-and-time.ts';
import type { Page } from '../../app/page.ts';
import { encodeCursor } from '../../base/cursor.ts';
import { InvalidInput } from '../../base/errors.ts';
import { STAC_ITEMS } from '../../contract/limits.ts';
import * as contract from '../../contract/stac/items.ts';
import type { StacLink } from '../../contract/stac/landing.ts';
import { hostAddress } from '../host-address.ts';
import { type Call, route, type RouteContext } from '../route.ts';
import { readDrawn } from '../routes/drawn-list.ts';
import { type ListKind, pageRequest } from '../routes/page.ts';
import { describeStacItem, GEOJSON_TYPE, JSON_TYPE, nextByGet } from './documents.ts';

const ITEMS: ListKind = { name: 'stac-items', position: ['moment', 'scene'] };

/** A search in the form that both ways of asking have in common. */
interface Asked {
  readonly bbox?: string | undefined;
  readonly intersects?: unknown;
  readonly datetime?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

type SearchCall = Pick<Call<typeof contract.searchStac>, 'storage' | 'principal' | 'request' | 'reply'>;

/** Makes the link to the next page of a GET. */
const byGet =
  ({ url }: { readonly url: string }) =>
  (address: string, cursor: string): StacLink =>
    nextByGet(address, new URL(url, 'https://any.invalid').searchParams, cursor, GEOJSON_TYPE);

/** Scenes as STAC items, from the collections that `GET /v1/collections` lists. */
export function stacItemRoutes(context: RouteContext): void {
  /** @param nextLink makes the link to the next page, by its cursor */
  const answerItems = async (
    { storage, principal, request, reply }: SearchCall,
    asked: Asked,
    nextLink: (address: string, cursor: string) => StacLink,
  ): Promise<contract.StacItems> => {
    if (asked.bbox !== undefined && asked.intersects !== undefined)
      throw new InvalidInput('intersects: expected either bbox or intersects, got both', {
        param: 'intersects',
      });
    refuseLooseTimes(asked.datetime);
    const { bounds, fromMs, toMs } = readPlaceAndTime(asked);
    const search: SceneSearch = {
      bounds,
      fromMs,
      toMs,
      intersects: asked.intersects,
      ids: asked.ids,
      collectionIds: asked.collections,
    };
    const limit = Math.min(asked.limit ?? STAC_ITEMS.default, STAC_ITEMS.most);
    const wanted = pageRequest(ITEMS, { limit, cursor: asked.cursor });
    const page: Page<Parameters<typeof describeStacItem>[0]> = await readDrawn(request, () =>
      searchScenes(storage, principal, search, wanted),
    );
    await context.takeTurn(request);
    const host = hostAddress(request);
    const address = host + request.url.split('?', 1)[0]!;
    const cursor = encodeCursor(ITEMS.name, page.next);
    reply.type(GEOJSON_TYPE);
    return {
      type: 'FeatureCollection',
      features: page.items.map((placed) => describeStacItem(placed, host)),
      numberReturned: page.items.length,
      links: [
        { href: host + request.url, rel: 'self', type: GEOJSON_TYPE },
        { href: `${host}/stac`, rel: 'root', type: JSON_TYPE },
        ...(cursor === undefined ? [] : [nextLink(address, cursor)]),
      ],
    };
  };
  route(context, contract.listStacItems, async (call) => {
    const { id } = await getCollection(call.storage, call.principal, call.params.id);
    const { body: _none, ...asked } = { ...call.query, body: undefined };
    return answerItems(call, { ...asked, collections: [id] }, byGet(call.request));
  });
  route(context, contract.searchStac, async (call) => {
    const { ids, collections, intersects, ...asked } = call.query;
    const search = {
      ...asked,
      ids: ids?.split(','),
      collections: collections?.split(','),
      intersects: intersects === undefined ? undefined : readJson(intersects),
    };
    return answerItems(call, search, byGet(call.request));
  });
  route(context, contract.postStacSearch, async (call) => {
    const { bbox, ...asked } = call.body;
    return answerItems(call, { ...asked, bbox: bbox?.join(',') }, (address, cursor) => ({
      href: address,
      rel: 'next',
      type: GEOJSON_TYPE,
      method: 'POST',
      body: { cursor },
      merge: true,
    }));
  });
  route(context, contract.getStacItem, async ({ storage, principal, params, request, reply }) => {
    const found = await findSceneIn({ storage }, principal, params.collection_id, params.id);
    reply.type(GEOJSON_TYPE);
    return describeStacItem(found, hostAddress(request));
  });
}

/** A timestamp of RFC 3339, or an open end. A `+` that was not percent-encoded arrives as a space. */
const STRICT = /^(?:(?:\.\.)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+\- ]\d\d:\d\d))$/i;

/** The STAC API takes timestamps with their offset only, no days: its validators ask for the refusal. @throws InvalidInput */
function refuseLooseTimes(datetime: string | undefined): void {
  if (datetime === undefined || datetime.split('/').every((part) => STRICT.test(part))) return;
  throw new InvalidInput(
    `datetime: expected timestamps of RFC 3339 such as 2026-01-01T00:00:00Z, or an interval of them, got ${JSON.stringify(datetime)}`,
    { param: 'datetime' },
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new InvalidInput('intersects: expected a GeoJSON geometry as JSON text', {
      param: 'intersects',
      cause,
    });
  }
}
