import { StructuralBreaks } from '../../../change/structural-breaks.ts';
import { NO_CHANGE, windowOf, type BacktestLabel } from './labels.ts';
import { beganWithin, LEAST_COVER, type LabelOutcome } from './label-outcome.ts';
import { accuracyReport, ANY_CHANGE, type ClassReport, type LagReport } from './accuracy-report.ts';
import type { CollectionMetric } from '../collection-stack.ts';
import type { Deps } from '../../deps.ts';
import { STRIP_PIXELS } from '../search/strip-size.ts';

/**
 * Result of a published method on the scenes and labels of the backtest. The method does not distinguish types of
 * change: every break counts as a change.
 */
export interface ReferenceReport {
  readonly name: string;
  /** Time at which the method starts to monitor [ms since the Unix epoch]. Earlier observations are its history. */
  readonly fromMs: number;
  /** The only metric that the method uses: the first metric of the collection that has scenes. */
  readonly metric: string;
  readonly anyChange: ClassReport;
  readonly lag: LagReport;
}

const NAME = 'BFAST Monitor (OLS-MOSUM, one harmonic)';

/** A label, and the pixels of its place (at least one pixel). */
interface JudgedPlace {
  readonly label: BacktestLabel;
  readonly pixels: readonly number[];
}

/**
 * Evaluates BFAST Monitor, a published test for structural breaks, with the same labels and rules as our monitor. A
 * place counts as changed when the test found a break within the window of the label in at least half of the pixels
 * of the place.
 * @param labels all labels, including those outside the grid: the mapped areas cover the time from the first start to
 * the last end of all label windows
 */
export async function backtestReference(
  deps: Pick<Deps, 'cube'>,
  { collection, scenes }: CollectionMetric,
  places: readonly JudgedPlace[],
  labels: readonly BacktestLabel[],
  { fromMs, graceMs }: { readonly fromMs: number; readonly graceMs: number },
): Promise<ReferenceReport> {
  const { grid, pixelAreaM2, metric } = collection;
  const pixels = grid.width * grid.height;
  const crossings = new Float64Array(pixels);
  const breaks = new StructuralBreaks(
    scenes.map(({ timeMs }) => timeMs),
    fromMs,
    Math.min(pixels, STRIP_PIXELS),
  );
  for (let from = 0; from < pixels; from += STRIP_PIXELS) {
    const { values } = await deps.cube.readStrip(collection.id, from, Math.min(pixels, from + STRIP_PIXELS));
    crossings.set(breaks.of(values), from);
  }
  const isIn = (pixel: number, window: Pick<BacktestLabel, 'fromMs' | 'toMs'>): boolean =>
    !Number.isNaN(crossings[pixel]!) && beganWithin({ firstAnomalyMs: crossings[pixel]! }, window, graceMs);
  const outcomes = places.map(({ label, pixels: of }): LabelOutcome => {
    const crossed = of.filter((pixel) => isIn(pixel, label)).map((pixel) => crossings[pixel]!);
    // Time at which the change counts as detected: breaks have then been found in half of the pixels of the place.
    const at = crossed.toSorted((a, b) => a - b)[Math.ceil(LEAST_COVER * of.length) - 1];
    const isBreak = at !== undefined;
    return {
      label,
      mapped: isBreak ? ANY_CHANGE : NO_CHANGE,
      probability: isBreak ? 1 : 0,
      lagMs: isBreak && label.label !== NO_CHANGE && label.fromMs !== null ? at - label.fromMs : null,
    };
  });
  const window = windowOf(labels);
  let changed = 0;
  for (let pixel = 0; pixel < pixels; pixel++) if (isIn(pixel, window)) changed += 1;
  const areas = new Map([
    [ANY_CHANGE, changed * pixelAreaM2],
    [NO_CHANGE, (pixels - changed) * pixelAreaM2],
  ]);
  const { classes, lag } = accuracyReport(outcomes, areas);
  return { name: NAME, fromMs, metric, anyChange: classes[0]!, lag };
}
