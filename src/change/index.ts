// groundwatch/change: the change monitor for arrays, and the published statistics of structural change.
export { detectChanges, type SeriesStack } from './detect-changes.ts';
export type { ChangeObject } from './object/objects.ts';
export { type ChangeType, metricTraits, type MetricTraits } from './metric.ts';
export { MODEL_VERSION, PARAMETERS } from './parameters.ts';

export { harmonicDesign } from './statistics/harmonic-design.ts';
export { harmonicFit, type HarmonicFit, type HarmonicTerms } from './statistics/harmonic-fit.ts';
export {
  OLS_CUSUM_CRITICAL,
  olsCusum,
  olsCusumBoundary,
  REC_CUSUM_CRITICAL,
  recCusum,
  recCusumBoundary,
} from './statistics/cusum.ts';
export { MOSUM_WINDOW, OLS_MOSUM_CRITICAL, olsMosum, olsMosumBoundary } from './statistics/mosum.ts';
export { ewma, ewmaLimit } from './statistics/ewma.ts';
export { recursiveResiduals } from './statistics/recursive-residuals.ts';
export { stableHistoryStart } from './statistics/stable-history.ts';
