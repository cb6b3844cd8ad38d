import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { InvalidInput } from '../../base/errors.ts';
import { type Bbox, bboxesOverlap, toGeoJsonBbox } from '../../geo/bbox.ts';
import type { Deps } from '../deps.ts';
import { MISSING_INT16 } from '../imagery/collection-writer.ts';
import type { InstalledLayer, LayerShelf } from '../layers/layer-shelf.ts';
import type { Environment } from '../owner.ts';
import { allCubesOf, colourCubeId, colourCubeSpec } from '../series/colour-cube.ts';
import type { Collection } from '../series/collection-store.ts';
import type { CubeSpec, Samples } from '../series/cube-store.ts';
import { snowCubeId, snowCubeSpec } from '../series/snow-cube.ts';
import {
  BUNDLE_FORM,
  BUNDLE_MANIFEST_NAME,
  type BundledCollection,
  type BundledCube,
  type BundledLayer,
  type BundleDraft,
  type BundleManifest,
  type BundleParts,
  pieceMember,
  sceneMember,
} from './bundle.ts';

const pack = promisify(deflateRaw);

/** Maximum number of samples of float64 scenes in memory at once: 128 MB. */
const SAMPLES_AT_ONCE = 2 ** 24;

/** What a bundle is made of. */
export interface BundleRequest {
  readonly path: string;
  readonly box: Bbox;
  readonly environment: Environment;
  /** Account whose private collections are taken too; null: only those that all accounts can read. */
  readonly accountId: string | null;
}

/** What a bundle has. */
export interface CreatedBundle {
  readonly collections: number;
  readonly scenes: number;
  readonly layers: number;
  readonly pieces: number;
  readonly bytes: number;
  readonly signedBy: string;
}

type CreateDeps = Pick<Deps, 'storage' | 'cube' | 'clock' | 'version'> &
  Pick<BundleParts, 'bundleFiles' | 'pieceFiles'> & { readonly shelf: LayerShelf };

/** A collection and its cubes, by the ids here. */
interface Taken {
  readonly collection: Collection;
  readonly entry: BundledCollection;
  readonly cubes: readonly { readonly id: string; readonly spec: CubeSpec; readonly entry: BundledCube }[];
}

/**
 * Writes the collections of images and the pieces of installed layers that overlap a box into one file, whole and with
 * their provenance. What ships with the service and what is simulated is left out.
 * @throws InvalidInput when there is nothing in the box, the file exists, or stored data is damaged
 */
export async function createBundle(
  deps: CreateDeps,
  request: BundleRequest,
  progress: (done: number, total: number) => void,
): Promise<CreatedBundle> {
  const taken = await collectionsIn(deps, request);
  const layers = await layersIn(deps, request);
  if (taken.length === 0 && layers.length === 0)
    throw new InvalidInput(
      `--bbox: no collection of images and no installed layer of ${request.environment} is in this box`,
      { param: 'bbox' },
    );
  const entries: BundledLayer[] = [];
  for (const layer of layers) entries.push(await layerEntry(deps, layer));
  const manifest: BundleManifest = {
    form: BUNDLE_FORM,
    version: deps.version,
    created_at: new Date(deps.clock.now()).toISOString(),
    box: toGeoJsonBbox(request.box),
    collections: taken.map(({ entry }) => entry),
    layers: entries,
  };
  const draft = await deps.bundleFiles.create(request.path);
  try {
    await draft.add(memberOf(BUNDLE_MANIFEST_NAME, Buffer.from(JSON.stringify(manifest))));
    const pieces = layers.reduce((sum, layer) => sum + layer.pieces.length, 0);
    const scenes = taken
      .flatMap(({ cubes }) => cubes)
      .reduce((sum, { entry }) => sum + entry.scenes.length, 0);
    let done = 0;
    const step = (): void => progress(++done, pieces + scenes);
    for (const [i, one] of taken.entries())
      for (const [j, cube] of one.cubes.entries())
        await addScenes(deps, draft, [i, j], one.collection, cube, step);
    for (const [i, layer] of layers.entries())
      for (const [j, { file }] of layer.pieces.entries()) {
        const size = entries[i]!.pieces[j]!.file.bytes;
        await draft.add({ name: pieceMember(i, j), size, content: deps.pieceFiles.content(file) });
        step();
      }
    const count = taken.reduce((sum, { entry }) => sum + entry.scenes.length, 0);
    return {
      collections: taken.length,
      scenes: count,
      layers: layers.length,
      pieces,
      ...(await draft.finish()),
    };
  } catch (error) {
    await draft.abandon();
    throw error;
  }
}

async function collectionsIn(
  { storage, cube }: CreateDeps,
  { box, environment, accountId }: BundleRequest,
): Promise<readonly Taken[]> {
  const all = (await storage.collections.list()).filter(
    (one) =>
      one.environment === environment &&
      (one.accountId === null || one.accountId === accountId) &&
      one.simulated !== true &&
      bboxesOverlap(one.bounds, box),
  );
  const names = all.map(({ name }) => name);
  const twice = all.find((one) =>
    all.some((other) => other.name === one.name && other.accountId !== one.accountId),
  );
  if (twice !== undefined)
    throw new InvalidInput(
      `--account: it has a collection ${twice.name}, and so have all accounts; one bundle takes one: leave --account out, or rename it (${names.length} collections)`,
      { param: 'account' },
    );
  const taken: Taken[] = [];
  for (const collection of all) {
    const scenes = await storage.collections.scenes(collection.id);
    if (scenes.length === 0) continue;
    const specs: Record<string, readonly [BundledCube['kind'], CubeSpec]> = {
      [collection.id]: ['samples', { ...collection.grid, sampleType: collection.sampleType }],
      [snowCubeId(collection.id)]: ['snow', snowCubeSpec(collection.grid)],
      [colourCubeId(collection.id)]: ['colours', colourCubeSpec(collection.grid)],
    };
    const cubes = [];
    for (const id of await allCubesOf(cube, collection.id)) {
      const [kind, spec] = specs[id]!;
      const stored = (await cube.scenes(id)).filter(({ key }) => scenes.some((scene) => scene.key === key));
      const entry = {
        kind,
        scenes: stored.map(({ key, timeMs, sha256 }) => ({ key, time_ms: timeMs, sha256 })),
      };
      cubes.push({ id, spec, entry });
    }
    const { grid, name, metric, scale, offset, sampleType } = collection;
    const { width, height, crs, proj4, transform } = grid;
    taken.push({
      collection,
      cubes,
      entry: {
        name,
        metric,
        scale,
        offset,
        sample_type: sampleType,
        grid: { width, height, crs, proj4, transform: [...transform] },
        cubes: cubes.map(({ entry }) => entry),
        scenes: scenes.map((scene) => ({
          key: scene.key,
          href: scene.href,
          observed_ms: scene.observedAt.getTime(),
          sha256: scene.sha256,
          clear_fraction: scene.clearFraction,
          ...(scene.reading !== undefined && { reading: scene.reading }),
          ...colourOf(scene.colourOf, all),
        })),
      },
    });
  }
  return taken;
}

/** A picture of a collection that is not in the bundle is left out. */
function colourOf(id: string | undefined, all: readonly Collection[]): { readonly colour_of?: number } {
  const index = all.findIndex((one) => one.id === id);
  return index < 0 ? {} : { colour_of: index };
}

async function layersIn(
  { shelf }: CreateDeps,
  { box, environment }: BundleRequest,
): Promise<readonly InstalledLayer[]> {
  return (await shelf.installed())
    .filter((one) => one.environment === environment || one.environment === 'all')
    .filter(({ card }) => card.simulated !== true)
    .map((one) => ({ ...one, pieces: one.pieces.filter(({ coverage }) => bboxesOverlap(coverage, box)) }))
    .filter(({ pieces }) => pieces.length > 0);
}

async function layerEntry(
  { pieceFiles }: CreateDeps,
  { card, interpolation, pieces }: InstalledLayer,
): Promise<BundledLayer> {
  const listed = [];
  for (const { file, coverage, ...piece } of pieces)
    listed.push({
      ...piece,
      coverage: [...coverage] as BundledLayer['pieces'][number]['coverage'],
      file: await pieceFiles.describe(file),
    });
  const { simulated: _, ...shown } = card;
  return { card: shown, interpolation, pieces: listed };
}

async function addScenes(
  { cube }: CreateDeps,
  draft: BundleDraft,
  [i, j]: readonly [number, number],
  { name }: Collection,
  { id, spec, entry }: Taken['cubes'][number],
  step: () => void,
): Promise<void> {
  const pixels = spec.width * spec.height;
  const atOnce = spec.sampleType === 'float64' ? Math.max(1, Math.floor(SAMPLES_AT_ONCE / pixels)) : 1;
  for (let from = 0; from < entry.scenes.length; from += atOnce) {
    const scenes = entry.scenes.slice(from, from + atOnce);
    const samples = await readScenes(
      cube,
      id,
      spec,
      scenes.map(({ key }) => key),
    );
    for (const [k, { key, sha256 }] of scenes.entries()) {
      const bytes = bytesOf(samples[k]!);
      if (createHash('sha256').update(bytes).digest('hex') !== sha256)
        throw new InvalidInput(
          `${name}: the scene ${key} is damaged or was just replaced; see collections check, and create the bundle again`,
        );
      await draft.add(memberOf(sceneMember(i, j, from + k), await pack(bytes)));
      step();
    }
  }
}

/** The stored samples of scenes, with the missing values of the cube. */
async function readScenes(
  cube: CreateDeps['cube'],
  id: string,
  { width, height, sampleType }: CubeSpec,
  keys: readonly string[],
): Promise<readonly Samples[]> {
  const pixels = width * height;
  if (sampleType !== 'float64') {
    const [values] = [await cube.readScene(id, keys[0]!, 0, pixels)];
    if (values === undefined)
      throw new InvalidInput(`the scene ${keys[0]} was just removed; create the bundle again`);
    return [
      sampleType === 'float32'
        ? values
        : Int16Array.from(values, (v) => (Number.isNaN(v) ? MISSING_INT16 : v)),
    ];
  }
  // Only strips have samples of 64 bits: they are read in parts, for several scenes together.
  const out = keys.map(() => new Float64Array(pixels));
  const count = (await cube.scenes(id)).length;
  const part = Math.max(1, Math.floor(SAMPLES_AT_ONCE / count));
  for (let from = 0; from < pixels; from += part) {
    const to = Math.min(pixels, from + part);
    const { scenes, values } = await cube.readStrip(id, from, to);
    const slots = keys.map((key) => scenes.findIndex((scene) => scene.key === key));
    for (let p = from; p < to; p++)
      for (const [k, slot] of slots.entries()) out[k]![p] = values[(p - from) * scenes.length + slot]!;
  }
  return out;
}

/** Bytes in little-endian order, which all supported machines have. */
const bytesOf = (samples: Samples): Buffer =>
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

function memberOf(name: string, bytes: Buffer) {
  return { name, size: bytes.length, content: one(bytes) };
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
