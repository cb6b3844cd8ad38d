import { setImmediate as nextTurn } from 'node:timers/promises';
import { InvalidInput } from '../../base/errors.ts';
import { STAC_COLLECTIONS } from '../../contract/limits.ts';
import { validateArea } from '../../geo/area-validation.ts';
import { meetsBox } from '../../geo/area-in-box.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { mapGrid } from '../../geo/grid.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import {
  boundsOfSearch,
  meetsSearch,
  readSearchGeometry,
  type SearchGeometry,
} from '../../geo/search-geometry.ts';
import { boxGeometry } from '../box-geometry.ts';
import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Collection, Scene, SceneFilter } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';

/** Footprints that are tested at a time, a millisecond of work or less. */
const AT_ONCE = 50;

/** A scene with its collection. */
export interface PlacedScene {
  readonly scene: Scene;
  readonly collection: Collection;
}

/** What scenes are searched by. A property that is undefined does not restrict them. */
export interface SceneSearch extends SceneFilter {
  readonly bounds?: Bbox | undefined;
  /** GeoJSON geometry from a caller. */
  readonly intersects?: unknown;
  readonly collectionIds?: readonly string[] | undefined;
}

/**
 * Searches the scenes of the collections that an owner may read, newest first.
 * @throws InvalidInput for a geometry that is not valid, and for a search in too many collections
 */
export async function searchScenes(
  { collections }: Pick<Stores, 'collections'>,
  owner: Owner,
  { bounds, intersects, collectionIds, ...filter }: SceneSearch,
  page: PageRequest,
): Promise<Page<PlacedScene>> {
  const geometry = intersects === undefined ? undefined : readIntersects(intersects);
  const box = bounds ?? (geometry && boundsOfSearch(geometry));
  const asked = { ids: collectionIds, bounds: box };
  const near = await collections.readableOf(owner, asked, STAC_COLLECTIONS + 1);
  if (near.length > STAC_COLLECTIONS)
    throw new InvalidInput(
      `collections: expected at most ${STAC_COLLECTIONS} collections to search, and more lie there; name some of them`,
      { param: 'collections' },
    );
  const met: Collection[] = [];
  for (const [i, collection] of near.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) await nextTurn();
    const footprint = footprintOf(collection);
    if (bounds !== undefined && !meetsBox(footprint, bounds)) continue;
    if (geometry !== undefined && !meetsSearch(footprint, geometry)) continue;
    met.push(collection);
  }
  const byId = new Map(met.map((collection) => [collection.id, collection]));
  const { items, next } = await collections.scenesOf([...byId.keys()], filter, page);
  return {
    items: items.map((scene) => ({ scene, collection: byId.get(scene.collectionId)! })),
    next,
  };
}

function readIntersects(value: unknown): SearchGeometry {
  const geometry = readSearchGeometry(value);
  if (!('path' in geometry)) return geometry;
  const param = `intersects.${geometry.path}`;
  throw new InvalidInput(`${param}: ${geometry.message}`, { param });
}

/** Corners and middles of the sides of a grid, counter-clockwise, as shares of its columns and rows. */
const OUTLINE = [
  [0, 0],
  [0, 0.5],
  [0, 1],
  [0.5, 1],
  [1, 1],
  [1, 0.5],
  [1, 0],
  [0.5, 0],
  [0, 0],
] as const;

const known = new WeakMap<Collection['grid'], AreaGeometry>();

/** The ground under the grid of a collection, in normal form. Where its outline is no polygon, the box around it. */
export function footprintOf({ grid, bounds }: Pick<Collection, 'grid' | 'bounds'>): AreaGeometry {
  let area = known.get(grid);
  if (area === undefined) {
    const map = mapGrid(grid);
    const ring = OUTLINE.map(([across, down]) => {
      const [lng, lat] = map.toLngLat(across * grid.width, down * grid.height);
      return [wrapped(lng), lat].map((value) => Math.round(value * 1e7) / 1e7);
    });
    const judged = validateArea({ type: 'Polygon', coordinates: [ring] });
    area = judged.ok ? judged.area : boxGeometry(bounds);
    known.set(grid, area);
  }
  return area;
}

const wrapped = (lng: number): number => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng);
