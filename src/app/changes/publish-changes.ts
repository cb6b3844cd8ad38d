import { setImmediate } from 'node:timers/promises';
import type { Provenance } from '../../contract/changes.ts';
import { formatDay, formatTimestamp } from '../../base/time.ts';
import { geodesicAreaM2 } from '../../geo/area.ts';
import { bboxOf } from '../../geo/bbox.ts';
import { outlineArea } from '../../geo/pixel-outline.ts';
import { simplifyArea } from '../../geo/simplify.ts';
import { METHOD, MODEL_VERSION, PARAMETERS } from '../../change/parameters.ts';
import { polygonisePixels } from '../../raster/polygonise.ts';
import type { ClaimedChange } from './claimed-change.ts';
import type { CollectionStack } from './collection-stack.ts';
import { changeDigest, takenBackDigest, type ChangeResult } from './change-digest.ts';
import { newId } from '../../base/ids.ts';
import type { FoundChange } from './search/find-changes.ts';
import { keyOf, knownChanges } from './known-change.ts';
import { intersecting } from '../areas/measure-area.ts';
import { runsOf } from '../../raster/pixel-runs.ts';
import { presentChange } from './present-change.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { ChangeRecord, NewChange } from './change-store.ts';
import type { Collection, Scene } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';

/** Vertices of a geometry in an event, at most: contract.md "Events and webhooks". */
const EVENT_VERTICES = 200;

/** What publishing did to the changes of a collection. */
export interface PublishReport {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  /** How many of the collection's changes are confirmed now. */
  readonly confirmed: number;
}

/** Everything that the changes of one run of the monitor rest on. */
export interface MonitorRun {
  readonly stack: CollectionStack;
  readonly objects: readonly ClaimedChange[];
  readonly softwareVersion: string;
}

/**
 * Records what a run of the monitor found, in one transaction with the events that tell of it: what is new, what
 * became of what was known, and what later scenes took back. The same run again changes nothing.
 */
export async function publishChanges(stores: Stores, run: MonitorRun): Promise<PublishReport> {
  const { collection } = run.stack[0];
  await stores.changes.lockPublishing(collection.environment, 'publish');
  const sources = await sourcesOf(stores, run.stack);
  const records = await changesOf(stores, run.stack);
  const known = knownChanges(run.objects, records);
  const report = { inserted: 0, updated: 0, unchanged: 0, confirmed: 0 };
  for (const object of run.objects) {
    const before = known.get(object);
    // A suspicion that came to nothing before anyone was told of it is no news.
    if (before === undefined && object.status === 'rejected') continue;
    await setImmediate(); // an outline and its digest take some milliseconds: requests go between
    const change = changeOf(run, object, keyOf(object), before?.id ?? newId('change'), sources);
    if (change.status === 'confirmed') report.confirmed++;
    if (before?.digest === change.digest && before.objectKey === change.objectKey) {
      report.unchanged++;
      continue;
    }
    if (before === undefined) report.inserted++;
    else report.updated++;
    await put(stores, collection, change, before);
  }
  const kept = new Set(known.values());
  for (const gone of records.filter((record) => !kept.has(record))) {
    if (gone.status === 'rejected') {
      report.unchanged++;
      continue;
    }
    report.updated++;
    await put(
      stores,
      collection,
      { ...gone, status: 'rejected', digest: takenBackDigest(gone.digest) },
      gone,
    );
  }
  return report;
}

/** What was known of a collection's changes, of all its metrics. */
export async function changesOf(
  stores: Pick<Stores, 'changes'>,
  stack: CollectionStack,
): Promise<readonly ChangeRecord[]> {
  const known: ChangeRecord[] = [];
  for (const { collection } of stack)
    known.push(...(await stores.changes.ofCollection(collection.id, MODEL_VERSION)));
  return known;
}

/** Where each scene of a collection came from, by collection and key. */
export type SceneSources = ReadonlyMap<string, Scene>;

/** Where the scenes of all metrics of a collection came from. */
export async function sourcesOf(
  stores: Pick<Stores, 'collections'>,
  stack: CollectionStack,
): Promise<SceneSources> {
  const sources = new Map<string, Scene>();
  for (const { collection } of stack) {
    for (const scene of await stores.collections.scenes(collection.id))
      sources.set(nameOf(collection.id, scene.key), scene);
  }
  return sources;
}

function nameOf(collectionId: string, key: string): string {
  return `${collectionId} ${key}`;
}

async function put(
  stores: Stores,
  collection: Collection,
  change: NewChange,
  before: ChangeRecord | undefined,
): Promise<void> {
  if (before === undefined) await stores.changes.insert(change);
  else await stores.changes.update(change);
  const candidates = await stores.aois.overlapping(
    collection.environment,
    collection.accountId,
    change.bounds,
  );
  const touched = await intersecting(
    change.geometry,
    candidates.map((aoi) => aoi.geometry),
  );
  const aois = candidates.filter((_, i) => touched[i]);
  await stores.changes.link(change, aois);
  const type = eventOf(change, before);
  if (type === undefined) return;
  for (const [accountId, theirs] of Map.groupBy(aois, (aoi) => aoi.accountId))
    await stores.events.emit(
      { accountId, environment: collection.environment },
      type,
      eventData(change, theirs, before),
    );
}

/** Which event tells of what became of a change; undefined for what nobody needs to hear. */
function eventOf(
  change: NewChange,
  before: ChangeRecord | undefined,
): 'change.detected' | 'change.updated' | undefined {
  const told = before !== undefined && before.confirmedAt !== null;
  if (!told)
    return change.confirmedAt !== null && change.status !== 'rejected' ? 'change.detected' : undefined;
  const same =
    before.status === change.status &&
    before.type === change.type &&
    before.areaM2 === change.areaM2 &&
    Math.abs(before.confidence - change.confidence) < 0.01;
  return same ? undefined : 'change.updated';
}

function eventData(
  change: NewChange,
  aois: readonly Aoi[],
  before: ChangeRecord | undefined,
): Readonly<Record<string, unknown>> {
  const now = new Date();
  const listed = {
    ...change,
    geometry: simplifyArea(change.geometry, EVENT_VERTICES),
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
  return {
    ...presentChange(
      listed,
      aois.map((aoi) => aoi.id),
    ),
    url: `/v1/changes/${change.id}`,
  };
}

/** A change as it is recorded, with the provenance that it can be recomputed from. */
export function changeOf(
  { softwareVersion }: Pick<MonitorRun, 'softwareVersion'>,
  object: ClaimedChange,
  objectKey: string,
  id: string,
  sources: SceneSources,
): NewChange {
  const { collection, metrics } = object;
  const geometry = outlineArea(polygonisePixels(object.pixels, collection.grid.width), collection.grid);
  const result: ChangeResult = {
    type: object.type,
    status: object.status,
    confidence: rounded(object.confidence),
    metric: object.metric,
    magnitude: rounded(object.magnitude),
    areaM2: Math.round(geodesicAreaM2(geometry) * 100) / 100,
    geometry,
    firstAnomalyAt: formatDay(object.firstAnomalyMs),
    detectedAt: formatDay(object.detectedMs),
    confirmedAt: object.confirmedMs === null ? null : formatDay(object.confirmedMs),
    recoveredAt: object.recoveredMs === null ? null : formatDay(object.recoveredMs),
  };
  const provenance: Omit<Provenance, 'digest'> = {
    collection: { id: collection.id, name: collection.name, metric: collection.metric },
    ...(collection.simulated && { simulated: true as const }),
    scenes: object.scenes.map(({ collection: of, scene, role }) => ({
      id: scene.key,
      href: sources.get(nameOf(of.id, scene.key))?.href ?? '',
      datetime: formatTimestamp(scene.timeMs),
      role,
      sha256: scene.sha256,
      ...otherMetric(of.metric, metrics),
    })),
    baseline: baselineOf(object),
    evidence: object.evidence.path.map((step) => stepOf(step, metrics)),
    ...movesOf(object),
    pixels: { seed: object.seed.pixel, runs: runsOf(object.pixels) },
    grid: {
      crs: collection.grid.crs,
      width: collection.grid.width,
      height: collection.grid.height,
      transform: collection.grid.transform,
    },
    method: METHOD,
    parameters: PARAMETERS,
    model_version: MODEL_VERSION,
    software_version: softwareVersion,
  };
  const digest = changeDigest(result, provenance);
  return {
    ...result,
    id,
    environment: collection.environment,
    collectionId: collection.id,
    modelVersion: MODEL_VERSION,
    objectKey,
    bounds: bboxOf(geometry),
    digest,
    provenance: { ...provenance, digest },
  };
}

/** Six significant digits: what a probability or a departure can mean, and the same text on every machine. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

/** Names a metric where it is not the one that leads. */
function otherMetric(metric: string, metrics: readonly string[]): { readonly metric?: string } {
  return metric === metrics[0] ? {} : { metric };
}

/** How each metric moved: what the type was told by. */
function movesOf({ moves, metrics }: ClaimedChange): Pick<Provenance, 'moves'> {
  if (metrics.length === 1) return {};
  return {
    moves: Object.entries(moves).map(([metric, { residual, value }]) => ({
      metric,
      residual: rounded(residual),
      value: rounded(value),
    })),
  };
}

function baselineOf({ evidence: { baseline }, metrics }: ClaimedChange): Provenance['baseline'] {
  return {
    ...otherMetric(metrics[baseline.metric]!, metrics),
    kind: baseline.kind,
    from: formatTimestamp(baseline.fromMs),
    to: formatTimestamp(baseline.toMs),
    observations: baseline.observations,
    coefficients: baseline.coefficients.map(rounded),
    scale: rounded(baseline.scale),
    lag_one_autocorrelation: rounded(baseline.rho),
  };
}

function stepOf(
  step: FoundChange['evidence']['path'][number],
  metrics: readonly string[],
): Provenance['evidence'][number] {
  return {
    t: formatTimestamp(step.timeMs),
    ...otherMetric(metrics[step.metric]!, metrics),
    value: rounded(step.value),
    expected: rounded(step.expected),
    residual: rounded(step.residual),
    ewma: rounded(step.ewma),
    ewma_limit: rounded(step.ewmaLimit),
    run: step.run,
    posterior: rounded(step.posterior),
    state: step.state,
  };
}
