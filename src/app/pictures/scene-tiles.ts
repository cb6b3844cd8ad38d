import { NotFound } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import { formatDay, formatTimestamp } from '../../base/time.ts';
import { TILE_ZOOM } from '../../contract/limits.ts';
import type { Legend } from '../../contract/pictures/change-images.ts';
import type { Colours, SceneTiles, TileFormat } from '../../contract/pictures/tiles.ts';
import { clipWindow } from '../../geo/grid-window.ts';
import { boundsForTiles, type Tile, zoomOf } from '../../geo/tile.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import type { Collection, Scene } from '../series/collection-store.ts';
import { unlessMissing } from '../series/missing-cube.ts';
import type { Stores } from '../storage.ts';
import { pictureGrid } from '../series/colour-cube.ts';
import { colourAt, colouringOf, legendOf, sceneAt } from './legend.ts';
import type { SceneAt } from './picture-maker.ts';
import { MOST_SIDE, TILE_PIXELS } from './tile-size.ts';

/** Side of the middle of a scene whose values make the range of a ramp that has none [pixels]. */
const RANGE_SIDE = 1024;

type TileDeps = Pick<Deps, 'pictures'> & { readonly storage: Pick<Stores, 'collections'> };

/**
 * Describes the tiles of a scene, without their address.
 * @throws NotFound for a scene that the owner may not read, or that has no true colour where that is asked for
 */
export async function describeSceneTiles(
  deps: TileDeps,
  owner: Owner,
  id: string,
  colours: Colours,
): Promise<Omit<SceneTiles, 'tiles'>> {
  const { scene, collection } = await findScene(deps, owner, id);
  const isTrue = colours === 'true';
  if (isTrue) pictureOf(id, scene);
  const [, south, , north] = collection.bounds;
  const { width, height } = isTrue ? pictureGrid(collection.grid) : collection.grid;
  const coarser = collection.grid.width / width;
  const native = zoomOf(Math.sqrt(collection.pixelAreaM2) * coarser, (south + north) / 2);
  const fits = Math.max(width, height) <= MOST_SIDE;
  const whole = (zoom: number): number => Math.min(TILE_ZOOM, Math.max(0, Math.ceil(zoom)));
  return {
    tilejson: '3.0.0',
    name: `${collection.name}, ${isTrue ? 'true colour' : collection.metric}, ${formatDay(scene.observedAt.getTime())}`,
    scheme: 'xyz',
    minzoom: fits ? 0 : whole(native - Math.log2(MOST_SIDE / TILE_PIXELS)),
    maxzoom: whole(native),
    bounds: boundsForTiles(collection.bounds),
    scene: { id, datetime: formatTimestamp(scene.observedAt.getTime()) },
    collection: { id: collection.id, name: collection.name, metric: collection.metric },
    ...(!isTrue && { legend: await legendOfScenes(deps, owner, collection) }),
  };
}

/**
 * Makes one tile of a scene.
 * @throws NotFound for a scene that the owner may not read, or that has no true colour where that is asked for; NoPlace
 */
export async function makeSceneTile(
  deps: TileDeps,
  owner: Owner,
  id: string,
  tile: Tile,
  { colours, format }: { readonly colours: Colours; readonly format: TileFormat },
): Promise<Uint8Array> {
  const { scene, collection } = await findScene(deps, owner, id);
  if (colours === 'true') {
    const picture = pictureOf(id, scene);
    const grid = pictureGrid(collection.grid);
    const made = await unlessMissing(
      deps.pictures.make(owner.accountId, { kind: 'colour tile', scene: picture, grid, tile, format }),
    );
    return made ?? refuseGone(id);
  }
  const legend = await legendOfScenes(deps, owner, collection);
  const made = await deps.pictures.make(owner.accountId, {
    kind: 'tile',
    scene: sceneAt(collection, scene),
    grid: collection.grid,
    tile,
    colouring: colouringOf(legend, collection),
    format,
  });
  if (made === null) throw new NotFound(`The samples of the scene ${id} are gone`);
  return made;
}

/** Where the picture of a scene is. @throws NotFound for a scene without one */
function pictureOf(id: string, scene: Scene): SceneAt {
  const picture = colourAt(scene);
  if (picture === null)
    throw new NotFound(
      `The scene ${id} has no picture in true colour: its source had no red, green and blue, or a release before 1.4.0 read it`,
    );
  return picture;
}

function refuseGone(id: string): never {
  throw new NotFound(`The picture of the scene ${id} is gone`);
}

async function findScene(
  { storage }: TileDeps,
  owner: Owner,
  id: string,
): Promise<{ readonly scene: Scene; readonly collection: Collection }> {
  const found = isId('scene', id) ? await storage.collections.findScene(owner, id) : undefined;
  if (found === undefined) throw new NotFound(`There is no scene ${id}`);
  return found;
}

/** The colours of all scenes of a collection. A ramp without a range has that of the middle of the last scene. */
function legendOfScenes(deps: TileDeps, owner: Owner, collection: Collection): Promise<Legend> {
  return legendOf(deps, owner, collection, async () => {
    const { width, height } = collection.grid;
    const last = await deps.storage.collections.scenePage(collection.id, { limit: 1, after: undefined });
    const window = clipWindow(collection.grid, {
      col: Math.max(0, Math.floor((width - RANGE_SIDE) / 2)),
      row: Math.max(0, Math.floor((height - RANGE_SIDE) / 2)),
      width: RANGE_SIDE,
      height: RANGE_SIDE,
    })!;
    return { scenes: last.items.map((scene) => sceneAt(collection, scene)), window };
  });
}
