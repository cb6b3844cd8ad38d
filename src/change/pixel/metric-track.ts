import { fallSlot, partOf } from '../scene/common-fall.ts';
import { cellOf } from '../scene/lattice.ts';
import type { SceneContext } from '../scene/context.ts';
import * as evidence from './evidence.ts';
import { Interpolation } from './interpolation.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { JudgeBaseline } from './judge-baseline.ts';
import { PendingObservations } from './pending.ts';
import type { FittedPart } from './seasonal-baseline.ts';
import { WitnessBaseline } from './witness-baseline.ts';
import { sceneFrame } from '../scene/scene-frame.ts';
import type { Move } from './pixel-events.ts';
import type { StackSpec } from '../stack.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';

/** A metric that a pixel is followed in, and the context of its neighbourhood in that metric. */
export interface FollowedMetric {
  readonly traits: MetricTraits;
  readonly context: SceneContext;
}

/**
 * One metric of one pixel: its history, what is withheld from it, and the residual of the latest scene. One instance is a
 * workspace for all pixels of a thread.
 */
export class MetricTrack {
  readonly traits: MetricTraits;
  /** What its observations are judged by; null for a witness, which is no evidence and only reports how it moved. */
  readonly judge: JudgeBaseline | null;
  readonly #witness: WitnessBaseline | null;
  /** Either of the two. */
  readonly #baseline: JudgeBaseline | WitnessBaseline;
  readonly pending: PendingObservations;
  /** Decides which values are observations; it receives the value of each scene first. */
  readonly interpolation: Interpolation;
  /**
   * Of the latest scene: observed and expected value [metric unit], their difference, its standard deviation, and the
   * difference in standard deviations.
   */
  value = Number.NaN;
  expected = Number.NaN;
  residual = Number.NaN;
  scale = Number.NaN;
  z = Number.NaN;
  readonly #spec: StackSpec;
  readonly #context: SceneContext;
  #cell = 0;
  #gridPart = 0;
  /** Residual, scaled to a typical scene. */
  #departure = Number.NaN;
  /** Part of the history that a witness computes its residual from later. */
  #part: FittedPart | null = null;

  /** @param isWitness whether it only reports how it moved during departures, and is no evidence of them */
  constructor(spec: StackSpec, { traits, context }: FollowedMetric, isWitness: boolean) {
    this.traits = traits;
    const frame = sceneFrame(spec, context.levels);
    this.judge = isWitness ? null : new JudgeBaseline(frame);
    this.#witness = isWitness ? new WitnessBaseline(frame) : null;
    this.#baseline = (this.judge ?? this.#witness)!;
    this.pending = new PendingObservations(spec.timesMs.length);
    this.interpolation = new Interpolation(traits.quantum);
    this.#spec = spec;
    this.#context = context;
  }

  /** Begins a pixel. */
  begin(pixel: number): void {
    this.#gridPart = partOf(this.#spec, pixel);
    this.#cell = cellOf(this.#context.lattice, this.#spec.width, pixel) * this.#spec.timesMs.length;
    this.interpolation.clear();
    this.forget();
  }

  /** Saves its state; the values stay in the pixel's series. */
  save(writer: StateWriter): void {
    this.#baseline.save(writer);
    this.pending.save(writer, this.#witness !== null);
  }

  /** Loads its state after the scenes before `scene`. @param offset index of the pixel's first scene in `series` */
  load(reader: StateReader, series: ArrayLike<number>, offset: number, scene: number): void {
    this.interpolation.takeUp(series, offset, scene);
    this.#baseline.load(reader, series, offset);
    this.pending.load(reader, series, offset, this.#witness !== null);
  }

  /** Forgets the history. */
  forget(): void {
    this.#baseline.clear();
    this.pending.clear();
  }

  /** Adds withheld observations to the history, up to a position. */
  release(until = this.pending.count): void {
    this.pending.releaseTo(this.#baseline, until);
  }

  /** Replaces the history by the observations withheld from a scene on. */
  restart(scene: number): void {
    this.pending.becomeHistory(this.#baseline, this.pending.indexOf(scene));
  }

  /** Adds an observation to the history when nothing was expected of it [metric unit]. */
  learn(scene: number, value: number): void {
    this.#baseline.add(scene, value, Number.NaN);
  }

  /** Whether the latest scene is comparable, but too little of the history is comparable with it. */
  get isOutgrown(): boolean {
    return this.#baseline.byClass.isOutgrown;
  }

  /**
   * Compares an observation with its expected value. `judged`: the fields are set. `kept`: nothing was expected, so
   * it can only become history. `useless`: the scene is not usable here. A witness sets only the residual; where its
   * baseline is seasonal it computes the residual later, in `moveBetween`.
   */
  look(scene: number, value: number): 'judged' | 'kept' | 'useless' {
    const { spread, typical, likeSpread, likeTypical } = this.#context;
    const slot = this.#cell + scene;
    let usual = typical[slot]!;
    let here = spread[slot]!;
    this.z = Number.NaN;
    this.value = value;
    this.residual = Number.NaN;
    this.#departure = Number.NaN;
    this.#part = null;
    if (here / usual > PARAMETERS.maxSpreadRatio) return 'useless';
    const baseline = this.#baseline;
    const isExpected = baseline.predict(scene);
    const { isFitted } = baseline.seasonal;
    if (isExpected && !isFitted) {
      // With a short history the pixels nearby or the pixels of the same class show the weather, whichever agree
      // better.
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
      else this.residual = value - this.#expectedOf(scene, value, baseline.expected, this.#commonFall(scene));
      return 'judged';
    }
    // Without neighbours, the scatter about the pixel's own fit is the only scale until departures have been seen.
    judge.measure(scene, hasNeighbours ? usual : Math.max(usual, judge.seasonal.fit.sigma));
    const fall = isFitted ? 0 : this.#commonFall(scene);
    this.expected = this.#expectedOf(scene, value, judge.expected, fall);
    this.residual = value - this.expected;
    this.scale = judge.scale * ratio * Math.sqrt(1 + judge.leverage);
    if (isFitted) this.#allowPrecedent(scene, judge);
    this.z = evidence.standardised(this.residual, this.scale);
    this.#departure = this.residual / ratio;
    return 'judged';
  }

  /**
   * Allows a departure that the pixel has made in this season before and recovered from, as meadows do in a drought.
   * A fit to less than three years has seen too few seasons to include such years in its scatter.
   */
  #allowPrecedent(scene: number, judge: JudgeBaseline): void {
    const { scale } = this;
    if (judge.seasonal.fit.hasTrend || Math.abs(this.residual) <= PARAMETERS.outlierSigmas * scale) return;
    const known = judge.precedent(scene, Math.sign(this.residual));
    if (Math.abs(known) <= scale) return;
    const level = judge.expected + known;
    this.expected = nearest(this.value, Math.min(this.expected, level), Math.max(this.expected, level));
    this.residual = this.value - this.expected;
  }

  /** Withholds the latest observation from the history. */
  withhold(scene: number): void {
    this.pending.add(scene, this.value, this.#departure, this.residual, this.#part);
  }

  /**
   * How the metric moved over the scenes `[from, until)`, among withheld observations: medians, NaN where nothing was
   * judged.
   */
  moveBetween(from: number, until: number): Move {
    const witness = this.#witness;
    if (witness !== null)
      this.pending.settle(
        (scene, value, part) => value - this.#expectedOf(scene, value, witness.expectedAt(scene, part)),
      );
    return this.pending.moveBetween(from, until);
  }

  /** Fall of like pixels far away, negative or 0: a short history does not show what is usual for its class. */
  #commonFall(scene: number): number {
    const { phenology } = this.#baseline.history;
    if (phenology < 0) return 0;
    const slot = fallSlot(this.#gridPart, phenology);
    return this.#context.commonFall[slot * this.#spec.timesMs.length + scene] ?? 0;
  }

  /** Value expected of an observation, given the level of its baseline and a common fall. */
  #expectedOf(scene: number, value: number, level: number, fall = 0): number {
    const shift = this.#context.shift[this.#cell + scene]!;
    const around = Number.isNaN(shift) ? 0 : shift;
    return nearest(value, level + Math.min(0, around, fall), level + Math.max(0, around));
  }
}

/**
 * Nearest value within a range. A pond does not green like the meadows around it: a departure must be one both from
 * the pixel's own past and from that past adjusted by its surroundings.
 */
function nearest(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
