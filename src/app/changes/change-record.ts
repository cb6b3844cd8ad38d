import { formatDay, formatTimestamp } from '../../base/time.ts';
import type { Provenance } from '../../contract/changes.ts';
import { METHOD, PARAMETERS } from '../../change/parameters.ts';
import { geodesicAreaM2 } from '../../geo/area.ts';
import { bboxOf } from '../../geo/bbox.ts';
import { outlineArea } from '../../geo/pixel-outline.ts';
import { runsOf } from '../../raster/pixel-runs.ts';
import { polygonisePixels } from '../../raster/polygonise.ts';
import { changeDigest, type ChangeResult } from './change-digest.ts';
import type { StatedChange } from './change-store.ts';
import type { StatedBy } from './change-versions.ts';
import type { ClaimedChange } from './claimed-change.ts';
import type { CollectionStack } from './collection-stack.ts';
import type { FoundChange } from './search/found-change.ts';
import type { Scene } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';

/** Scenes recorded in the database, with their sources, by collection id and scene key. */
export type SceneSources = ReadonlyMap<string, Scene>;

/** Reads the recorded scenes of all metrics of a collection. */
export async function sceneSources(
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

/** Builds the record of a change, with the provenance from which it can be recomputed. */
export function toChangeRecord(
  { modelVersion, softwareVersion }: StatedBy,
  object: ClaimedChange,
  objectKey: string,
  id: string,
  sources: SceneSources,
): StatedChange {
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
    model_version: modelVersion,
    software_version: softwareVersion,
  };
  const digest = changeDigest(result, provenance);
  return {
    ...result,
    id,
    environment: collection.environment,
    collectionId: collection.id,
    modelVersion,
    objectKey,
    bounds: bboxOf(geometry),
    digest,
    provenance: { ...provenance, digest },
  };
}

/**
 * Rounds to six significant digits. They are enough for a probability or a departure, and give the same text on every
 * machine.
 */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

/** Returns the `metric` property of a provenance entry; it is left out for the main metric. */
function otherMetric(metric: string, metrics: readonly string[]): { readonly metric?: string } {
  return metric === metrics[0] ? {} : { metric };
}

/** The movement of each metric, from which the type of the change was derived; left out if there is only one metric. */
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
