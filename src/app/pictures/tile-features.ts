import { TILE_FEATURES, TILE_ROWS } from '../../contract/limits.ts';
import { bboxOf, type Bbox } from '../../geo/bbox.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { boundsOfTile, type Tile } from '../../geo/tile.ts';
import { drawAnomalies, type DrawnAnomaly } from '../anomalies/read-anomalies.ts';
import type { DrawnAoi } from '../areas/aoi-store.ts';
import type { DrawnChange } from '../changes/change-store.ts';
import { meetingBox } from '../meeting-box.ts';
import type { Owner } from '../owner.ts';
import type { Picked } from '../picked.ts';
import type { Stores } from '../storage.ts';

const SIZE = { look: TILE_ROWS, most: TILE_FEATURES };

/** The areas of an owner that meet a tile, the largest. */
export async function areasInTile(
  { aois }: Pick<Stores, 'aois'>,
  owner: Owner,
  tile: Tile,
): Promise<Picked<DrawnAoi>> {
  const bounds = boundsOfTile(tile);
  return meetingTile(await aois.pickPlaced(owner, { bounds }, SIZE), bounds);
}

/** The confirmed changes of an owner that meet a tile, the largest. */
export async function changesInTile(
  { changes }: Pick<Stores, 'changes'>,
  owner: Owner,
  tile: Tile,
): Promise<Picked<DrawnChange>> {
  const bounds = boundsOfTile(tile);
  return meetingTile(await changes.pickPlaced(owner, { status: 'confirmed', bounds }, SIZE), bounds);
}

/** The anomalies of an owner whose area meets a tile, the most severe. */
export async function anomaliesInTile(
  stores: Pick<Stores, 'anomalies' | 'aois'>,
  owner: Owner,
  tile: Tile,
): Promise<Picked<DrawnAnomaly>> {
  const bounds = boundsOfTile(tile);
  const filter = { since: undefined, publishedSince: undefined, bounds };
  const { items, omitted, isWhole } = await stores.anomalies.pick(owner, filter, SIZE);
  const page = { items, next: undefined };
  const drawn = await drawAnomalies(stores, owner, page);
  return meetingTile(
    { items: drawn.items, omitted: omitted + items.length - drawn.items.length, isWhole },
    bounds,
  );
}

async function meetingTile<T extends { readonly geometryText: string }>(
  picked: Picked<T>,
  bounds: Bbox,
): Promise<Picked<T>> {
  const { items } = await meetingBox({ items: picked.items, next: undefined }, bounds);
  return { ...picked, items };
}

/** The middle of a tile [longitude, latitude]. */
export function middleOf(tile: Tile): readonly [lng: number, lat: number] {
  const [west, south, east, north] = boundsOfTile(tile);
  return [(west + east) / 2, (south + north) / 2];
}

/** The middle of the part of an area that lies in a tile [longitude, latitude]: that of the box around it. */
export function middleInTile(geometry: AreaGeometry, tile: Tile): readonly [lng: number, lat: number] {
  const [west, south, east, north] = boundsOfTile(tile);
  const [left, bottom, right, top] = bboxOf(geometry);
  const within = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
  // The box of an area at the antimeridian may go on beyond 180 degrees.
  const shift = left > east ? -360 : right < west ? 360 : 0;
  const middle = (a: number, b: number, least: number, most: number) =>
    (within(a, least, most) + within(b, least, most)) / 2;
  return [middle(left + shift, right + shift, west, east), middle(bottom, top, south, north)];
}
