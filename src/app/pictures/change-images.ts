import { NotFound } from '../../base/errors.ts';
import { formatTimestamp } from '../../base/time.ts';
import {
  type ChangeImages,
  type Legend,
  MOMENTS,
  type Moment,
} from '../../contract/pictures/change-images.ts';
import type { Colours } from '../../contract/pictures/tiles.ts';
import { mapGrid } from '../../geo/grid.ts';
import { getChange } from '../changes/read-changes.ts';
import type { ChangeRecord } from '../changes/change-store.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import type { Collection } from '../series/collection-store.ts';
import { pictureGrid, pictureStep } from '../series/colour-cube.ts';
import { unlessMissing } from '../series/missing-cube.ts';
import type { Stores } from '../storage.ts';
import { type ChipPlan, planChip, sampledPixels } from './chip-window.ts';
import { scenesOfChange } from './clear-scenes.ts';
import { colourAt, colouringOf, legendOf, sceneAt, sizeOf } from './legend.ts';
import type { Clearness } from './picture-maker.ts';

/** Pixels of a change, and as many around it, that are looked at to choose the scenes. */
const LOOKED_AT = 49;

type ImageDeps = Pick<Deps, 'pictures'> & { readonly storage: Pick<Stores, 'changes' | 'collections'> };

interface Chosen {
  readonly change: ChangeRecord;
  readonly collection: Collection;
  readonly plan: ChipPlan;
  readonly runs: readonly number[];
  readonly scenes: Readonly<Record<Moment, Clearness | null>>;
}

/** Describes the pictures of a change. @throws NotFound for a change that the owner may not see; NoPlace */
export async function describeChangeImages(deps: ImageDeps, owner: Owner, id: string): Promise<ChangeImages> {
  const chosen = await choose(deps, owner, id);
  const { change, collection, plan, scenes } = chosen;
  const { provenance } = change;
  const keys = MOMENTS.flatMap((moment) => scenes[moment]?.key ?? []);
  const sources = await deps.storage.collections.scenesNamed(collection.id, keys);
  const told = (moment: Moment): ChangeImages['before'] => {
    const scene = scenes[moment];
    if (scene === null) return null;
    const source = sources.find(({ key }) => key === scene.key);
    const url = `/v1/changes/${id}/images/${moment}`;
    return {
      url,
      true_colour_url: source?.colourOf === undefined ? null : `${url}?colours=true`,
      scene: {
        id: scene.key,
        href: source?.href ?? '',
        datetime: formatTimestamp(scene.timeMs),
      },
      clear_fraction: rounded(scene.clear, 1000),
    };
  };
  const [lng, lat] = mapGrid(collection.grid).pixelCentre(provenance.pixels.seed);
  return {
    change_id: id,
    collection: { id: collection.id, name: provenance.collection.name },
    metric: collection.metric,
    unit: collection.unit,
    ...(collection.simulated && { simulated: true as const }),
    first_anomaly_at: change.firstAnomalyAt,
    seed: { lat: rounded(lat, 1e7), lng: rounded(((lng + 540) % 360) - 180, 1e7) },
    width: plan.size.width,
    height: plan.size.height,
    pixel_m: rounded(plan.pixelM, 100),
    width_m: rounded(plan.widthM, 1),
    before: told('before'),
    after: told('after'),
    legend: await legendOfBoth(deps, owner, chosen),
  };
}

/**
 * Makes one picture of a change as PNG.
 * @throws NotFound for a change that the owner may not see, and where no scene shows the place; NoPlace
 */
export async function makeChangeImage(
  deps: ImageDeps,
  owner: Owner,
  id: string,
  moment: string,
  colours: Colours,
): Promise<Uint8Array> {
  if (moment !== 'before' && moment !== 'after')
    throw new NotFound(`There is no picture ${moment} of a change: expected before or after`);
  const chosen = await choose(deps, owner, id);
  const { collection, plan, runs, scenes } = chosen;
  const scene = scenes[moment];
  if (colours === 'true') return makeInTrueColour(deps, owner, id, moment, chosen);
  const picture =
    scene === null
      ? null
      : await deps.pictures.make(owner.accountId, {
          kind: 'chip',
          scene: sceneAt(collection, scene),
          grid: sizeOf(collection),
          window: plan.window,
          size: plan.size,
          colouring: colouringOf(await legendOfBoth(deps, owner, chosen), collection),
          runs,
        });
  if (picture === null) throw new NotFound(`No scene shows the ground ${moment} the change ${id}`);
  return picture;
}

/** @throws NotFound where no scene shows the place, or the scene has no picture in true colour; NoPlace */
async function makeInTrueColour(
  { storage, pictures }: ImageDeps,
  { accountId }: Owner,
  id: string,
  moment: Moment,
  { collection, plan, runs, scenes }: Chosen,
): Promise<Uint8Array> {
  const key = scenes[moment]?.key;
  const [scene] = key === undefined ? [] : await storage.collections.scenesNamed(collection.id, [key]);
  const at = scene === undefined ? null : colourAt(scene);
  const picture =
    at === null
      ? null
      : await unlessMissing(
          pictures.make(accountId, {
            kind: 'colour chip',
            scene: at,
            grid: sizeOf({ grid: pictureGrid(collection.grid) }),
            step: pictureStep(collection.grid),
            gridWidth: collection.grid.width,
            window: plan.window,
            size: plan.size,
            runs,
          }),
        );
  if (picture === undefined || picture === null)
    throw new NotFound(`No picture in true colour shows the ground ${moment} the change ${id}`);
  return picture;
}

async function choose({ storage, pictures }: ImageDeps, owner: Owner, id: string): Promise<Chosen> {
  const { change } = await getChange(storage as Stores, owner, id);
  const collection = await storage.collections.findReadable(owner, change.collectionId);
  if (collection === undefined) throw new NotFound(`The images of the change ${id} are gone`);
  const { runs } = change.provenance.pixels;
  const plan = planChip(collection.grid, runs);
  const pixels = sampledPixels(collection.grid, plan.window, runs, LOOKED_AT);
  const seen = await unlessMissing(
    pictures.make(owner.accountId, { kind: 'clearness', cubeId: collection.id, pixels }),
  );
  const scenes = scenesOfChange(seen ?? [], {
    firstAnomalyMs: Date.parse(change.firstAnomalyAt),
    detectedMs: Date.parse(change.confirmedAt ?? change.detectedAt),
    recoveredMs: change.recoveredAt === null ? null : Date.parse(change.recoveredAt),
  });
  return { change, collection, plan, runs, scenes };
}

/** The colours of both pictures. */
function legendOfBoth(deps: ImageDeps, owner: Owner, { collection, plan, scenes }: Chosen): Promise<Legend> {
  return legendOf(deps, owner, collection, () => ({
    scenes: MOMENTS.flatMap((moment) => scenes[moment] ?? []).map((scene) => sceneAt(collection, scene)),
    window: plan.window,
  }));
}

const rounded = (value: number, steps: number): number => Math.round(value * steps) / steps;
