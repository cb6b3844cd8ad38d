// Long file: the state of one metric of a pixel, and the look that every part of it takes part in.
import { fallSlot, partOf } from '../scene/common-fall.ts';
import { cellOf } from '../scene/lattice.ts';
import type { SceneContext } from '../scene/context.ts';
import { isBelowGrowing, isBeyondCustom } from './beyond-custom.ts';
import * as evidence from './evidence.ts';
import { Interpolation } from './interpolation.ts';
import type { Exchange, TrackArrays } from '../kernel/track-arrays.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { JudgeBaseline } from './judge-baseline.ts';
import { PendingObservations } from './pending.ts';
import { LikeComparison } from './like-comparison.ts';
import type { FittedPart } from './seasonal-baseline.ts';
import { WitnessBaseline } from './witness-baseline.ts';
import { sceneFrame } from '../scene/scene-frame.ts';
import type { Move } from './pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';

/** A metric in which pixels are followed, and the context of their neighbourhoods in this metric. */
export interface FollowedMetric {
  readonly traits: MetricTraits;
  readonly context: SceneContext;
}

/**
 * One metric of one pixel: its history, the observations withheld from the history, and the residual of the latest
 * scene. One instance is reused for every pixel of a thread.
 */
export class MetricTrack {
  readonly traits: MetricTraits;
  /** Baseline by which the observations are judged; null for a witness metric, which only reports how it moved. */
  readonly judge: JudgeBaseline | null;
  readonly #witness: WitnessBaseline | null;
  /** `judge` or `#witness`: the one that is not null. */
  readonly #baseline: JudgeBaseline | WitnessBaseline;
  readonly pending: PendingObservations;
  /** Decides which values are observations; it receives the value of each scene first. */
  readonly interpolation: Interpolation;
  /**
   * At the latest scene, `valueScene`: observed value and expected value [metric unit], the residual (observed - expected), its
   * standard deviation, and the residual in standard deviations.
   */
  value = Number.NaN;
  valueScene = NONE;
  expected = Number.NaN;
  residual = Number.NaN;
  scale = Number.NaN;
  z = Number.NaN;
  /** Whether the value of the latest scene is not custom; see `isBeyondCustom`. */
  isBeyond = false;
  /** Whether it is below the growing season, of a scene that was judged; see the function of this name. */
  isBelowGrowing = false;
  /** Comparison with like pixels; null for a witness and where there are too few of them. */
  readonly like: LikeComparison | null;
  readonly #spec: StackSpec;
  readonly #context: SceneContext;
  #cell = 0;
  #gridPart = 0;
  /** Residual of the latest scene, rescaled to the noise of a typical scene. */
  #departure = Number.NaN;
  /** Median departure of like pixels far away at the latest scene, or of the neighbourhood [metric unit]. */
  #around = Number.NaN;
  /** Part of the history from which a witness will compute the residual of the latest scene later. */
  #part: FittedPart | null = null;

  /**
   * @param isWitness whether the metric only reports how it moved during departures and is not evidence of them
   * @param arrays where the observations are kept, if given
   */
  constructor(
    spec: StackSpec,
    { traits, context }: FollowedMetric,
    isWitness: boolean,
    arrays?: TrackArrays,
  ) {
    this.traits = traits;
    const frame = sceneFrame(spec, context.levels, traits.noiseFloor);
    this.judge = isWitness ? null : new JudgeBaseline(frame, arrays);
    this.#witness = isWitness ? new WitnessBaseline(frame, arrays) : null;
    this.#baseline = (this.judge ?? this.#witness)!;
    this.like =
      this.judge !== null && context.bank.pixels.length > 0
        ? new LikeComparison(spec, context.bank, this.judge, traits)
        : null;
    this.pending = new PendingObservations(spec.timesMs.length, arrays);
    this.interpolation = new Interpolation(traits.quantum);
    this.#spec = spec;
    this.#context = context;
  }

  /** Begins the next pixel, of which nothing is known: the caller makes it `forget` the one before. */
  begin(pixel: number): void {
    this.#gridPart = partOf(this.#spec, pixel);
    this.#cell = cellOf(this.#context.lattice, this.#spec.width, pixel) * this.#spec.timesMs.length;
    this.interpolation.clear();
    this.like?.begin(pixel);
  }

  /** Saves the state, except the observed values: they stay in the pixel's series. */
  save(writer: StateWriter): void {
    this.#baseline.save(writer);
    this.like?.fields(writer);
    this.pending.save(writer, this.#witness !== null);
  }

  /** Loads the state before a scene. @param offset index of the pixel's first scene in `series` */
  load(reader: StateReader, series: ArrayLike<number>, offset: number, scene: number): void {
    this.interpolation.takeUp(series, offset, scene);
    this.#baseline.load(reader, series, offset);
    this.like?.fields(reader);
    this.pending.load(reader, series, offset, this.#witness !== null);
  }

  /** Hands the state to the kernel, or takes it back. */
  exchange(record: Exchange): void {
    this.interpolation.exchange(record);
    this.#baseline.exchange(record);
    this.pending.exchange(record);
    this.#cell = record.whole(this.#cell);
    record.whole(fallSlot(this.#gridPart, 0) * this.#spec.timesMs.length);
    this.like?.exchange(record);
  }

  /** Clears the history and the withheld observations. */
  forget(): void {
    this.#baseline.clear();
    this.pending.clear();
    this.like?.clear();
  }

  /** Adds the first `until` withheld observations to the history, except those before position `from`. */
  release(until = this.pending.count, from = 0): void {
    this.pending.releaseTo(this.#baseline, until, from);
  }

  /** Replaces the history by the withheld observations from a given scene on. */
  restart(scene: number): void {
    this.pending.becomeHistory(this.#baseline, this.pending.indexOf(scene));
  }

  /** Adds an observation for which there was no expected value to the history [metric unit]. */
  learn(scene: number, value: number): void {
    this.#baseline.add(scene, value, Number.NaN);
  }

  /**
   * Whether the latest scene is comparable, but too few scenes of the history are comparable with it; see
   * `ClassBaseline`.
   */
  get isOutgrown(): boolean {
    return this.#baseline.byClass.isOutgrown;
  }

  /** Passes over a scene without an observation: no value of another scene, or of another pixel, is taken for one of it. */
  pass(): void {
    this.value = Number.NaN;
    this.valueScene = NONE;
    this.like?.pass();
  }

  /**
   * Compares an observation with its expected value. Returns `judged` if the fields are set, `kept` if the observation
   * has no expected value and can only be added to the history, and `useless` if the scene cannot be used for this
   * pixel. A witness sets only the residual. If its baseline is seasonal, it computes the residual later, in
   * `moveBetween`.
   * @param now scene at which the observation becomes known: the same or a later one
   */
  look(scene: number, value: number, now = scene): 'judged' | 'kept' | 'useless' {
    const { spread, typical, likeSpread, likeTypical, peers, shift } = this.#context;
    const slot = this.#cell + scene;
    let usual = typical[slot]!;
    let here = spread[slot]!;
    this.z = Number.NaN;
    this.value = value;
    this.valueScene = scene;
    this.residual = Number.NaN;
    this.isBeyond = false;
    this.#departure = Number.NaN;
    this.#part = null;
    this.#around = shift[slot]!;
    const baseline = this.#baseline;
    const isExpected = baseline.predict(scene);
    this.like?.look(scene, value, now);
    const { isFitted } = baseline.seasonal;
    const peer = isFitted ? this.#peerSlot(scene) : NONE;
    const hasPeers = peer !== NONE && !Number.isNaN(peers.shift[peer]!);
    if (!hasPeers && here / usual > PARAMETERS.maxSpreadRatio) return 'useless';
    if (hasPeers) {
      usual = peers.typical[peer]!;
      here = peers.spread[peer]!;
      this.#around = peers.shift[peer]!;
      // Where many like pixels have fallen, those that have not show the effect of weather on perennial cover. On
      // seasonal cover a fall of many is custom, like a harvest.
      const stayed = peers.stayed[peer]!;
      if (!Number.isNaN(stayed) && this.judge?.range.isPerennial === true) {
        this.#around = stayed;
        here = usual;
      }
    } else if (isExpected && !isFitted) {
      // With a short history, the effect of the weather is measured by the pixels nearby or by the pixels of the same
      // class, whichever group has the smaller spread.
      const like = baseline.byClass.start + scene;
      if (Number.isNaN(here) || likeSpread[like]! < here) {
        usual = likeTypical[like]!;
        here = likeSpread[like]!;
      }
    }
    const hasNeighbours = !Number.isNaN(here);
    const ratio = hasNeighbours ? Math.max(1, here / usual) : 1;
    if (ratio > PARAMETERS.maxSpreadRatio) return 'useless';
    if (!isExpected || (!hasNeighbours && !isFitted)) return 'kept';
    const { judge } = this;
    if (judge === null) {
      if (isFitted) this.#part = this.#witness!.part;
      else
        this.residual =
          value - evidence.expectedOf(value, baseline.expected, this.#around, this.#commonFall(scene));
      return 'judged';
    }
    // Without neighbours, the scatter about the pixel's own fit is the only estimate of the scale until there are
    // departures.
    judge.measure(scene, hasNeighbours ? usual : Math.max(usual, judge.seasonal.fit.sigma));
    const fall = isFitted ? 0 : this.#commonFall(scene);
    this.expected = evidence.expectedOf(value, judge.expected, this.#around, fall);
    this.residual = value - this.expected;
    this.scale = judge.scale * ratio * Math.sqrt(1 + judge.leverage);
    if (isFitted) this.#allowPrecedent(scene, judge);
    this.z = evidence.standardised(this.residual, this.scale);
    // The two years end before the departure begins.
    const until = this.pending.count > 0 ? this.pending.scenes[0]! : scene;
    this.isBeyond = Math.abs(this.z) > 1 && isBeyondCustom(judge, this, scene, until, hasNeighbours);
    this.isBelowGrowing = this.z < -1 && isBelowGrowing(judge.range, this, scene, now, until);
    this.#departure = this.residual / ratio;
    return 'judged';
  }

  /**
   * Moves the expected value towards an earlier departure in the same season from which the pixel recovered, like a
   * meadow after a drought. Applies to fits to less than three years: their scatter includes too few such seasons.
   */
  #allowPrecedent(scene: number, judge: JudgeBaseline): void {
    const { scale } = this;
    if (judge.seasonal.fit.hasTrend || Math.abs(this.residual) <= PARAMETERS.outlierSigmas * scale) return;
    const known = judge.precedent(scene, Math.sign(this.residual));
    if (Math.abs(known) <= scale) return;
    const level = judge.expected + known;
    this.expected = evidence.nearest(
      this.value,
      Math.min(this.expected, level),
      Math.max(this.expected, level),
    );
    this.residual = this.value - this.expected;
  }

  /** Adds the latest observation to the observations that are withheld from the history. */
  withhold(scene: number): void {
    this.pending.add(scene, this.value, this.#departure, this.residual, this.#part);
  }

  /**
   * Returns how the metric moved over the scenes `[from, until)`: medians of the withheld observations, NaN if none
   * was judged.
   */
  moveBetween(from: number, until: number): Move {
    const witness = this.#witness;
    if (witness !== null)
      this.pending.settle(
        (scene, value, part) =>
          value - evidence.expectedOf(value, witness.expectedAt(scene, part), this.#peerShift(scene)),
      );
    return this.pending.moveBetween(from, until);
  }

  /**
   * The same up to the present scene; what its observation shows beside like pixels if no judged observation is withheld.
   */
  moveSince(from: number): Move {
    const move = this.moveBetween(from, this.#spec.timesMs.length);
    return Number.isNaN(move.residual) ? (this.likeMove ?? move) : move;
  }

  /** How the present observation differs from like pixels; undefined if it is not compared with them. */
  get likeMove(): Move | undefined {
    const { like, value } = this;
    return like === null || Number.isNaN(like.residual) ? undefined : { residual: like.residual, value };
  }

  /** Index of the pixel's group of like pixels in `peers`; -1 while it is unknown. */
  #peerSlot(scene: number): number {
    const { phenology } = this.#baseline.history;
    if (phenology < 0 || this.#context.peers.shift.length === 0) return NONE;
    return fallSlot(this.#gridPart, phenology) * this.#spec.timesMs.length + scene;
  }

  /** Fall of like pixels far away, negative or 0. Used with a short history: it does not show such falls. */
  #commonFall(scene: number): number {
    const { phenology } = this.#baseline.history;
    if (phenology < 0) return 0;
    const slot = fallSlot(this.#gridPart, phenology);
    return this.#context.commonFall[slot * this.#spec.timesMs.length + scene] ?? 0;
  }

  /** Median departure of like pixels far away, or of the neighbourhood where they are too few [metric unit]. */
  #peerShift(scene: number): number {
    const peer = this.#peerSlot(scene);
    const shift = peer === NONE ? Number.NaN : this.#context.peers.shift[peer]!;
    return Number.isNaN(shift) ? this.#context.shift[this.#cell + scene]! : shift;
  }
}
