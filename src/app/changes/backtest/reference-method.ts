import {
  StructuralBreaks,
  type Excursion,
  type ReferenceStatistic,
} from '../../../change/structural-breaks.ts';
import { NO_CHANGE, windowOf, type BacktestLabel } from './labels.ts';
import { beganWithin, LEAST_COVER, type LabelOutcome } from './label-outcome.ts';
import { accuracyReport, ANY_CHANGE, type AccuracyReport } from './accuracy-report.ts';
import type { CollectionMetric } from '../collection-stack.ts';
import type { Deps } from '../../deps.ts';
import { STRIP_PIXELS } from '../search/strip-size.ts';

/** A published method. It does not distinguish types of change: every excursion counts as a change. */
export interface ReferenceMethod {
  readonly key: ReferenceStatistic;
  /** Short name, for tables and plots. */
  readonly name: string;
  readonly definition: string;
}

/** The reference methods, in the order in which they are reported. */
export const REFERENCE_METHODS: readonly ReferenceMethod[] = [
  {
    key: 'mosum',
    name: 'BFAST Monitor',
    definition: 'OLS-MOSUM, h .25, alpha .05 (Verbesselt et al. 2012)',
  },
  { key: 'ewma', name: 'EWMA', definition: 'weight .3, limits of 3 standard deviations (Roberts 1959)' },
  { key: 'cusum', name: 'CuSum', definition: 'OLS-CUSUM, alpha .05 (Chu et al. 1996)' },
];

/** Result of one published method on the scenes and labels of the backtest. */
export interface ReferenceReport extends AccuracyReport {
  readonly method: ReferenceMethod;
}

/** Results of all reference methods. */
export interface ReferenceReports {
  /** Time at which the methods start to monitor [ms since the Unix epoch]. Earlier observations are their history. */
  readonly fromMs: number;
  /** Number of scenes in the history, and time from the first scene to the start of monitoring [ms]. */
  readonly historyScenes: number;
  readonly historyMs: number;
  /** The only metric that the methods use: the first metric of the collection that has scenes. */
  readonly metric: string;
  readonly reports: readonly ReferenceReport[];
}

interface ReferenceTask {
  /** Start of monitoring [ms since the Unix epoch]. */
  readonly fromMs: number;
  /** Maximum time between the window of a label and a matching crossing [ms]. */
  readonly graceMs: number;
  /** Number of pixels that were observed. */
  readonly mappedPixels: number;
}

/** A label, and the pixels of its place (at least one pixel). */
interface JudgedPlace {
  readonly label: BacktestLabel;
  readonly pixels: readonly number[];
}

/**
 * Evaluates published methods with the same labels and rules as our monitor. A pixel is changed when the statistic
 * went over its boundary within the window of the label and is over it at the last observation. A place is changed
 * when at least half of its pixels are. A method states a probability of 1 for a change that stands, otherwise of 0.
 * @param labels all labels, including those outside the grid: the mapped areas cover the time from the first start to
 * the last end of all label windows
 */
export async function backtestReferences(
  deps: Pick<Deps, 'cube'>,
  { collection, scenes }: CollectionMetric,
  places: readonly JudgedPlace[],
  labels: readonly BacktestLabel[],
  { fromMs, graceMs, mappedPixels }: ReferenceTask,
): Promise<ReferenceReports> {
  const { grid, pixelAreaM2, metric } = collection;
  const pixels = grid.width * grid.height;
  const window = windowOf(labels);
  const labelled = new Set(places.flatMap((place) => place.pixels));
  const runs = REFERENCE_METHODS.map((method) => ({
    method,
    changed: 0,
    at: new Map<number, readonly Excursion[]>(), // excursions of the labelled pixels
  }));
  const breaks = new StructuralBreaks(
    scenes.map(({ timeMs }) => timeMs),
    fromMs,
    Math.min(pixels, STRIP_PIXELS),
  );
  for (let from = 0; from < pixels; from += STRIP_PIXELS) {
    const { values } = await deps.cube.readStrip(collection.id, from, Math.min(pixels, from + STRIP_PIXELS));
    const excursions = breaks.excursions(values);
    for (const run of runs)
      for (const [p, pixel] of excursions[run.method.key].entries()) {
        if (stands(pixel) && crossing(pixel, window, graceMs) !== undefined) run.changed += 1;
        if (labelled.has(from + p)) run.at.set(from + p, pixel);
      }
  }
  const reports = runs.map(({ method, changed, at }): ReferenceReport => {
    const areas = new Map([
      [ANY_CHANGE, changed * pixelAreaM2],
      [NO_CHANGE, (mappedPixels - changed) * pixelAreaM2],
    ]);
    const outcomes = places.map(({ label, pixels: of }) =>
      excursionOutcome(
        label,
        of.map((pixel) => at.get(pixel)!),
        graceMs,
      ),
    );
    return { method, ...accuracyReport(outcomes, areas) };
  });
  const historyScenes = scenes.filter(({ timeMs }) => timeMs < fromMs).length;
  return {
    fromMs,
    historyScenes,
    historyMs: historyScenes === 0 ? 0 : fromMs - scenes[0]!.timeMs,
    metric,
    reports,
  };
}

/** Whether the statistic of a pixel is over its boundary at the last observation. */
function stands(pixel: readonly Excursion[]): boolean {
  return pixel.at(-1)?.endMs === null;
}

/**
 * Time at which a pixel counts as changed [ms since the Unix epoch]: the start of its first excursion that began
 * within the window and the grace period. An excursion that ended before the window is a false alarm, and is skipped.
 */
function crossing(
  pixel: readonly Excursion[],
  window: Pick<BacktestLabel, 'fromMs' | 'toMs'>,
  graceMs: number,
): number | undefined {
  return pixel.find(
    ({ startMs, endMs }) =>
      beganWithin({ firstAnomalyMs: startMs }, window, graceMs) &&
      (endMs === null || window.fromMs === null || endMs > window.fromMs),
  )?.startMs;
}

/**
 * Compares a label with the excursions of a statistic at its place.
 * @param pixels excursions of each pixel of the place, at least one pixel
 */
export function excursionOutcome(
  label: BacktestLabel,
  pixels: readonly (readonly Excursion[])[],
  graceMs: number,
): LabelOutcome {
  // The place is changed from the time at which half of its pixels have crossed.
  const changedMs = (among: typeof pixels): number | undefined =>
    among.flatMap((pixel) => crossing(pixel, label, graceMs) ?? []).toSorted((a, b) => a - b)[
      Math.ceil(LEAST_COVER * pixels.length) - 1
    ];
  const standing = pixels.filter(stands);
  const standingMs = changedMs(standing);
  const claimedMs = changedMs(pixels);
  const startMs = label.label === NO_CHANGE ? null : label.fromMs;
  return {
    label,
    mapped: standingMs === undefined ? NO_CHANGE : ANY_CHANGE,
    probability: standingMs === undefined ? 0 : 1,
    lagMs: standingMs === undefined || startMs === null ? null : standingMs - startMs,
    firstAnomalyLagMs: null,
    withdrawn:
      standingMs !== undefined || claimedMs === undefined
        ? null
        : { detectedMs: claimedMs, recoveredMs: null },
    isOutsideWindow: standingMs === undefined && standing.length >= LEAST_COVER * pixels.length,
  };
}
