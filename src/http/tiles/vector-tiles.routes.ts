import type { FastifyReply } from 'fastify';
import { presentAnomaly } from '../../app/anomalies/present-anomaly.ts';
import type { Owner } from '../../app/owner.ts';
import type { Picked } from '../../app/picked.ts';
import { presentChange } from '../../app/changes/present-change.ts';
import { readTile } from '../../app/pictures/tile-address.ts';
import { anomaliesInTile, areasInTile, changesInTile } from '../../app/pictures/tile-features.ts';
import type { Storage } from '../../app/storage.ts';
import { Anomaly } from '../../contract/anomalies.ts';
import { Aoi } from '../../contract/aois.ts';
import { Change } from '../../contract/changes.ts';
import { type Column, columnsOf } from '../../contract/fields.ts';
import * as contract from '../../contract/pictures/vector-tiles.ts';
import { tileAddresses } from '../host-address.ts';
import { type Call, route, type RouteContext } from '../route.ts';
import { presentAoi } from '../routes/aois.routes.ts';
import { readDrawn } from '../routes/drawn-list.ts';
import { layersOf, type TileItem, VECTOR_TILE_TYPE, vectorTile } from './vector-tile.ts';

type Tile = ReturnType<typeof readTile>;
type Found = (storage: Storage, owner: Owner, tile: Tile) => Promise<Picked<TileItem>>;
type Called = Pick<
  Call<typeof contract.getAreaTile | typeof contract.getChangeTile | typeof contract.getAnomalyTile>,
  'principal' | 'storage' | 'request' | 'reply'
>;

/** Zoom from which on tiles show nothing more: a unit of such a tile is 60 cm wide at the equator. */
const MAX_ZOOM = 14;
/** Latitude at which Web Mercator ends [degrees]: EPSG:3857. */
const END = 85.051129;

/** Vector tiles of areas, changes and anomalies, with the properties of their GeoJSON answers. */
export function vectorTileRoutes(context: RouteContext): void {
  const answerTile = async (
    { principal, storage, request, reply }: Called,
    kind: string,
    find: Found,
  ): Promise<FastifyReply> => {
    const tile = readTile(request.params as Parameters<typeof readTile>[0]);
    const found = await readDrawn(request, () => find(storage, principal, tile));
    await context.takeTurn(request);
    const bytes = await vectorTile(kind, tile, found);
    return reply
      .header('X-Features-Omitted', `${found.omitted}${found.isWhole ? '' : '+'}`)
      .type(VECTOR_TILE_TYPE)
      .send(bytes);
  };
  route(context, contract.getAreaTiles, ({ request }) => ({
    ...describe('areas', 'Areas of interest', columnsOf(Aoi)),
    tiles: tileAddresses(request),
  }));
  route(context, contract.getAreaTile, (call) =>
    answerTile(call, 'areas', async (storage, owner, tile) =>
      itemsOf(await areasInTile(storage, owner, tile), presentAoi),
    ),
  );
  route(context, contract.getChangeTiles, ({ request }) => ({
    ...describe('changes', 'Changes', columnsOf(Change, ['provenance', 'versions'])),
    tiles: tileAddresses(request),
  }));
  route(context, contract.getChangeTile, (call) =>
    answerTile(call, 'changes', async (storage, owner, tile) =>
      itemsOf(await changesInTile(storage, owner, tile), (change) => presentChange(change, change.aoiIds)),
    ),
  );
  route(context, contract.getAnomalyTiles, ({ request }) => ({
    ...describe('anomalies', 'Anomalies', columnsOf(Anomaly, ['provenance'])),
    tiles: tileAddresses(request),
  }));
  route(context, contract.getAnomalyTile, (call) =>
    answerTile(call, 'anomalies', async (storage, owner, tile) =>
      itemsOf(await anomaliesInTile(storage, owner, tile), presentAnomaly),
    ),
  );
}

/** The items of a tile. @param present gives the properties, and perhaps the geometry, which is dropped */
function itemsOf<T extends { readonly id: string; readonly geometryText: string }>(
  picked: Picked<T>,
  present: (item: T & { readonly geometry: undefined }) => object,
): Picked<TileItem> {
  const items = picked.items.map((item) => {
    const { geometry: _none, ...properties } = present({ ...item, geometry: undefined }) as {
      geometry?: unknown;
    };
    return { id: item.id, geometryText: item.geometryText, properties };
  });
  return { ...picked, items };
}

function describe(
  kind: string,
  name: string,
  columns: readonly Column[],
): Omit<contract.VectorTiles, 'tiles'> {
  const [shapes, points, omitted] = layersOf(kind);
  const fields = Object.fromEntries(
    columns
      .filter((column) => column.kind !== 'geometry')
      .map((column) => [column.name, FIELD_TYPES[column.kind as keyof typeof FIELD_TYPES] ?? 'String']),
  );
  return {
    tilejson: '3.0.0',
    name,
    scheme: 'xyz',
    minzoom: 0,
    maxzoom: MAX_ZOOM,
    bounds: [-180, -END, 180, END],
    vector_layers: [
      { id: shapes, description: `${name}, as polygons.`, fields },
      { id: points, description: `${name} that are too small to be drawn, as points.`, fields },
      {
        id: omitted,
        description:
          'A point where features are left out, with their number; `more` where older ones were not looked at.',
        fields: { features: 'Number', more: 'Boolean' },
      },
    ],
  };
}

const FIELD_TYPES = { number: 'Number', integer: 'Number', flag: 'Boolean' } as const;
