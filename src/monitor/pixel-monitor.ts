import { PixelBaseline } from './baseline.ts';
import { cellOf } from './context.ts';
import type { SceneContext } from './context.ts';
import * as evidence from './evidence.ts';
import type { MetricTraits } from './metric.ts';
import { PARAMETERS } from './parameters.ts';
import { PendingObservations } from './pending.ts';
import type { PixelEvent } from './pixel-events.ts';
import { sceneFrame } from './scene-frame.ts';
import type { StackSpec } from './stack.ts';
import { NONE, RunningStatistics, sideOf } from './statistics.ts';

/** Where a pixel stands: `watching` is below any flag. */
export type PixelState = 'watching' | 'suspected' | 'confirmed';

/** What one observation led to; handed to a recorder after each one used. */
export interface Step {
  readonly scene: number;
  readonly value: number;
  /** What was expected: the baseline plus the neighbourhood's departure from its own [metric unit]. */
  readonly expected: number;
  /** Standard deviation of the residual [metric unit], and the residual in it. */
  readonly scale: number;
  readonly z: number;
  readonly ewma: number;
  readonly ewmaLimit: number;
  /** Outliers in a row, negative for a fall, positive for a rise. */
  readonly run: number;
  /** Log-odds of a fall and of a rise. */
  readonly fallOdds: number;
  readonly riseOdds: number;
  /** State after the observation. */
  readonly state: PixelState;
  /** Counts histories of the pixel; another one has nothing to do with a departure from this one. */
  readonly history: number;
  /** Valid during the call only. */
  readonly baseline: PixelBaseline;
}

type Emit = (event: PixelEvent) => void;
type Recorder = (step: Step) => void;

/**
 * Follows one pixel after another through a stack, strictly in order of time: the state at a scene uses nothing later.
 * One instance is a workspace for all pixels of a thread.
 */
export class PixelMonitor {
  readonly #spec: StackSpec;
  readonly #traits: MetricTraits;
  readonly #context: SceneContext;
  readonly #baseline: PixelBaseline;
  readonly #pending: PendingObservations;
  readonly #statistics = new RunningStatistics();
  #pixel = 0;
  #emit: Emit = () => {};
  #state: PixelState = 'watching';
  #direction: -1 | 1 = -1;
  /** Position of the first anomaly in the pending observations. */
  #start = 0;
  /** Scene since which the departure has not been interrupted. */
  #since = NONE;
  #flagged = NONE;
  #confirmed = NONE;
  /** Scene of the latest observation. */
  #last = NONE;
  #histories = 0;
  #peakOdds = 0;
  /** Outliers since the first anomaly, in seasons that the history holds. */
  #outliers = 0;
  /** Observations in a row that were no outliers in the direction. */
  #calm = 0;
  #isHarmonic = false;

  constructor(spec: StackSpec, traits: MetricTraits, context: SceneContext) {
    this.#spec = spec;
    this.#traits = traits;
    this.#context = context;
    this.#baseline = new PixelBaseline(sceneFrame(spec, context.levels));
    this.#pending = new PendingObservations(spec.timesMs.length);
  }

  /**
   * Follows one pixel from its first scene to its last.
   * @param values holds the series from `offset` on, NaN where nothing was observed
   * @param emit takes each flagged departure as it ends, and the open one at the end
   * @param record takes each step, when given
   */
  follow(
    pixel: number,
    values: Float32Array | Float64Array,
    offset: number,
    emit: Emit,
    record?: Recorder,
  ): void {
    const times = this.#spec.timesMs.length;
    const first = cellOf(this.#context.lattice, this.#spec.width, pixel) * times;
    this.#pixel = pixel;
    this.#emit = emit;
    this.#last = NONE;
    this.#forget();
    for (let t = 0; t < times; t++) {
      const value = values[offset + t]!;
      if (Number.isFinite(value)) this.#observe(t, value, first + t, record);
    }
    if (this.#state !== 'watching') this.#end(this.#state, NONE, NONE);
  }

  #observe(scene: number, value: number, slot: number, record: Recorder | undefined): void {
    const { shift: shifts, spread, typical } = this.#context;
    const usual = typical[slot]!;
    const hasNeighbours = !Number.isNaN(shifts[slot]!);
    const ratio = hasNeighbours ? Math.max(1, spread[slot]! / usual) : 1;
    if (ratio > PARAMETERS.maxSpreadRatio) return;
    this.#bridgeGap(scene);
    const baseline = this.#baseline;
    if (!baseline.predict(scene) || (!hasNeighbours && baseline.kind === 'neighbourhood')) {
      // Nothing to compare with: the observation can only build history, and not while a departure is open.
      if (this.#pending.count === 0) baseline.add(scene, value, Number.NaN);
      else this.#pending.add(scene, value, Number.NaN, Number.NaN);
      return;
    }
    // Alone, a pixel has only the scatter about its own fit to go by until departures from it have been seen.
    baseline.measure(scene, hasNeighbours ? usual : Math.max(usual, baseline.fit.sigma));
    const expected = baseline.expected + (hasNeighbours ? shifts[slot]! : 0);
    const residual = value - expected;
    const scale = baseline.scale * ratio * Math.sqrt(1 + baseline.leverage);
    const z = evidence.standardised(residual, scale);
    const statistics = this.#statistics;
    const shift = PARAMETERS.shiftSigmas[baseline.kind];
    statistics.update(scene, z, baseline.rho, shift, baseline.supported, this.#state === 'watching');
    this.#pending.add(scene, value, residual / ratio, residual);
    const { ewma, run } = statistics;
    const limit = evidence.ewmaLimit(baseline.rho);
    const fallOdds = statistics.odds[0]!;
    const riseOdds = statistics.odds[1]!;
    if (this.#state === 'watching') this.#watch(scene);
    else this.#keepCount(scene);
    if (this.#state === 'suspected') this.#judge(scene, limit);
    else if (this.#state === 'confirmed') this.#awaitRecovery(scene);
    if (record === undefined) return;
    const state = this.#state;
    record({
      scene,
      value,
      expected,
      scale,
      z,
      ewma,
      ewmaLimit: limit,
      run,
      fallOdds,
      riseOdds,
      state,
      history: this.#histories,
      baseline,
    });
  }

  /** Starts afresh after a long gap: what the pixel was before it need not be what it was when the next scene came. */
  #bridgeGap(scene: number): void {
    const { timesMs } = this.#spec;
    if (this.#last !== NONE && timesMs[scene]! - timesMs[this.#last]! > PARAMETERS.maxGapMs) {
      if (this.#state === 'suspected') this.#end('rejected', NONE, scene);
      if (this.#state === 'confirmed') this.#end('confirmed', NONE, NONE);
      this.#forget();
    }
    this.#last = scene;
  }

  #watch(scene: number): void {
    if (this.#traits.fall !== null && this.#flags(-1)) this.#suspect(-1, scene);
    else if (this.#traits.rise !== null && this.#flags(1)) this.#suspect(1, scene);
    else if (this.#isCalm()) this.#pending.releaseTo(this.#baseline);
  }

  #flags(direction: -1 | 1): boolean {
    // Mowing, ploughing, drought and haze lower a green index, so a few observations may lie low; none lie high for long.
    if (direction > 0 && this.#traits.seasonal && this.#baseline.kind === 'neighbourhood') return false;
    const { odds, run } = this.#statistics;
    return odds[sideOf(direction)]! >= evidence.FLAG_LOG_ODDS && direction * run >= PARAMETERS.flagRun;
  }

  /** Whether nothing is held against the latest observations, so that they are history. */
  #isCalm(): boolean {
    const { odds, began } = this.#statistics;
    // A short history knows little of the pixel's own ups and downs: it learns from all that is not a departure.
    if (this.#baseline.kind === 'neighbourhood') return began[0] === NONE && began[1] === NONE;
    return Math.max(odds[0]!, odds[1]!) <= evidence.PRIOR_LOG_ODDS;
  }

  #suspect(direction: -1 | 1, scene: number): void {
    const start = this.#statistics.firstOutlier[sideOf(direction)]!;
    this.#state = 'suspected';
    this.#direction = direction;
    this.#since = start;
    this.#start = this.#pending.indexOf(start);
    this.#flagged = scene;
    this.#confirmed = NONE;
    this.#peakOdds = 0;
    this.#calm = 0;
    this.#outliers = this.#statistics.supportedRun;
    this.#isHarmonic = this.#baseline.kind === 'harmonic';
  }

  /** Counts outliers, calm and interruptions of an open departure. */
  #keepCount(scene: number): void {
    const { outlier, against } = this.#statistics;
    const isOutlier = outlier === this.#direction;
    if (isOutlier && this.#baseline.supported) this.#outliers += 1;
    this.#calm = isOutlier ? 0 : this.#calm + 1;
    if (against[sideOf(this.#direction)]! >= PARAMETERS.restartAgainst) this.#since = NONE;
    else if (this.#since === NONE && isOutlier) this.#since = scene;
  }

  /** Confirms or rejects a suspicion, or leaves it. */
  #judge(scene: number, limit: number): void {
    const odds = this.#statistics.odds[sideOf(this.#direction)]!;
    if (odds < evidence.FLAG_LOG_ODDS) {
      this.#end('rejected', NONE, scene);
      this.#pending.releaseTo(this.#baseline);
      this.#settle();
      return;
    }
    if (this.#since === NONE || this.#calm > 0) return;
    const lasted = this.#spec.timesMs[scene]! - this.#spec.timesMs[this.#since]!;
    if (
      odds >= evidence.CONFIRM_LOG_ODDS &&
      this.#direction * this.#statistics.ewma > limit &&
      this.#outliers >= PARAMETERS.confirmOutliers &&
      lasted >= PARAMETERS.confirmAfterMs
    ) {
      this.#state = 'confirmed';
      this.#confirmed = scene;
      this.#peakOdds = odds;
    }
  }

  /** Ends a confirmed departure by its recovery, or once it has stood for long enough to be the new normal. */
  #awaitRecovery(scene: number): void {
    const odds = this.#statistics.odds[sideOf(this.#direction)]!;
    this.#peakOdds = Math.max(this.#peakOdds, odds);
    const stood = this.#spec.timesMs[scene]! - this.#spec.timesMs[this.#confirmed]!;
    if (odds < evidence.FLAG_LOG_ODDS && this.#calm >= PARAMETERS.recoveryRun) {
      this.#end('recovered', scene, NONE);
      this.#pending.clear();
    } else if (stood > PARAMETERS.recoveryWindowMs) {
      this.#end('confirmed', NONE, NONE);
      this.#pending.becomeHistory(this.#baseline, this.#start);
    } else return;
    this.#settle();
  }

  /** Back to watching, with no evidence. */
  #settle(): void {
    this.#state = 'watching';
    this.#statistics.clear();
    this.#flagged = NONE;
    this.#confirmed = NONE;
  }

  /** Back to watching, with no evidence and no history. */
  #forget(): void {
    this.#histories += 1;
    this.#baseline.clear();
    this.#pending.clear();
    this.#settle();
  }

  #end(status: PixelEvent['status'], recovered: number, rejected: number): void {
    const pending = this.#pending;
    const until = recovered === NONE ? pending.count : pending.count - this.#calm;
    const odds = this.#statistics.odds[sideOf(this.#direction)]!;
    this.#emit({
      pixel: this.#pixel,
      direction: this.#direction,
      status,
      firstAnomaly: pending.scenes[this.#start]!,
      flagged: this.#flagged,
      confirmed: this.#confirmed,
      recovered,
      rejected,
      harmonic: this.#isHarmonic,
      posterior: evidence.probability(this.#confirmed === NONE ? odds : this.#peakOdds),
      magnitude: pending.medianResidual(this.#start, until),
    });
  }
}
