import { NONE, type StackSpec } from '../stack.ts';
import type { StripState } from '../state/state-writer.ts';
import { DepartureMonitor, type PixelState } from './departure-monitor.ts';
import { ewmaLimit } from './evidence.ts';
import type { JudgeBaseline } from './judge-baseline.ts';
import { MetricTrack, type FollowedMetric } from './metric-track.ts';
import type { Emit } from './pixel-events.ts';
import { PixelWatch, watchKernelOf } from './pixel-watch.ts';
import { SceneEvidence } from './scene-evidence.ts';

/** What the like pixels of a pixel show at one observation. */
export interface LikeStep {
  /** Value that they lead one to expect, or that of the pixel's own fit where it is nearer [metric unit]. */
  readonly expected: number;
  /** Joint residual of all metrics [standard deviations]. */
  readonly z: number;
  /** CUSUM of [fall, rise] after the observation [standard deviations]. */
  readonly cusum: readonly [fall: number, rise: number];
  /** Whether the open departure is claimed because of them. */
  readonly isClaim: boolean;
}

/** State of a pixel after one observation. */
export interface Step {
  readonly scene: number;
  /**
   * Index of the metric of `value`, `expected`, `scale` and `baseline`: the first metric judged in the scene, or the
   * first compared with like pixels if none was.
   */
  readonly metric: number;
  readonly value: number;
  /**
   * Expected value: the baseline, corrected for the departure of the neighbourhood, or that of the like pixels if no
   * metric was judged [metric unit].
   */
  readonly expected: number;
  /** Standard deviation of the residual [metric unit]. */
  readonly scale: number;
  /** Joint residual of all metrics [standard deviations]. */
  readonly z: number;
  readonly ewma: number;
  readonly ewmaLimit: number;
  /** Number of consecutive outliers, negative for a fall, positive for a rise. */
  readonly run: number;
  /** Log-odds of a fall and of a rise. */
  readonly fallOdds: number;
  readonly riseOdds: number;
  /** Null if the pixel was not compared with like pixels. */
  readonly like: LikeStep | null;
  /** State of the pixel after the observation. */
  readonly state: PixelState;
  /** Number that identifies the history of the pixel. All steps of a departure have the same history. */
  readonly history: number;
  /** Baseline of `metric`. Valid only during the call of the recorder. */
  readonly baseline: JudgeBaseline;
}

type Recorder = (step: Step) => void;

/**
 * Weight of each metric in the evidence of a change: 1 if it moves like the first metric, -1 if it moves oppositely, 0
 * for a witness.
 */
export function evidenceWeights(metrics: readonly FollowedMetric[]): readonly number[] {
  const first = metrics[0]!.traits;
  return metrics.map(({ traits }) =>
    traits.phenomenon === first.phenomenon ? traits.sense * first.sense : 0,
  );
}

/**
 * Follows one pixel after another through a stack, strictly in order of time: the state at a scene does not depend on
 * later scenes. One instance is reused for all pixels of a thread.
 */
export class PixelMonitor {
  readonly #spec: StackSpec;
  readonly #tracks: readonly MetricTrack[];
  /**
   * Sign of each metric in the joint evidence: 1 if it moves like the first metric, -1 if it moves in the opposite
   * direction, 0 for a witness, which is not part of the evidence.
   */
  readonly #weights: readonly number[];
  readonly #evidence = new SceneEvidence();
  /** Joint evidence of the departures from like pixels. */
  readonly #likeEvidence = new SceneEvidence();
  readonly #monitor: DepartureMonitor;
  /** Null where the engine looks at each scene. */
  readonly #watch: PixelWatch | null;

  /**
   * @param metrics the first is the metric whose falls and rises are followed. Other metrics of the same phenomenon
   *   add evidence; the rest are witnesses, which only report how they moved
   * @param watches whether the kernel takes pixels through scenes in which nothing is unusual. The result is the same
   */
  constructor(spec: StackSpec, metrics: readonly FollowedMetric[], watches = true) {
    if (metrics.length === 0) throw new RangeError('there is no metric to follow');
    this.#spec = spec;
    this.#weights = evidenceWeights(metrics);
    const kernel = watches && spec.timesMs.length > 0 ? watchKernelOf(spec, metrics, this.#weights) : null;
    this.#tracks = metrics.map(
      (metric, m) => new MetricTrack(spec, metric, this.#weights[m] === 0, kernel?.tracks[m]!.arrays),
    );
    this.#monitor = new DepartureMonitor(spec.timesMs, this.#tracks);
    this.#watch = kernel && new PixelWatch(kernel, this.#monitor, this.#tracks);
  }

  /**
   * Follows one pixel from its first scene to its last.
   * @param series series of each metric; the pixel's values begin at `offset`, NaN where nothing was observed
   * @param emit receives each flagged departure when it ends, and the departure that is open after the last scene
   * @param record receives each step, if given
   */
  follow(
    pixel: number,
    series: readonly (Float32Array | Float64Array)[],
    offset: number,
    emit: Emit,
    record?: Recorder,
  ): void {
    this.#begin(pixel, emit);
    this.#lookFrom(0, series, offset, record);
    this.#monitor.emitOpen(emit);
  }

  /**
   * Follows one pixel from a given scene to its last: continues from the state that an earlier run saved, and saves
   * the state for the next run. Unlike `follow`, it has a separate receiver for the open departure.
   * @param from first scene to process
   * @param state `state.left` provides the state before `from`, if any; `state.kept` receives the state after the
   *   last scene
   * @param emitOpen receives the departure that is open after the last scene, in its current state
   */
  resume(
    pixel: number,
    series: readonly (Float32Array | Float64Array)[],
    offset: number,
    from: number,
    { left, kept }: StripState,
    emit: Emit,
    emitOpen: Emit,
  ): void {
    this.#begin(pixel, emit);
    if (left !== undefined) {
      this.#monitor.load(left);
      for (let m = 0; m < this.#tracks.length; m++) this.#tracks[m]!.load(left, series[m]!, offset, from);
    }
    this.#lookFrom(from, series, offset, undefined);
    if (kept !== undefined) {
      this.#monitor.save(kept);
      for (const track of this.#tracks) track.save(kept);
    }
    this.#monitor.emitOpen(emitOpen);
  }

  #begin(pixel: number, emit: Emit): void {
    for (let m = 0; m < this.#tracks.length; m++) this.#tracks[m]!.begin(pixel);
    this.#monitor.begin(pixel, emit);
    this.#watch?.begin();
  }

  /** Looks at the scenes from a given one on. Scenes in which nothing is unusual are left to the kernel. */
  #lookFrom(
    from: number,
    series: readonly (Float32Array | Float64Array)[],
    offset: number,
    record: Recorder | undefined,
  ): void {
    const times = this.#spec.timesMs.length;
    const watch = record === undefined ? this.#watch : null;
    for (let t = from; t < times; t++) {
      if (watch !== null) {
        t = watch.advance(t, series, offset);
        if (watch.isReceived) {
          this.#observe(t, t, record);
          continue;
        }
      }
      if (t < times) this.#look(t, series, offset + t, record);
    }
  }

  #look(
    scene: number,
    series: readonly (Float32Array | Float64Array)[],
    at: number,
    record: Recorder | undefined,
  ): void {
    let late = NONE;
    for (let m = 0; m < this.#tracks.length; m++)
      late = Math.max(late, this.#tracks[m]!.interpolation.receive(scene, series[m]![at]!));
    // The earlier scene is skipped if another metric was already observed at this scene or a later one.
    if (late > this.#monitor.last) this.#observe(late, scene, record);
    this.#observe(scene, scene, record);
  }

  /** Processes the observations of a scene. @param now scene at which these observations become known */
  #observe(scene: number, now: number, record: Recorder | undefined): void {
    const monitor = this.#monitor;
    let seen = false;
    let judged = NONE;
    let compared = NONE;
    this.#evidence.clear();
    this.#likeEvidence.clear();
    for (let m = 0; m < this.#tracks.length; m++) {
      const track = this.#tracks[m]!;
      const value = track.interpolation.observationAt(scene);
      if (Number.isNaN(value)) {
        track.pass();
        continue;
      }
      if (!seen) monitor.bridgeGap(scene);
      seen = true;
      const verdict = track.look(scene, value, now);
      if (verdict === 'useless') continue;
      // If too few scenes of the history are comparable with this scene, the withheld observations and this one are
      // added to the history.
      if (verdict === 'kept' && track.isOutgrown) {
        // Without seasons no later scene would end a suspicion that the former pixels of the class have shown.
        if (m === 0 && !track.traits.seasonal) monitor.abandon(now);
        if (monitor.state === 'watching') monitor.release();
      }
      // An observation that cannot be judged is added to the history, unless earlier observations of the metric are
      // still withheld from the history.
      const isOpen = monitor.state !== 'watching' || track.pending.count > 0;
      if (verdict === 'kept' && !isOpen) track.learn(scene, value);
      else track.withhold(scene);
      const { like } = track;
      if (this.#weights[m] !== 0 && like !== null && !Number.isNaN(like.z)) {
        this.#likeEvidence.add(like.z, track.judge!, this.#weights[m]!);
        if (compared === NONE) compared = m;
      }
      if (verdict === 'kept' || this.#weights[m] === 0) continue;
      this.#evidence.add(track.z, track.judge!, this.#weights[m]!);
      if (judged === NONE) judged = m;
    }
    if (compared !== NONE) this.#weighByLikes(scene, compared);
    if (judged !== NONE) monitor.weigh(scene, this.#evidence);
    const seenStep = record === undefined ? null : this.#stepOf(scene, judged, compared);
    if (judged !== NONE) this.#judgeScene(scene, now, judged);
    if (compared !== NONE) monitor.decideByLikes(scene, now);
    if (seenStep === null) return;
    const { like } = seenStep;
    record!({
      ...seenStep,
      like: like && { ...like, isClaim: monitor.isByLikes },
      state: monitor.state,
      history: monitor.histories,
    });
  }

  #weighByLikes(scene: number, first: number): void {
    const { like, isBeyond, traits } = this.#tracks[first]!;
    const floors = (this.#weights[first]! * like!.residual) / traits.noiseFloor;
    const { z } = this.#likeEvidence;
    const { statistics, notes } = this.#monitor;
    statistics.sums.update(scene, z, floors, like!.isDormant, isBeyond);
    statistics.twoSided.update(scene, z, floors);
    notes.look();
  }

  #judgeScene(scene: number, now: number, first: number): void {
    const { residual, traits, isBeyond, isBelowGrowing } = this.#tracks[first]!;
    const floors = (this.#weights[first]! * residual) / traits.noiseFloor;
    this.#monitor.decide(scene, now, this.#evidence, floors, isBeyond || isBelowGrowing);
  }

  /** The step of a scene before the state is updated; null if no metric was judged or compared with like pixels. */
  #stepOf(scene: number, judged: number, compared: number): Step | null {
    const metric = judged === NONE ? compared : judged;
    if (metric === NONE) return null;
    const { value, expected, scale, like: likes, judge } = this.#tracks[metric]!;
    const { ewma, run, odds, sums } = this.#monitor.statistics;
    const isJudged = judged !== NONE;
    const near = compared === NONE ? null : this.#tracks[compared]!;
    return {
      scene,
      metric,
      value,
      expected: isJudged ? expected : value - likes!.residual,
      scale: isJudged ? scale : judge!.scale,
      z: isJudged ? this.#evidence.z : this.#likeEvidence.z,
      ewma,
      ewmaLimit: ewmaLimit(isJudged ? this.#evidence.rho : judge!.rho),
      run,
      fallOdds: odds[0]!,
      riseOdds: odds[1]!,
      like: near && {
        expected: near.value - near.like!.residual,
        z: this.#likeEvidence.z,
        cusum: [sums.values[0]!, sums.values[1]!],
        isClaim: false,
      },
      state: this.#monitor.state,
      history: this.#monitor.histories,
      baseline: judge!,
    };
  }
}
