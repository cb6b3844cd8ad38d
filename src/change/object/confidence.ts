import { calibratedConfidence } from './calibration.ts';
import { claimConfidence, type ClaimFeatures } from './claim-model.ts';
import { metricTraits, type ChangeType, type MetricTraits } from '../metric.ts';
import type { PixelEvent } from '../pixel/pixel-events.ts';
import { PARAMETERS } from '../parameters.ts';

/** What the confidence of a change depends on. */
export interface ConfidenceBasis {
  readonly type: ChangeType;
  readonly pixels: Uint32Array;
  readonly seed: Pick<PixelEvent, 'harmonic' | 'lastedMs'>;
  readonly confirmedMs: number | null;
  readonly score: number;
  readonly metric: string;
  readonly magnitude: number;
}

/**
 * Mean score of the pixels of a change, in [0, 1]; see `ChangeObject.score`. The posterior of an alert is a frequency
 * on labelled pixels already.
 */
export function scoreOf({ phenomenon }: MetricTraits, events: readonly PixelEvent[]): number {
  const score = phenomenon === 'alert' ? ({ posterior }: PixelEvent) => posterior : trustOf;
  return events.reduce((sum, event) => sum + score(event), 0) / events.length;
}

/**
 * Returns the score of a pixel: its posterior, reduced if the baseline is not seasonal and if the departure is not
 * confirmed. It is also lower for shorter departures, because most temporary departures end within a season or two.
 */
function trustOf({ posterior, harmonic, confirmed, lastedMs }: PixelEvent): number {
  const history = harmonic ? 1 : PARAMETERS.shortHistoryConfidence;
  const standing = confirmed >= 0 ? 1 : PARAMETERS.suspectedConfidence;
  return (posterior * history * standing * lastedMs) / (lastedMs + PARAMETERS.confirmAfterMs.harmonic);
}

/** Returns what the confidence of a change of greenness depends on. */
export function claimFeatures(object: Omit<ConfidenceBasis, 'score'>): ClaimFeatures {
  const { type, pixels, confirmedMs, magnitude, metric, seed } = object;
  return {
    type,
    isConfirmed: confirmedMs !== null,
    pixels: pixels.length,
    floors: Math.abs(magnitude) / metricTraits(metric)!.noiseFloor,
    lastedMs: seed.lastedMs,
  };
}

/** Probability by the model alone that a change is real and lasting. */
export function modelConfidence({ phenomenon }: MetricTraits, object: ConfidenceBasis): number {
  if (phenomenon === 'alert') return object.score;
  if (phenomenon !== 'greenness') return calibratedConfidence(object.type, object.score);
  return Math.min(mostConfidence(phenomenon, object), claimConfidence(claimFeatures(object)));
}

/**
 * Maximum confidence of a change. A suspicion of a change of greenness without a full year of history is not stated
 * above the share of such suspicions that come true.
 */
export function mostConfidence(
  phenomenon: MetricTraits['phenomenon'],
  { seed, confirmedMs }: Pick<ConfidenceBasis, 'seed' | 'confirmedMs'>,
): number {
  if (phenomenon !== 'greenness' || seed.harmonic) return 1;
  const { suspected, confirmed } = PARAMETERS.shortConfidence;
  return confirmedMs === null ? suspected : confirmed;
}
