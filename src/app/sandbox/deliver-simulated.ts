import { INDEX_SCALE, SANDBOX_INDICES, type IndexScene, type SandboxIndex } from '../../sandbox/imagery.ts';
import { RADAR_GRID, radarPasses, radarTimeMs } from '../../sandbox/motion.ts';
import { opticalTimeMs, passNumber } from '../../sandbox/passes.ts';
import { SANDBOX_GRID } from '../../sandbox/terrain.ts';
import type { Deps } from '../deps.ts';
import { MISSING_INT16 } from '../imagery/collection-writer.ts';
import { ingestStack } from '../imagery/ingest-stack.ts';
import type { BandDate, DatesReader, StackReader } from '../imagery/raster-stack.ts';
import type { Samples } from '../series/cube-store.ts';
import type { SandboxRegion } from './sandbox-region.ts';
import { simulatedStacks, type SimulatedBands } from './sandbox-stack.ts';
import { SANDBOX_COLLECTION, SANDBOX_MOISTURE, SANDBOX_MOTION } from './collection-names.ts';
import type { Collection } from '../series/collection-store.ts';

// Number of scenes ingested at once (7 MB), while the same number is being simulated. With more, other callers of the
// region would wait too long.
const PASSES_AT_ONCE = 8;
const RADAR_EVERY = 2; // every second radar pass is processed to displacement: one every 24 days
const MOTION_SCALE = 0.05; // displacement per integer step [mm]: 16 bits cover +-1.6 m
const MASK = 'simulated-scene-classes';

/** Result of ingesting the images of some days. */
export interface Delivery {
  /** Days of the delivered passes, ascending. */
  readonly optical: readonly number[];
  readonly radar: readonly number[];
  /** Collections with new scenes. */
  readonly collections: readonly Collection[];
}

/** Dependencies of the functions that ingest simulated observations. */
export type SandboxDeps = Pick<
  Deps,
  'clock' | 'storage' | 'cube' | 'layers' | 'region' | 'version' | 'wakeDelivery'
>;

/**
 * Ingests the images that the region's satellites took on days `[from, to)`, with the same code as for real images.
 * Repeating the call changes nothing.
 */
export async function deliverImages(
  deps: SandboxDeps,
  from: number,
  to: number,
  progress: (done: number, total: number) => void,
): Promise<Delivery> {
  const optical = await deliverOptical(deps, from, to, progress);
  const radar = await deliverRadar(deps, from, to);
  return { ...optical, ...radar, collections: [...optical.collections, ...radar.collections] };
}

/** Ingests only the optical images of days `[from, to)`. Repeating the call changes nothing. */
export async function deliverOptical(
  deps: SandboxDeps,
  from: number,
  to: number,
  progress: (done: number, total: number) => void,
): Promise<Pick<Delivery, 'optical' | 'collections'>> {
  const optical = await deps.region.deliveredPasses(from, to);
  const held = await heldScenes(deps);
  const wanted = optical.filter((day) => !held.has(sceneName('SIM', opticalTimeMs(day))));
  const collections = new Map<string, Collection>();
  let done = optical.length - wanted.length;
  const step = (): void => progress(++done, optical.length);
  const sceneOf = (day: number): Promise<IndexScene> => {
    const scene = deps.region.scene(day);
    // An error is thrown where the scene is awaited. If it is never awaited, the rejection must not end the process.
    scene.catch(() => undefined);
    return scene;
  };
  const scenesFrom = (at: number): Scenes =>
    new Map(wanted.slice(at, at + PASSES_AT_ONCE).map((day) => [day, sceneOf(day)]));
  let next = scenesFrom(0);
  for (let at = 0; at < wanted.length; at += PASSES_AT_ONCE) {
    const scenes = next;
    next = scenesFrom(at + PASSES_AT_ONCE); // simulated while the current scenes are ingested
    for (const collection of await takeOptical(deps, scenes, step))
      collections.set(collection.id, collection);
  }
  return { optical, collections: [...collections.values()] };
}

/** Ingests only the radar images of days `[from, to)`. Repeating the call changes nothing. */
export async function deliverRadar(
  deps: SandboxDeps,
  from: number,
  to: number,
): Promise<Pick<Delivery, 'radar' | 'collections'>> {
  const radar = radarDays(from, to);
  return { radar, collections: radar.length === 0 ? [] : [await takeRadar(deps, radar)] };
}

function collectionOf(index: SandboxIndex): string {
  return index === 'ndmi' ? SANDBOX_MOISTURE : SANDBOX_COLLECTION;
}

/** Keys of the optical scenes that are stored for every index. */
async function heldScenes({ storage }: SandboxDeps): Promise<ReadonlySet<string>> {
  const names = await Promise.all(
    SANDBOX_INDICES.map(async (index) => {
      const members = await storage.collections.byName('sandbox', null, collectionOf(index));
      const member = members.find(({ metric }) => metric === index);
      return new Set(member && (await storage.collections.scenes(member.id)).map(({ key }) => key));
    }),
  );
  const [first, ...others] = names;
  return new Set([...first!].filter((name) => others.every((other) => other.has(name))));
}

/** Simulated scenes by the day of their pass. The promise of a scene is pending while the scene is being simulated. */
type Scenes = ReadonlyMap<number, Promise<IndexScene>>;

async function takeOptical(
  deps: SandboxDeps,
  scenes: Scenes,
  step: () => void,
): Promise<readonly Collection[]> {
  const byPass = new Map([...scenes].map(([day, scene]) => [passNumber(day), scene]));
  const dates = [...scenes.keys()].map((day): BandDate => ({
    band: passNumber(day) + 1,
    timeMs: opticalTimeMs(day),
    scene: sceneName('SIM', opticalTimeMs(day)),
  }));
  const bandsOf = (scale: number, read: (scene: IndexScene) => Samples): SimulatedBands => ({
    grid: SANDBOX_GRID,
    sampleType: 'int16',
    scale,
    read: async (band) => read(await byPass.get(band)!),
  });
  const stacks = Object.fromEntries(
    SANDBOX_INDICES.map((metric, i) => [
      `simulated-${metric}`,
      bandsOf(INDEX_SCALE, ({ indices }) => indices[i]!),
    ]),
  );
  const source = simulatedStacks({ ...stacks, [MASK]: bandsOf(1, ({ sceneClass }) => sceneClass) }, dates);
  const collections: Collection[] = [];
  for (const metric of SANDBOX_INDICES) {
    const { collection } = await ingestStack(
      { ...deps, stacks: source },
      { ...input(collectionOf(metric), metric), maskPath: MASK, maskEncoding: 'sentinel-2-scl' },
      metric === SANDBOX_INDICES.at(-1) ? step : () => undefined,
    );
    collections.push(collection);
  }
  return collections;
}

async function takeRadar(deps: SandboxDeps, days: readonly number[]): Promise<Collection> {
  const { collection } = await ingestStack(
    { ...deps, stacks: radarSource(deps.region, days) },
    input(SANDBOX_MOTION, 'displacement'),
    () => undefined,
  );
  return collection;
}

/** Makes a stack reader for the displacement images of the radar passes on the given days. */
export function radarSource(region: SandboxRegion, days: readonly number[]): StackReader & DatesReader {
  const displacement: SimulatedBands = {
    grid: RADAR_GRID,
    sampleType: 'int16',
    scale: MOTION_SCALE,
    read: async (band) => {
      const mm = await region.displacement(days.find((day) => radarNumber(day) === band)!);
      const raw = new Int16Array(mm.length);
      for (let i = 0; i < raw.length; i++)
        raw[i] = Number.isNaN(mm[i]!) ? MISSING_INT16 : Math.round(mm[i]! / MOTION_SCALE);
      return raw;
    },
  };
  return simulatedStacks(
    { 'simulated-displacement': displacement },
    days.map((day) => ({
      band: radarNumber(day) + 1,
      timeMs: radarTimeMs(day),
      scene: sceneName('SIM_RADAR', radarTimeMs(day)),
    })),
  );
}

/** Days in `[from, to)` with a processed radar pass. */
export function radarDays(from: number, to: number): readonly number[] {
  return radarPasses(from, to).filter((day) => radarNumber(day) % RADAR_EVERY === 0);
}

function radarNumber(day: number): number {
  return radarPasses(0, day).length;
}

function sceneName(prefix: string, timeMs: number): string {
  return `${prefix}_${new Date(timeMs).toISOString().slice(0, 10)}`;
}

function input(collection: string, metric: string) {
  return {
    collection,
    metric,
    environment: 'sandbox',
    accountId: null,
    valuesPath: `simulated-${metric}`,
    variable: undefined,
    datesPath: 'simulated-dates',
    maskPath: undefined,
    maskEncoding: undefined,
    scale: undefined,
    offset: undefined,
    nodata: undefined,
    unit: undefined,
    simulated: true,
  } as const;
}
