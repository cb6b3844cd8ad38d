import { formatDay, formatTimestamp } from '../../base/time.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import type { Provenance } from '../../contract/changes.ts';
import type { SceneReading } from '../../contract/sources/scene-reading.ts';
import { QUALITY_ENCODINGS } from '../../raster/quality/encodings.ts';
import { ALERT_METHOD, ALERT_PARAMETERS } from '../../change/alert/alert-model.ts';
import { metricTraits } from '../../change/metric.ts';
import { METHOD, PARAMETERS } from '../../change/parameters.ts';
import { geodesicAreaM2 } from '../../geo/area.ts';
import { bboxOf } from '../../geo/bbox.ts';
import { outlineArea } from '../../geo/pixel-outline.ts';
import { runsOf } from '../../raster/pixel-runs.ts';
import { polygonisePixels } from '../../raster/polygonise.ts';
import { changeDigest, DIGEST_RECIPE, REJECTED_CONFIDENCE, type ChangeResult } from './change-digest.ts';
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

/** The recorded scene of a key; undefined while its ingest has not recorded it yet. */
export function sourceOf(sources: SceneSources, collectionId: string, key: string): Scene | undefined {
  return sources.get(nameOf(collectionId, key));
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
    confidence: object.status === 'rejected' ? REJECTED_CONFIDENCE : rounded(object.confidence),
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
    ...samplesOf(object, sources),
    baseline: baselineOf(object),
    evidence: object.evidence.path.map((step) => stepOf(step, metrics)),
    ...movesOf(object),
    ...experienceOf(object),
    pixels: { seed: object.seed.pixel, runs: runsOf(object.pixels) },
    grid: {
      crs: collection.grid.crs,
      width: collection.grid.width,
      height: collection.grid.height,
      transform: collection.grid.transform,
    },
    ...methodOf(collection.metric),
    model_version: modelVersion,
    software_version: softwareVersion,
    digest_recipe: DIGEST_RECIPE,
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

/** The scenes of a change, what their samples are, and how they were read. */
function samplesOf(
  { scenes, metrics }: ClaimedChange,
  sources: SceneSources,
): Pick<Provenance, 'scenes' | 'series' | 'mask_encodings'> {
  const series = [...Map.groupBy(scenes, ({ collection }) => collection.metric)].map(([metric, of]) => {
    const [{ collection, scene }] = of as [(typeof of)[0]];
    const first = sourceOf(sources, collection.id, scene.key);
    const { unit, sampleType, scale, offset } = collection;
    return { metric, unit, sample_type: sampleType, scale, offset, reading: first?.reading ?? null };
  });
  const usual = new Map(series.map(({ metric, reading }) => [metric, canonicalJson(reading)]));
  const readings = series.map(({ reading }) => reading);
  const told = scenes.map(({ collection, scene, role }) => {
    const source = sourceOf(sources, collection.id, scene.key);
    const reading = source?.reading ?? null;
    const isUsual = canonicalJson(reading) === usual.get(collection.metric);
    if (!isUsual) readings.push(reading);
    return {
      id: scene.key,
      href: source?.href ?? '',
      datetime: formatTimestamp(scene.timeMs),
      role,
      sha256: scene.sha256,
      ...otherMetric(collection.metric, metrics),
      ...(!isUsual && { reading }),
    };
  });
  return { scenes: told, series, mask_encodings: encodingsOf(readings) };
}

/** The encodings that these readings name, in the form of the API. */
function encodingsOf(readings: readonly (SceneReading | null)[]): NonNullable<Provenance['mask_encodings']> {
  const names = new Set(readings.map((reading) => reading?.mask?.encoding));
  return Object.fromEntries(
    Object.entries(QUALITY_ENCODINGS)
      .filter(([name]) => names.has(name))
      .map(([name, { bits, masked }]) => [name, { bits, masked: masked.map((each) => ({ ...each })) }]),
  );
}

/** Method and constants by which the changes of a metric are found. */
function methodOf(metric: string): Pick<Provenance, 'method' | 'parameters'> {
  return metricTraits(metric)?.phenomenon === 'alert'
    ? { method: ALERT_METHOD, parameters: { ...PARAMETERS, ...ALERT_PARAMETERS } }
    : { method: METHOD, parameters: PARAMETERS };
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

/** What came of older claims of the same kind; left out if it did not move the confidence. */
function experienceOf({
  modelConfidence,
  experience,
  status,
}: ClaimedChange): Pick<Provenance, 'experience'> {
  if (experience === null || status === 'rejected') return {};
  const { claims, stood, stated, shift, weight } = experience;
  return {
    experience: {
      model_confidence: rounded(modelConfidence),
      claims,
      stood,
      stated: rounded(stated),
      shift: rounded(shift),
      weight: rounded(weight),
    },
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
    ...(step.like !== undefined && { like_pixels: likePixelsOf(step.like) }),
    state: step.state,
  };
}

function likePixelsOf({
  expected,
  z,
  cusum,
  isClaim,
}: NonNullable<FoundChange['evidence']['path'][number]['like']>): Provenance['evidence'][number] {
  return { expected: rounded(expected), z: rounded(z), cusum: rounded(cusum), claims: isClaim };
}
