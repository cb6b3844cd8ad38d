import type { BaselineKind } from '../pixel/judge-baseline.ts';
import type { ChangeObject } from './objects.ts';
import { probability } from '../pixel/evidence.ts';
import type { FollowedMetric } from '../pixel/metric-track.ts';
import { PixelMonitor } from '../pixel/pixel-monitor.ts';
import type { LikeStep, Step } from '../pixel/pixel-monitor.ts';
import { sideOf } from '../pixel/running-statistics.ts';
import type { PixelState } from '../pixel/departure-monitor.ts';
import type { PixelEvent } from '../pixel/pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';

/** Baseline of the seed pixel at the beginning of its departure. */
export interface BaselineEvidence {
  /** Index of the baseline's metric among the followed metrics. */
  readonly metric: number;
  /** `provider`: the provider of an alert product has compared the values with its own baseline. */
  readonly kind: BaselineKind | 'provider';
  /** Times of the first and the last scene of the history [ms since the Unix epoch]. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Number of observations that the expected values are computed from. */
  readonly observations: number;
  /**
   * If `kind` is `harmonic`: intercept, slope [metric unit per year since the stack's first scene], then cosine and
   * sine of each harmonic, with the phase in Julian years from the Unix epoch; 0 for a column that is not fitted. If
   * `kind` is `neighbourhood`: only the pixel's median difference from the median of its class. If `kind` is
   * `provider`: empty.
   */
  readonly coefficients: readonly number[];
  /** Standard deviation of a departure in a typical scene [metric unit]; 0 if `kind` is `provider`. */
  readonly scale: number;
  /** Lag-one autocorrelation of the departures; 0 if `kind` is `provider`. */
  readonly rho: number;
}

/** State of the seed pixel after one observation. */
export interface EvidenceStep {
  readonly timeMs: number;
  /** Index of the metric of `value` and `expected` among the followed metrics. */
  readonly metric: number;
  readonly value: number;
  /** Expected value: the baseline, corrected for the departure of the neighbourhood. */
  readonly expected: number;
  /** Observed - expected. */
  readonly residual: number;
  /** EWMA and its control limit [standard deviations]. */
  readonly ewma: number;
  readonly ewmaLimit: number;
  /** Number of consecutive outliers, negative for a fall. */
  readonly run: number;
  readonly posterior: number;
  /** What the like pixels show; absent if the pixel was not compared with any. */
  readonly like?: LikeEvidence;
  /** State after the scene; `confirmed` also if the pixel and its neighbours confirmed each other. */
  readonly state: PixelState;
}

/** What the like pixels of the seed pixel show at one observation. */
export interface LikeEvidence {
  /** Value that they lead one to expect, or that of the pixel's own fit where it is nearer [metric unit]. */
  readonly expected: number;
  /** Joint residual of all metrics, and its CUSUM in the direction of the change [standard deviations]. */
  readonly z: number;
  readonly cusum: number;
  /** Whether the change is claimed because of them. */
  readonly isClaim: boolean;
}

/** A scene in which a pixel of the object was observed. */
export interface UsedScene {
  /** Index of the scene in the stack's times. */
  readonly scene: number;
  readonly role: 'baseline' | 'monitoring';
}

/**
 * Evidence of an object: the baseline of the seed pixel, the steps of this pixel from the first anomaly to the end of
 * the departure, and the scenes in which the object was observed until then.
 */
export interface ObjectEvidence {
  readonly baseline: BaselineEvidence;
  readonly path: readonly EvidenceStep[];
  readonly scenes: readonly UsedScene[];
}

/** Sets `observed` to 1 at the scenes where a series has an observation. */
export function noteObserved(observed: Uint8Array, series: Float32Array | Float64Array): void {
  for (let t = 0; t < observed.length; t++) if (Number.isFinite(series[t]!)) observed[t] = 1;
}

/**
 * Follows the seed pixel once more and records the evidence of the object.
 * @param metrics the same as when the object was found
 * @param seedSeries the seed pixel's series, by metric
 * @param observed 1 where any pixel of the object was observed; see `noteObserved`
 * @throws RangeError when the series or the context differs from that in which the object was found
 */
export function objectEvidence(
  spec: StackSpec,
  metrics: readonly FollowedMetric[],
  object: ChangeObject,
  seedSeries: readonly (Float32Array | Float64Array)[],
  observed: Uint8Array,
): ObjectEvidence {
  const { seed } = object;
  let baseline: BaselineEvidence | null = null;
  const path: EvidenceStep[] = [];
  // A change that went on after normal observations is followed to its end.
  const untilMs = spec.timesMs[seed.firstAnomaly]! + seed.lastedMs;
  let history = 0;
  let ended = false;
  let found = false;
  const record = (step: Step): void => {
    if (baseline === null && step.scene >= seed.firstAnomaly) {
      baseline = snapshot(spec, step);
      ({ history } = step);
    }
    if (baseline === null || ended) return;
    ended = step.history !== history;
    if (ended) return;
    const timeMs = spec.timesMs[step.scene]!;
    // A note ends in its latest scene, or in the one in which it is over. What is watched after it is not part of it.
    const isNoted = seed.early && step.scene !== seed.recovered;
    ended = isNoted && timeMs > untilMs && step.state === 'watching';
    if (ended) return;
    const isWithin = timeMs < untilMs || (isNoted && timeMs === untilMs);
    path.push({
      timeMs,
      metric: step.metric,
      value: step.value,
      expected: step.expected,
      residual: step.value - step.expected,
      ewma: step.ewma,
      ewmaLimit: step.ewmaLimit,
      run: step.run,
      posterior: probability(seed.direction < 0 ? step.fallOdds : step.riseOdds),
      ...(step.like !== null && { like: likeOf(step.like, seed.direction) }),
      state: stateIn(seed, step, isWithin),
    });
    ended = step.scene >= seed.flagged && step.state === 'watching' && timeMs >= untilMs;
  };
  new PixelMonitor(spec, metrics).follow(
    seed.pixel,
    seedSeries,
    0,
    (event) => {
      found ||= event.firstAnomaly === seed.firstAnomaly && event.flagged === seed.flagged;
    },
    record,
  );
  if (baseline === null || !found) throw new RangeError('the series does not lead to this object');
  const lastMs = path.at(-1)!.timeMs;
  const scenes: UsedScene[] = [];
  for (let t = 0; t < observed.length && spec.timesMs[t]! <= lastMs; t++) {
    if (observed[t] === 1)
      scenes.push({
        scene: t,
        role: t < seed.firstAnomaly ? 'baseline' : 'monitoring',
      });
  }
  return { baseline, path, scenes };
}

/** State of the seed pixel, which is confirmed from the scene on in which its neighbours and it confirmed each other. */
function stateIn({ confirmed }: PixelEvent, { scene, state }: Step, isWithin: boolean): PixelState {
  const isOpen = state === 'suspected' || isWithin;
  return isOpen && confirmed !== NONE && scene >= confirmed ? 'confirmed' : state;
}

function likeOf({ cusum, ...like }: LikeStep, direction: -1 | 1): LikeEvidence {
  return { ...like, cusum: cusum[sideOf(direction)] };
}

function snapshot(spec: StackSpec, step: Step): BaselineEvidence {
  const { baseline } = step;
  return {
    metric: step.metric,
    kind: baseline.kind,
    fromMs: spec.timesMs[baseline.firstScene]!,
    toMs: spec.timesMs[baseline.history.lastScene]!,
    observations: baseline.observations,
    coefficients:
      baseline.kind === 'harmonic' ? [...baseline.seasonal.fit.coefficients] : [baseline.byClass.difference],
    scale: baseline.scale,
    rho: baseline.rho,
  };
}
