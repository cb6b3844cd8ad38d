import { mapGrid } from '../../../geo/grid.ts';
import { metricTraits } from '../../../change/metric.ts';
import { MODEL_VERSION } from '../../../change/parameters.ts';
import { pixelsOf } from '../../series/area-series.ts';
import { NO_CHANGE, windowOf, type BacktestLabel, type LabelsReader } from './labels.ts';
import {
  beganWithin,
  ChangeMap,
  labelOutcome,
  type LabelOutcome,
  type ReplayedChange,
} from './label-outcome.ts';
import { observedPixels } from './observed-pixels.ts';
import { backtestReferences, type ReferenceReports } from './reference-method.ts';
import { accuracyReport, type AccuracyReport } from './accuracy-report.ts';
import type { Deps } from '../../deps.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { readCollectionStack, type CollectionStack } from '../collection-stack.ts';
import { searchCollection } from '../search-collection.ts';
import type { Environment } from '../../owner.ts';
import type { Collection } from '../../series/collection-store.ts';
import { DAY_MS } from '../../../base/time.ts';

/** Collection and labels of a backtest, as given on the command line. */
export interface BacktestRequest {
  readonly collection: string;
  readonly environment: Environment;
  /** Account that owns the collection; null if every account may read the collection. */
  readonly accountId: string | null;
  /** Metric to search; undefined: all metrics of the collection together. */
  readonly metric: string | undefined;
  readonly labelsPath: string;
  /** Maximum time before or after the window of a label at which a matching change may begin [days]. */
  readonly graceDays: number;
  /** Start of scoring: changes confirmed before it are ignored [ms since the Unix epoch]; null: the first scene. */
  readonly fromMs: number | null;
}

/** Result of a backtest. */
export interface BacktestReport extends AccuracyReport {
  readonly collection: Collection;
  readonly scenes: number;
  /** Number of labels that were evaluated. */
  readonly labels: number;
  /** Ids of the labels outside the grid. */
  readonly outside: readonly string[];
  readonly graceDays: number;
  readonly modelVersion: string;
  readonly fromMs: number | null;
  readonly outcomes: readonly LabelOutcome[];
  /** Time of the last scene [ms since the Unix epoch]: the end of the record. Null if there are no scenes. */
  readonly endMs: number | null;
  /**
   * Results of published methods on the same scenes and labels. Null if there are no scenes, or if the start of their
   * monitoring is unknown because neither the scoring nor any label window has a start.
   */
  readonly references: ReferenceReports | null;
}

/**
 * Runs the monitor over a collection as if its scenes arrived one by one, and compares the changes with labelled
 * places. The monitor never uses later scenes, so the detection dates are those of live monitoring. Writes
 * nothing.
 * @throws InvalidInput when there is no such collection, when the labels cannot be used, or when no label lies on
 * the grid of the collection
 */
export async function backtestCollection(
  deps: Pick<Deps, 'storage' | 'cube'> & { readonly labels: LabelsReader },
  request: BacktestRequest,
  progress: (done: number, total: number) => void,
): Promise<BacktestReport> {
  const labels = await deps.labels.readLabels(request.labelsPath);
  const stack = await findStack(deps, request);
  const { collection } = stack[0];
  const places: { readonly label: BacktestLabel; readonly pixels: readonly number[] }[] = [];
  for (const label of labels) places.push({ label, pixels: await pixelsAt(collection, label) });
  const judged = places.filter(({ pixels }) => pixels.length > 0);
  if (judged.length === 0)
    throw new InvalidInput(
      `${request.labelsPath}: none of its ${labels.length} labels lies on the grid of ${collection.name}`,
      { param: 'labels' },
    );
  const found = await searchCollection(deps, stack, progress);
  if (found === undefined)
    throw new Error(`${collection.name}: scenes came while it was replayed; run the backtest again`);
  const { fromMs } = request;
  const changes = found.filter(
    ({ confirmedMs }) => fromMs === null || confirmedMs === null || confirmedMs >= fromMs,
  );
  const graceMs = request.graceDays * DAY_MS;
  const peerFromMs = fromMs ?? firstStart(labels);
  const seen = stack.find(({ scenes }) => scenes.length > 0);
  const mappedPixels = await observedPixels(deps, stack);
  const references =
    peerFromMs === null || seen === undefined
      ? null
      : await backtestReferences(deps, seen, judged, labels, { fromMs: peerFromMs, graceMs, mappedPixels });
  const map = new ChangeMap(changes);
  const outcomes = judged.map(({ label, pixels }) => labelOutcome(label, pixels, map, graceMs));
  const ends = stack.flatMap(({ scenes }) => scenes.at(-1)?.timeMs ?? []);
  const areas = mappedAreas(collection, mappedPixels, changes, labels, graceMs);
  return {
    ...accuracyReport(outcomes, areas),
    collection,
    scenes: stack.reduce((most, { scenes }) => Math.max(most, scenes.length), 0),
    labels: judged.length,
    outside: places.filter(({ pixels }) => pixels.length === 0).map(({ label }) => label.id),
    graceDays: request.graceDays,
    modelVersion: MODEL_VERSION,
    fromMs,
    outcomes,
    endMs: ends.length === 0 ? null : Math.max(...ends),
    references,
  };
}

async function findStack(
  deps: Pick<Deps, 'storage' | 'cube'>,
  request: BacktestRequest,
): Promise<CollectionStack> {
  const { environment, accountId, collection: name, metric } = request;
  const members = await deps.storage.collections.byName(environment, accountId, name);
  if (members.length === 0)
    throw new InvalidInput(`There is no collection ${name} in ${environment}`, { param: 'collection' });
  const stack = await readCollectionStack(deps, { environment, accountId, name });
  const [first, ...others] = stack.filter(
    ({ collection }) => metric === undefined || collection.metric === metric,
  );
  if (first === undefined) {
    const known = members.map((member) => member.metric).join(', ');
    throw new InvalidInput(`--metric: expected one of ${known}, got ${metric}`, { param: 'metric' });
  }
  if ([first, ...others].every(({ collection }) => metricTraits(collection.metric) === null))
    throw new InvalidInput(`${name}: no change is looked for in ${first.collection.metric}`, {
      param: 'metric',
    });
  return [first, ...others];
}

/** Earliest start of a label window [ms since the Unix epoch]; null when no window has a start. */
function firstStart(labels: readonly BacktestLabel[]): number | null {
  const starts = labels.flatMap(({ fromMs }) => (fromMs === null ? [] : [fromMs]));
  return starts.length === 0 ? null : starts.reduce((first, start) => Math.min(first, start));
}

/** Pixels of a labelled place; none when it lies outside the grid. */
async function pixelsAt(collection: Collection, { place }: BacktestLabel): Promise<readonly number[]> {
  if (place.kind === 'area') return await pixelsOf(collection, place);
  const pixel = mapGrid(collection.grid).pixelAt(place.position);
  return pixel === null ? [] : [pixel];
}

/**
 * For each type, the area of the changes that stand at the end of the record and began within the time that the labels
 * cover; for `none`, the area without such a change [m2].
 * @param mappedPixels number of pixels that were observed
 */
function mappedAreas(
  { pixelAreaM2 }: Collection,
  mappedPixels: number,
  changes: readonly ReplayedChange[],
  labels: readonly BacktestLabel[],
  graceMs: number,
): ReadonlyMap<string, number> {
  const span = windowOf(labels);
  const typeOf = new Map<number, string>();
  const claims = changes.filter(
    (change) => change.status === 'confirmed' && beganWithin(change, span, graceMs),
  );
  // The earliest change of a pixel gives its type. It comes last in the descending order and overwrites later changes.
  for (const { type, pixels } of claims.toSorted((a, b) => b.firstAnomalyMs - a.firstAnomalyMs))
    for (const pixel of pixels) typeOf.set(pixel, type);
  const areas = new Map([[NO_CHANGE, (mappedPixels - typeOf.size) * pixelAreaM2]]);
  for (const { type } of claims) areas.set(type, 0);
  for (const type of typeOf.values()) areas.set(type, areas.get(type)! + pixelAreaM2);
  return areas;
}
