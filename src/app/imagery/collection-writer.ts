import { gridBbox, pixelAreaM2 } from '../../geo/pixel-outline.ts';
import { refuseMixing } from '../series/simulated-collection.ts';
import type { Grid } from '../../geo/grid.ts';
import type { PixelSet } from '../../raster/pixel-set.ts';
import { writeColours } from '../series/colour-cube.ts';
import { writeSnow } from '../series/snow-cube.ts';
import type { Deps } from '../deps.ts';
import type { SceneReading } from '../../contract/sources/scene-reading.ts';
import { InvalidInput } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { isMetricKey, metricCard } from '../series/metrics.ts';
import type { Environment } from '../owner.ts';
import type { Samples, SampleType } from '../series/cube-store.ts';
import type { Collection, Scene } from '../series/collection-store.ts';

/** Raw value of missing observations in int16 collections. Float collections use NaN. */
export const MISSING_INT16 = -32_768;
const SCENES_PER_COMMIT = 32; // scenes recorded in one database write; after a crash at most 32 are ingested again

/** Properties of the collection that scenes are written to. */
export interface CollectionTarget {
  readonly name: string;
  readonly metric: string;
  readonly environment: Environment;
  /** Owner of the collection; null: it serves every account of the environment. */
  readonly accountId: string | null;
  readonly grid: Grid;
  /** Value = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  readonly sampleType: SampleType;
  /** Present when the scenes come from the sandbox's simulated region. */
  readonly simulated?: true;
}

/** One scene to write. */
export interface NewScene {
  /** Identifies the scene within the collection. A scene with a known key replaces the earlier one. */
  readonly key: string;
  readonly timeMs: number;
  /** Address of the source of the scene. */
  readonly href: string;
  readonly reading: SceneReading;
}

/** What is kept of a scene beside its samples. */
export interface SceneExtras {
  /** The pixels that show snow; undefined if the mask of the scene does not tell snow. */
  readonly snow?: PixelSet | undefined;
  /**
   * The picture of the scene in true colour: its planes, to be stored with this collection, or the writer of the
   * collection that has them.
   */
  readonly colours?: Uint8Array | CollectionWriter;
}

/** @throws InvalidInput for an invalid collection name or metric key */
export function checkCollectionName(name: string, metric: string): void {
  if (!/^[\w.-]{1,100}$/.test(name))
    throw new InvalidInput(
      `--collection: expected 1 to 100 letters, digits, ".", "_" or "-", got ${JSON.stringify(name)}`,
      { param: 'collection' },
    );
  if (!isMetricKey(metric))
    throw new InvalidInput(
      `--metric: expected a key such as ndvi (lower case letters, digits, "_"), got ${JSON.stringify(metric)}`,
      { param: 'metric' },
    );
}

/** Describes a grid in words. All metrics of a collection must have a grid with the same description. */
export function shapeOf({ width, height, crs, transform }: Grid): string {
  return `${width} x ${height} pixels in ${crs} at [${transform.join(', ')}]`;
}

/**
 * Writes scenes to one metric of a collection. Each scene is durable before the next one is written. The collection
 * is created with the first scene that has an observation. Scenes without observations are held back until then, so
 * that an ingest without any observation creates nothing.
 */
export class CollectionWriter {
  #collection: Collection;
  /** Number of scenes written; `added` is the number of new ones among them. */
  scenes = 0;
  added = 0;
  readonly #deps: Pick<Deps, 'storage' | 'cube'>;
  readonly #target: CollectionTarget;
  #exists: boolean;
  readonly #waiting: { readonly scene: NewScene; readonly extras: SceneExtras }[] = [];
  readonly #recorded: Scene[] = [];

  private constructor(
    deps: Pick<Deps, 'storage' | 'cube'>,
    target: CollectionTarget,
    there: Collection | undefined,
  ) {
    this.#deps = deps;
    this.#target = target;
    this.#collection = there ?? newCollection(target);
    this.#exists = there !== undefined;
  }

  /** The collection written to. Until it exists, its id may change, because another process may create it first. */
  get collection(): Collection {
    return this.#collection;
  }

  /** @throws InvalidInput when a collection of that name exists and does not match the target */
  static async open(
    deps: Pick<Deps, 'storage' | 'cube'>,
    target: CollectionTarget,
  ): Promise<CollectionWriter> {
    const there = await fittingCollection(deps, target);
    // Creates the cube if it is missing because of a crash just after the collection was recorded.
    if (there !== undefined) await deps.cube.create(there.id, cubeSpec(there));
    return new CollectionWriter(deps, target, there);
  }

  /** Whether the collection exists already. */
  get exists(): boolean {
    return this.#exists;
  }

  /** @param clear number of samples that are observations */
  async write(scene: NewScene, samples: Samples, clear: number, extras: SceneExtras = {}): Promise<void> {
    this.scenes++;
    if (clear === 0 && !this.#exists) {
      this.#waiting.push({ scene, extras });
      return;
    }
    if (!this.#exists) await this.#make();
    for (const empty of this.#waiting.splice(0))
      await this.#append(empty.scene, emptyScene(this.#collection), 0, empty.extras);
    await this.#append(scene, samples, clear, extras);
  }

  /** Records the scenes that are written but not recorded yet. */
  async finish(): Promise<void> {
    const recorded = this.#recorded.splice(0);
    if (recorded.length > 0) await this.#deps.storage.collections.putScenes(this.collection.id, recorded);
  }

  /** Creates the collection, or uses the one that another process created meanwhile. */
  async #make(): Promise<void> {
    const { storage, cube } = this.#deps;
    while (!(await storage.collections.create(this.#collection))) {
      const there = await fittingCollection(this.#deps, this.#target);
      if (there === undefined) continue; // the collection was removed meanwhile
      this.#collection = there;
      break;
    }
    await cube.create(this.#collection.id, cubeSpec(this.#collection));
    this.#exists = true;
  }

  async #append(
    { key, timeMs, href, reading }: NewScene,
    samples: Samples,
    clear: number,
    { snow, colours }: SceneExtras,
  ): Promise<void> {
    const scene = { key, timeMs };
    if (snow !== undefined) await writeSnow(this.#deps.cube, this.collection, scene, snow);
    if (colours instanceof Uint8Array) await writeColours(this.#deps.cube, this.collection, scene, colours);
    const holder = colours instanceof CollectionWriter ? colours : this;
    const colourOf = colours !== undefined && holder.exists ? holder.collection.id : undefined;
    const stored = await this.#deps.cube.append(this.collection.id, scene, samples);
    if (stored.added) this.added++;
    this.#recorded.push({
      id: newId('scene'),
      key,
      href,
      observedAt: new Date(timeMs),
      sha256: stored.sha256,
      clearFraction: clear / samples.length,
      reading,
      ...(colourOf !== undefined && { colourOf }),
    });
    if (this.#recorded.length >= SCENES_PER_COMMIT) await this.finish();
  }
}

/**
 * Finds the collection that has the name and metric of the target.
 * @throws InvalidInput when this collection, or a collection with the same name and another metric, does not match
 * the target
 */
async function fittingCollection(
  { storage }: Pick<Deps, 'storage'>,
  target: CollectionTarget,
): Promise<Collection | undefined> {
  const { environment, accountId, name, metric } = target;
  const members = await storage.collections.byName(environment, accountId, name);
  const there = members.find((member) => member.metric === metric);
  const stations = await storage.stations.byName(environment, accountId, name);
  refuseMixing(name, [...members, ...stations], target.simulated);
  if (there !== undefined) {
    checkFits(there, target);
    return there;
  }
  if (members[0] !== undefined) checkSharedGrid(members[0], target);
  if (stations.some((points) => points.metric === metric))
    throw new InvalidInput(
      `The collection ${name} has ${metric} at stations; expected another --collection for images`,
      { param: 'collection' },
    );
  return undefined;
}

function newCollection(target: CollectionTarget): Collection {
  return {
    id: newId('collection'),
    ...target,
    unit: metricCard(target.metric).unit,
    pixelAreaM2: pixelAreaM2(target.grid),
    bounds: gridBbox(target.grid),
  };
}

function checkSharedGrid(first: Collection, { grid, metric }: CollectionTarget): void {
  const [held, given] = [shapeOf(first.grid), shapeOf(grid)];
  if (held !== given)
    throw new InvalidInput(
      `The collection ${first.name} has ${first.metric} on the grid ${held}; this stack of ${metric} has ${given}. ` +
        'All metrics of a collection share one grid',
      { param: 'values' },
    );
}

function checkFits(there: Collection, target: CollectionTarget): void {
  const differs = (what: string, expected: unknown, got: unknown, param: string): InvalidInput =>
    new InvalidInput(
      `The collection ${there.name} has ${what} ${String(expected)}, this stack ${String(got)}`,
      { param },
    );
  const [a, b] = [shapeOf(there.grid), shapeOf(target.grid)];
  if (a !== b) throw differs('the grid', a, b, 'values');
  if (there.sampleType !== target.sampleType)
    throw differs('samples of', there.sampleType, target.sampleType, 'values');
  if (there.scale !== target.scale) throw differs('the scale', there.scale, target.scale, 'scale');
  if (there.offset !== target.offset) throw differs('the offset', there.offset, target.offset, 'offset');
}

function cubeSpec({ grid, sampleType }: Collection) {
  return { width: grid.width, height: grid.height, sampleType };
}

function emptyScene({ grid, sampleType }: Collection): Samples {
  const pixels = grid.width * grid.height;
  if (sampleType === 'int16') return new Int16Array(pixels).fill(MISSING_INT16);
  return (sampleType === 'float32' ? new Float32Array(pixels) : new Float64Array(pixels)).fill(Number.NaN);
}
