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

/** A metric that a pixel is followed in, and what its neighbourhood did in it. */
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
  /** What its observations are judged by; null of a witness, which only reports how it moved and is no evidence. */
  readonly judge: JudgeBaseline | null;
  readonly #witness: WitnessBaseline | null;
  /** Either of the two. */
  readonly #baseline: JudgeBaseline | WitnessBaseline;
  readonly pending: PendingObservations;
  /** Which of its values are observations: each scene's is received by it first. */
  readonly interpolation: Interpolation;
  /** Of the latest scene: what was observed and expected [metric unit], their difference, its standard deviation, and the difference in it. */
  value = Number.NaN;
  expected = Number.NaN;
  residual = Number.NaN;
  scale = Number.NaN;
  z = Number.NaN;
  readonly #spec: StackSpec;
  readonly #context: SceneContext;
  #cell = 0;
  #gridPart = 0;
  /** The residual as in a typical scene. */
  #departure = Number.NaN;
  /** What a witness has yet to work its residual out from. */
  #part: FittedPart | null = null;

  /** @param isWitness whether it only tells how it moved in departures of others, and is no evidence of them */
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

  /** Adds to the history what is withheld from it, up to a position. */
  release(until = this.pending.count): void {
    this.pending.releaseTo(this.#baseline, until);
  }

  /** Replaces the history by what is withheld from a scene on. */
  restart(scene: number): void {
    this.pending.becomeHistory(this.#baseline, this.pending.indexOf(scene));
  }

  /** Adds an observation that nothing was expected of to the history [metric unit]. */
  learn(scene: number, value: number): void {
    this.#baseline.add(scene, value, Number.NaN);
  }

  /** Whether the latest scene is comparable with too little of the history. */
  get isOutgrown(): boolean {
    return this.#baseline.byClass.isOutgrown;
  }

  /**
   * Holds an observation against what was expected of it. `judged`: the fields tell. `kept`: nothing could be expected, so
   * it can only build history. `useless`: the scene says nothing in this place. Of a witness nothing but the residual is told,
   * and that only by `moveBetween` where the baseline is seasonal.
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
      // A short history is told by the pixels near it in space or by those near it in kind, whichever agree better.
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
    // Alone, a pixel has only the scatter about its own fit to go by until departures from it have been seen.
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
   * What the pixel did in this season before and came back from, as meadows do in a drought, it may do again: a fit to less
   * than three years has seen too few seasons to know it by its scatter.
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

  /** How the metric moved over the scenes `[from, until)`, of what is withheld: medians, NaN where nothing was judged. */
  moveBetween(from: number, until: number): Move {
    const witness = this.#witness;
    if (witness !== null)
      this.pending.settle(
        (scene, value, part) => value - this.#expectedOf(scene, value, witness.expectedAt(scene, part)),
      );
    return this.pending.moveBetween(from, until);
  }

  /** What like pixels far away fell by: a short history cannot tell the ways of its kind. Negative, or 0. */
  #commonFall(scene: number): number {
    const { phenology } = this.#baseline.history;
    if (phenology < 0) return 0;
    const slot = fallSlot(this.#gridPart, phenology);
    return this.#context.commonFall[slot * this.#spec.timesMs.length + scene] ?? 0;
  }

  /** What is expected of a value, given the level that its baseline expects and a fall that is common. */
  #expectedOf(scene: number, value: number, level: number, fall = 0): number {
    const shift = this.#context.shift[this.#cell + scene]!;
    const around = Number.isNaN(shift) ? 0 : shift;
    return nearest(value, level + Math.min(0, around, fall), level + Math.max(0, around));
  }
}

/**
 * What lies nearest to a value in a range: a pond does not green with the meadows around it, so what departs must do so from
 * its own past and from what its surroundings make of that.
 */
function nearest(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
