import { formatTimestamp } from '../../base/time.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import { pixelsOf } from '../series/area-series.ts';
import type { Collection } from '../series/collection-store.ts';
import { pictureGrid, pictureStep } from '../series/colour-cube.ts';
import { unlessMissing } from '../series/missing-cube.ts';
import type { Stores } from '../storage.ts';
import { drawAreaMap, MAP_PALETTE, MAP_SIZE } from './area-map.ts';
import { planChip, sampledPixels } from './chip-window.ts';
import { colourAt, colouringOf, legendOf, sceneAt, sizeOf } from './legend.ts';
import type { Clearness } from './picture-maker.ts';
import { MOST_SIDE } from './tile-size.ts';

/** Pixels of an area, and as many around it, that are looked at to choose the scene. */
const LOOKED_AT = 49;
/** Collections that are tried, newest first. */
const TRIED_COLLECTIONS = 5;
/** Scenes before the time of the picture among which the clearest is chosen. */
const LAST_SCENES = 12;
/** A scene that shows at least this share as much as the clearest of them is clear enough. */
const NEARLY = 0.95;

type AreaDeps = Pick<Deps, 'pictures'> & { readonly storage: Pick<Stores, 'collections'> };

/** A picture of the ground of areas. */
export interface AreaPicture {
  readonly png: Uint8Array;
  /** Time of the scene, as ISO 8601; null for a plain map. */
  readonly sceneAt: string | null;
  /** Distance of the lines of a plain map [degrees]; null for a scene. */
  readonly lines: number | null;
}

/**
 * Makes a picture of areas: the first of them on the newest clear scene up to a time, with its outline; where none shows
 * it, a plain map of all of them.
 * @param areas at least one
 * @param untilMs newest time of a scene [ms since the Unix epoch]
 * @throws NoPlace when the account waits too long
 */
export async function makeAreaPicture(
  deps: AreaDeps,
  owner: Owner,
  areas: readonly Aoi[],
  untilMs: number,
): Promise<AreaPicture> {
  const [main] = areas as readonly [Aoi, ...Aoi[]];
  const filter = { ids: undefined, bounds: main.bounds };
  const collections = await deps.storage.collections.readableOf(owner, filter, TRIED_COLLECTIONS);
  for (const collection of collections) {
    const picture = await onScene(deps, owner, collection, main, untilMs);
    if (picture !== undefined) return picture;
  }
  const { pixels, step } = drawAreaMap(areas.map(({ geometry }) => geometry));
  const task = { kind: 'palette', size: MAP_SIZE, pixels, palette: MAP_PALETTE } as const;
  return { png: await deps.pictures.make(owner.accountId, task), sceneAt: null, lines: step };
}

/** The area on a scene of a collection; undefined where none shows it, and for areas larger than a picture. */
async function onScene(
  deps: AreaDeps,
  owner: Owner,
  collection: Collection,
  area: Aoi,
  untilMs: number,
): Promise<AreaPicture | undefined> {
  const { pictures, storage } = deps;
  if (area.areaM2 > MOST_SIDE * MOST_SIDE * collection.pixelAreaM2) return undefined;
  const runs = runsOf(await pixelsOf(collection, area));
  if (runs.length === 0) return undefined;
  const plan = planChip(collection.grid, runs);
  const pixels = sampledPixels(collection.grid, plan.window, runs, LOOKED_AT);
  const task = { kind: 'clearness', cubeId: collection.id, pixels } as const;
  const seen = (await unlessMissing(pictures.make(owner.accountId, task))) ?? [];
  const chosen = newestClear(seen.filter(({ timeMs }) => timeMs <= untilMs).slice(-LAST_SCENES));
  if (chosen === undefined) return undefined;
  const [scene] = await storage.collections.scenesNamed(collection.id, [chosen.key]);
  const colours = scene === undefined ? null : colourAt(scene);
  const drawn = { window: plan.window, size: plan.size, runs };
  const png = await unlessMissing(
    colours === null
      ? pictures.make(owner.accountId, {
          kind: 'chip',
          scene: sceneAt(collection, chosen),
          grid: sizeOf(collection),
          colouring: colouringOf(
            await legendOf(deps, owner, collection, () => ({
              scenes: [sceneAt(collection, chosen)],
              window: plan.window,
            })),
            collection,
          ),
          ...drawn,
        })
      : pictures.make(owner.accountId, {
          kind: 'colour chip',
          scene: colours,
          grid: sizeOf({ grid: pictureGrid(collection.grid) }),
          step: pictureStep(collection.grid),
          gridWidth: collection.grid.width,
          ...drawn,
        }),
  );
  if (png === undefined || png === null) return undefined;
  return { png, sceneAt: formatTimestamp(chosen.timeMs), lines: null };
}

/** The newest of the scenes that show the ground nearly as clearly as the clearest of them. */
function newestClear(scenes: readonly Clearness[]): Clearness | undefined {
  const most = Math.max(0, ...scenes.map(({ clear }) => clear));
  return most === 0 ? undefined : scenes.findLast(({ clear }) => clear >= NEARLY * most);
}

/** Start and length of each run of pixels. @param pixels ascending */
function runsOf(pixels: readonly number[]): readonly number[] {
  const runs: number[] = [];
  for (const pixel of pixels) {
    const start = runs.at(-2);
    if (start !== undefined && pixel === start + runs.at(-1)!) runs[runs.length - 1]!++;
    else runs.push(pixel, 1);
  }
  return runs;
}
