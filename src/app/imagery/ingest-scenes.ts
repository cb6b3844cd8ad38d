import { release } from '../../base/release.ts';
import type { Bbox } from '../../geo/bbox.ts';
import type { Grid } from '../../geo/grid.ts';
import { gridBbox } from '../../geo/pixel-outline.ts';
import type { SceneMetric } from '../../raster/backscatter.ts';
import { checkCollectionName, CollectionWriter, MISSING_INT16 } from './collection-writer.ts';
import type { Deps } from '../deps.ts';
import { InvalidInput, NotFound, UpstreamUnavailable } from '../../base/errors.ts';
import type { Environment } from '../owner.ts';
import {
  gridOf,
  passMetrics,
  readAny,
  readingOf,
  scaleOf,
  wishedMetrics,
  type WishedMetrics,
} from './pass-metrics.ts';
import type { PassSamples } from './read-scene.ts';
import { isAdjustedIn, sensorKinds } from './adjusted-scenes.ts';
import type { SceneItem, SceneSource } from './scene-source.ts';
import type { Collection } from '../series/collection-store.ts';
import { futureText, latestObservation } from '../series/future-time.ts';

/** Number of passes that are read ahead while one is written, because the network is the bottleneck. */
const READ_AHEAD = 2;
/**
 * Maximum size of the passes that are read ahead [bytes]. One metric of a tile of 10980 x 10980 pixels is more: with a
 * second pass of it in memory, the command and the process that reads its files would take over 1 GB together.
 */
const AHEAD_BYTES = 200_000_000;
/** The ingest fails after this number of consecutive passes that could not be fetched. */
const MAX_FAILURES = 5;

/** Separator of scene addresses. The record of a pass contains the addresses of all its scenes. */
const BETWEEN_HREFS = ' ';

/** Options of an ingest: the scenes to read, and the collection to write. */
export interface SceneIngest {
  /** Address or path of a STAC collection, search or item, or path of a folder of scenes. */
  readonly where: string;
  readonly collection: string;
  readonly environment: Environment;
  /** Owner of the collection; null: it serves every account of the environment. */
  readonly accountId: string | null;
  /**
   * Box to ingest. Undefined: the bounds of the existing collection. If there is no collection yet and the source is
   * a folder, undefined means the extent of all scenes.
   */
  readonly bounds: Bbox | undefined;
  readonly fromMs: number;
  /** `Infinity` includes scenes dated in the future, which are skipped by name. */
  readonly toMs: number;
  /** Maximum cloud share of a scene, 0 to 1; cloudier scenes are skipped. */
  readonly maxCloudShare: number;
  /**
   * Metrics to compute. Undefined: the metrics of the existing collection. If there is no collection yet, undefined
   * means all metrics that can be computed from the bands of the first scene. Radar scenes have a metric for each
   * polarisation and relative orbit.
   */
  readonly metrics: readonly SceneMetric[] | undefined;
  /**
   * Whether the bands are adjusted to the reference sensor. Undefined: as in the existing collection; not in a new one.
   */
  readonly isAdjusted?: boolean | undefined;
  /** Whether scenes get a picture in true colour, where they have red, green and blue; by default they do. */
  readonly isTrueColour?: boolean | undefined;
  /** Whether reflectance at the top of the atmosphere is read too; by default it is refused. */
  readonly takesLevel1?: boolean | undefined;
}

/** Result of an ingest. */
export interface SceneIngestReport {
  /** One collection for each metric; empty when no scene was found. */
  readonly collections: readonly Collection[];
  /** Number of passes found; `added` is the number of those that are new or differ from what the collection had. */
  readonly passes: number;
  readonly added: number;
  /** Skipped scenes, each with the reason. */
  readonly left: readonly SkippedScene[];
  /** Kinds of sensors that the collection has scenes of, if there are several and their bands were not adjusted. */
  readonly mixed?: readonly string[];
}

export interface SkippedScene {
  readonly id: string;
  readonly reason: string;
  /** Present if the scene is dated in the future. */
  readonly future?: true;
}

/**
 * Ingests the satellite scenes of an area from a catalogue or a folder. Only the blocks of the files that overlap
 * the area are read. Clouds and snow are masked with the quality band of the scene, and neighbouring scenes of one
 * pass are merged. Each pass is durable before the next one is written. Passes that were ingested earlier are not
 * read again.
 * @param stop ends the ingest between two passes
 * @throws InvalidInput when the request or the scenes cannot be used; UpstreamUnavailable when files cannot be
 * fetched
 */
export async function ingestScenes(
  deps: Pick<Deps, 'clock' | 'storage' | 'cube'> & { readonly scenes: SceneSource },
  input: SceneIngest,
  progress: (done: number, total: number) => void,
  stop?: AbortSignal,
): Promise<SceneIngestReport> {
  checkCollectionName(input.collection, 'ndvi');
  const { environment, accountId, collection } = input;
  const members = await deps.storage.collections.byName(environment, accountId, collection);
  const bounds = input.bounds ?? (members[0] && gridBbox(members[0].grid));
  if (bounds === undefined && !deps.scenes.isWhole)
    throw new InvalidInput('--bbox: expected the area of a new collection, or --aoi', { param: 'bbox' });
  const left: SkippedScene[] = [];
  const found = await findPasses(deps, input, bounds, left);
  const isAdjusted = await isAdjustedIn(deps, input, members[0]);
  const wishes = wishedMetrics(input.metrics, members, found);
  const passes = found.filter(([first]) => passMetrics(first!, wishes).length > 0);
  if (passes.length === 0) return { collections: [], passes: 0, added: 0, left };
  const grid = members[0]?.grid ?? (await gridOf(deps.scenes, passes.flat(), wishes, bounds));
  const metrics = new Set(passes.flatMap(([first]) => passMetrics(first!, wishes)));
  const writers = await openWriters(deps, input, [...metrics], grid);
  const wanted = await newPasses(deps, writers, passes, wishes);
  let [failures, added] = [0, 0];
  const how = { isAdjusted, isTrueColour: input.isTrueColour ?? true };
  const passBytes = grid.width * grid.height * Int16Array.BYTES_PER_ELEMENT * metrics.size;
  const ahead = Math.min(READ_AHEAD, Math.floor(AHEAD_BYTES / passBytes));
  for await (const [done, { items, read }] of readAhead(wanted, ahead, (items) =>
    readAny(deps.scenes, items, wishes, grid, how),
  )) {
    if (stop?.aborted === true) break;
    try {
      const before = writtenBy(writers);
      await writePass(writers, items, await read, isAdjusted, grid);
      if (writtenBy(writers) > before) added++;
      failures = 0;
    } catch (error) {
      const isOfScene = [UpstreamUnavailable, InvalidInput, NotFound].some((kind) => error instanceof kind);
      if (!(error instanceof Error) || !isOfScene) throw error;
      for (const { id } of items) left.push({ id, reason: error.message });
      if (error instanceof UpstreamUnavailable && ++failures === MAX_FAILURES) {
        for (const writer of writers.values()) await writer.finish();
        throw error;
      }
    }
    progress(done + 1, wanted.length);
  }
  for (const writer of writers.values()) await writer.finish();
  const made = [...writers.values()].filter((writer) => writer.exists);
  const collections = made.map((writer) => writer.collection);
  const mixed = isAdjusted ? [] : await sensorKinds(deps, collections[0]);
  return { collections, passes: passes.length, added, left, ...(mixed.length > 1 && { mixed }) };
}

/** Finds the scenes of an area and time, grouped by pass, in order of time. Adds skipped scenes to `left`. */
async function findPasses(
  { scenes, clock }: Pick<Deps, 'clock'> & { readonly scenes: SceneSource },
  { where, fromMs, toMs, maxCloudShare, takesLevel1 }: SceneIngest,
  bounds: Bbox | undefined,
  left: SkippedScene[],
): Promise<readonly (readonly SceneItem[])[]> {
  const latestMs = latestObservation(clock.now());
  const passes = new Map<string, SceneItem[]>();
  for await (const found of scenes.search(where, { bounds, fromMs, toMs, takesLevel1 })) {
    if (!found.ok) left.push({ id: found.id, reason: found.reason });
    else if (found.item.timeMs > latestMs)
      left.push({ id: found.item.id, reason: futureText(found.item.timeMs, latestMs), future: true });
    else if (found.item.cloudShare !== null && found.item.cloudShare > maxCloudShare)
      left.push({ id: found.item.id, reason: `${Math.round(found.item.cloudShare * 100)} % cloud` });
    else {
      const pass = passes.get(found.item.pass);
      if (pass === undefined) passes.set(found.item.pass, [found.item]);
      else if (pass.every(({ id }) => id !== found.item.id)) pass.push(found.item);
    }
  }
  // Where scenes overlap, the first one is used. So their order must not depend on the catalogue.
  for (const pass of passes.values()) pass.sort((a, b) => a.timeMs - b.timeMs || (a.id < b.id ? -1 : 1));
  return [...passes.values()].toSorted((a, b) => a[0]!.timeMs - b[0]!.timeMs);
}

async function openWriters(
  deps: Pick<Deps, 'storage' | 'cube'>,
  { collection, environment, accountId }: SceneIngest,
  metrics: readonly string[],
  grid: Grid,
): Promise<ReadonlyMap<string, CollectionWriter>> {
  const writers = new Map<string, CollectionWriter>();
  for (const metric of metrics) {
    const target = { name: collection, metric, environment, accountId, grid };
    writers.set(
      metric,
      await CollectionWriter.open(deps, {
        ...target,
        scale: scaleOf(metric),
        offset: 0,
        sampleType: 'int16',
      }),
    );
  }
  return writers;
}

/**
 * Returns the passes to ingest: new passes, passes of which a collection contains only some scenes because the other
 * scenes were published later, and passes of a folder whose products were processed again. A pass that the collection
 * has under its former id keeps that id.
 */
async function newPasses(
  { storage, scenes: source }: Pick<Deps, 'storage'> & { readonly scenes: SceneSource },
  writers: ReadonlyMap<string, CollectionWriter>,
  passes: readonly (readonly SceneItem[])[],
  wishes: WishedMetrics,
): Promise<readonly (readonly SceneItem[])[]> {
  const held = new Map<string, ReadonlyMap<string, readonly string[]>>();
  for (const [metric, writer] of writers) {
    const scenes = writer.exists ? await storage.collections.scenes(writer.collection.id) : [];
    held.set(metric, new Map(scenes.map(({ key, href }) => [key, href.split(BETWEEN_HREFS)])));
  }
  const isHeld = (pass: string): boolean => [...held.values()].some((keys) => keys.has(pass));
  const named = ([first, ...others]: readonly SceneItem[]): readonly SceneItem[] => {
    const former = first!.formerPass;
    const isFormer = former !== undefined && !isHeld(first!.pass) && isHeld(former);
    return [isFormer ? { ...first!, pass: former } : first!, ...others];
  };
  const isWanted = (items: readonly SceneItem[], former: readonly string[] | undefined): boolean =>
    former === undefined || former.length < items.length || (source.isWhole && isReprocessed(items, former));
  return passes
    .map(named)
    .filter((items) =>
      passMetrics(items[0]!, wishes).some((metric) => isWanted(items, held.get(metric)?.get(items[0]!.pass))),
    );
}

/**
 * Whether the products of a pass were processed again since those that a collection has of it. The names of products
 * that differ only in level, processing baseline, version or time of processing are in that order (`LC08_L2SP_...`,
 * `S2A_MSIL2A_..._N0510_...`, `HLS.S30...v2.0`).
 */
function isReprocessed(items: readonly SceneItem[], former: readonly string[]): boolean {
  if (items.length !== former.length) return false;
  const names = items.map(({ href }) => href).toSorted();
  const before = former.toSorted();
  return names.every((name, i) => name >= before[i]!) && names.some((name, i) => name > before[i]!);
}

/** Number of new scenes that were written, over all metrics. */
function writtenBy(writers: ReadonlyMap<string, CollectionWriter>): number {
  return [...writers.values()].reduce((sum, { added }) => sum + added, 0);
}

async function writePass(
  writers: ReadonlyMap<string, CollectionWriter>,
  items: readonly SceneItem[],
  { indices, snow, colours }: PassSamples,
  isAdjusted: boolean,
  grid: Grid,
): Promise<void> {
  const [first] = items as readonly [SceneItem];
  const { pass: key, timeMs } = first;
  const href = items.map((item) => item.href).join(BETWEEN_HREFS);
  const reading = readingOf(first, isAdjusted, grid);
  // The first metric has the picture of the pass; the others refer to it.
  const pictured = writers.get(indices.keys().next().value ?? '');
  for (const [metric, samples] of indices) {
    const writer = writers.get(metric)!;
    let clear = 0;
    for (const sample of samples) if (sample !== MISSING_INT16) clear++;
    await writer.write({ key, timeMs, href, reading }, samples, clear, {
      snow,
      ...(colours !== null &&
        pictured !== undefined && { colours: writer === pictured ? colours : pictured }),
    });
    release(samples);
  }
}

/** Yields the passes in order, while the next few are already being read. */
async function* readAhead<T>(
  passes: readonly (readonly SceneItem[])[],
  ahead: number,
  read: (items: readonly SceneItem[]) => Promise<T>,
): AsyncGenerator<readonly [number, { readonly items: readonly SceneItem[]; readonly read: Promise<T> }]> {
  const started = new Map<number, Promise<T>>();
  for (const [i, items] of passes.entries()) {
    for (let k = i; k <= Math.min(i + ahead, passes.length - 1); k++) {
      if (started.has(k)) continue;
      const reading = read(passes[k]!);
      reading.catch(() => undefined); // reported when the pass is yielded
      started.set(k, reading);
    }
    yield [i, { items, read: started.get(i)! }];
    started.delete(i);
  }
}
