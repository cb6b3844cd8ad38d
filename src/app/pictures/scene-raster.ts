import { NotFound } from '../../base/errors.ts';
import type { CogBand } from '../../formats/cog-file.ts';
import { isId } from '../../base/ids.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import type { Collection, Scene } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';
import { sceneAt, sizeOf } from './legend.ts';
import type { RasterFile } from './raster-file.ts';
import { hasRaster, rasterFile } from './raster-file.ts';
import { MOST_SIDE } from './tile-size.ts';

/** Raised when the layout of the files changes, so that nobody joins the halves of two layouts. */
const LAYOUT = 1;
/** Raw value of an int16 sample that was not observed. */
const MISSING_INT16 = -32768;

type RasterDeps = Pick<Deps, 'pictures'> & { readonly storage: Pick<Stores, 'collections'> };

/** Finds a scene in one of the collections that an owner may read. @throws NotFound */
export async function findSceneIn(
  { storage }: Pick<RasterDeps, 'storage'>,
  owner: Owner,
  collectionId: string,
  id: string,
): Promise<{ readonly scene: Scene; readonly collection: Collection }> {
  const found = isId('scene', id) ? await storage.collections.findScene(owner, id) : undefined;
  if (found === undefined || found.collection.id !== collectionId)
    throw new NotFound(`There is no item ${id} in the collection ${collectionId}`);
  return found;
}

/** How the samples of a scene are written. */
export function valuesBand({ grid, metric, unit, sampleType, scale, offset }: Collection): CogBand {
  const isInt = sampleType === 'int16';
  return {
    grid,
    sample: isInt ? 'int16' : 'float32',
    nodata: isInt ? MISSING_INT16 : Number.NaN,
    scale,
    offset,
    unit,
    description: metric,
    mostSide: MOST_SIDE,
  };
}

/**
 * The samples of a scene as a Cloud Optimized GeoTIFF.
 * @throws NotFound for a scene that the owner may not read, and where its grid has no EPSG code
 */
export async function openSceneRaster(
  deps: RasterDeps,
  owner: Owner,
  collectionId: string,
  id: string,
): Promise<RasterFile> {
  const { scene, collection } = await findSceneIn(deps, owner, collectionId, id);
  refuseUnnamed(collection);
  const band = valuesBand(collection);
  const tag = `${scene.sha256.slice(0, 32)}-${LAYOUT}`;
  return rasterFile(band, tag, async ({ window, step, side }) => {
    const made = await deps.pictures.make(owner.accountId, {
      kind: 'block',
      scene: sceneAt(collection, scene),
      grid: sizeOf(collection),
      window,
      step,
      side,
      sample: band.sample === 'int16' ? 'int16' : 'float32',
      missing: band.nodata,
    });
    if (made === null) throw new NotFound(`The samples of the scene ${id} are gone`);
    return made;
  });
}

/** @throws NotFound for a grid that a GeoTIFF cannot name */
export function refuseUnnamed({ id, grid }: Collection): void {
  if (!hasRaster(grid))
    throw new NotFound(`There are no GeoTIFFs of the collection ${id}: its grid has no EPSG code`);
}
