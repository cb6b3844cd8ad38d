import { StructuralBreaks } from '../../../change/structural-breaks.ts';
import { NO_CHANGE, windowOf, type BacktestLabel } from './labels.ts';
import { beganWithin, LEAST_COVER, type LabelOutcome } from './match.ts';
import { accuracyReport, ANY_CHANGE, type ClassReport, type LagReport } from './report.ts';
import type { CollectionMetric } from '../collection-stack.ts';
import type { Deps } from '../../deps.ts';
import { STRIP_PIXELS } from '../search/strip-grid.ts';

/** What a peer says of the same scenes and labels. It tells no types: any break is a change. */
export interface ReferenceReport {
  readonly name: string;
  /** When its monitoring begins: all that was observed before is its history [ms since the Unix epoch]. */
  readonly fromMs: number;
  /** Metric that it is given: the first, alone. */
  readonly metric: string;
  readonly anyChange: ClassReport;
  readonly lag: LagReport;
}

const NAME = 'BFAST Monitor (OLS-MOSUM, one harmonic)';

/** A label's place: its pixels, at least one. */
interface JudgedPlace {
  readonly label: BacktestLabel;
  readonly pixels: readonly number[];
}

/**
 * Holds the published test for structural breaks against the same labels as the monitor, by the same rules: a break counts
 * for a place when at least half of its pixels crossed the boundary in its window.
 * @param labels all of them, judged or not: their span is what the map is of
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
    // It is known of the place when it is known of half of it.
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
