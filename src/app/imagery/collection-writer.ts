import { gridBbox, pixelAreaM2 } from '../../geo/pixel-outline.ts';
import { refuseMixing } from '../series/simulated-collection.ts';
import type { Grid } from '../../geo/grid.ts';
import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { isMetricKey, metricCard } from '../series/metrics.ts';
import type { Environment } from '../owner.ts';
import type { Samples, SampleType } from '../series/cube-store.ts';
import type { Collection, Scene } from '../series/collection-store.ts';

/** What an int16 collection holds where nothing was observed; others hold NaN. */
export const MISSING_INT16 = -32_768;
const SCENES_PER_COMMIT = 32; // scenes recorded at once: what a crash makes the next run look at again

/** The collection that scenes are to go into. */
export interface CollectionTarget {
  readonly name: string;
  readonly metric: string;
  readonly environment: Environment;
  /** Owner; null: it serves every account of the environment. */
  readonly accountId: string | null;
  readonly grid: Grid;
  /** Value = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  readonly sampleType: SampleType;
  /** Present when the observations come from the sandbox's simulated region. */
  readonly simulated?: true;
}

/** One scene to be written. */
export interface NewScene {
  /** Name that identifies it within the collection: the same key again replaces it. */
  readonly key: string;
  readonly timeMs: number;
  /** Where it came from. */
  readonly href: string;
}

/** @throws InvalidInput for a name or metric that cannot be one */
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

/** A grid in words: what must agree between the metrics of one collection. */
export function shapeOf({ width, height, crs, transform }: Grid): string {
  return `${width} x ${height} pixels in ${crs} at [${transform.join(', ')}]`;
}

/**
 * Writes scenes into one metric of a collection, each durable before the next. The collection is made when the first
 * scene comes that shows anything; those before it wait, so that what shows nothing at all leaves nothing behind.
 */
export class CollectionWriter {
  #collection: Collection;
  /** Scenes written, and those of them that were not there already. */
  scenes = 0;
  added = 0;
  readonly #deps: Pick<Deps, 'storage' | 'cube'>;
  readonly #target: CollectionTarget;
  #exists: boolean;
  readonly #waiting: NewScene[] = [];
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

  /** Where it writes to; while it is not there yet, another's may still take its place. */
  get collection(): Collection {
    return this.#collection;
  }

  /** @throws InvalidInput when the collection of that name is there and does not fit */
  static async open(
    deps: Pick<Deps, 'storage' | 'cube'>,
    target: CollectionTarget,
  ): Promise<CollectionWriter> {
    const there = await fittingCollection(deps, target);
    // A crash may have come between the record of the collection and its cube.
    if (there !== undefined) await deps.cube.create(there.id, cubeSpec(there));
    return new CollectionWriter(deps, target, there);
  }

  /** Whether there is a collection to write to, found or made. */
  get exists(): boolean {
    return this.#exists;
  }

  /** @param clear how many of the samples are observations */
  async write(scene: NewScene, samples: Samples, clear: number): Promise<void> {
    this.scenes++;
    if (clear === 0 && !this.#exists) {
      this.#waiting.push(scene);
      return;
    }
    if (!this.#exists) await this.#make();
    for (const empty of this.#waiting.splice(0)) await this.#append(empty, emptyScene(this.#collection), 0);
    await this.#append(scene, samples, clear);
  }

  /** Records what is not recorded yet. */
  async finish(): Promise<void> {
    const recorded = this.#recorded.splice(0);
    if (recorded.length > 0) await this.#deps.storage.collections.putScenes(this.collection.id, recorded);
  }

  /** Makes the collection, unless another process that takes the same in was faster: then it is that one. */
  async #make(): Promise<void> {
    const { storage, cube } = this.#deps;
    while (!(await storage.collections.create(this.#collection))) {
      const there = await fittingCollection(this.#deps, this.#target);
      if (there === undefined) continue; // removed since
      this.#collection = there;
      break;
    }
    await cube.create(this.#collection.id, cubeSpec(this.#collection));
    this.#exists = true;
  }

  async #append({ key, timeMs, href }: NewScene, samples: Samples, clear: number): Promise<void> {
    const stored = await this.#deps.cube.append(this.collection.id, { key, timeMs }, samples);
    if (stored.added) this.added++;
    this.#recorded.push({
      id: newId('scene'),
      key,
      href,
      observedAt: new Date(timeMs),
      sha256: stored.sha256,
      clearFraction: clear / samples.length,
    });
    if (this.#recorded.length >= SCENES_PER_COMMIT) await this.finish();
  }
}

/** The collection of that name and metric, if it is there. @throws InvalidInput when what is there of that name does not fit */
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
  if (stations.some((feed) => feed.metric === metric))
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
