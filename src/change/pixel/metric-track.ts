import { type FittedPart, PixelBaseline } from './baseline.ts';
import { fallSlot, partOf } from '../scene/common-fall.ts';
import { cellOf } from '../scene/context.ts';
import type { SceneContext } from '../scene/context.ts';
import * as evidence from './evidence.ts';
import { Interpolation } from './interpolation.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { PendingObservations } from './pending.ts';
import { sceneFrame } from '../scene/scene-frame.ts';
import type { Move } from './pixel-events.ts';
import type { StackSpec } from '../stack.ts';
import type { StateTape } from './state-tape.ts';

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
  readonly baseline: PixelBaseline;
  readonly pending: PendingObservations;
  /** Which of its values are observations: each scene's is received by it first. */
  readonly interpolation: Interpolation;
  /** Of the latest scene: what was observed and expected [metric unit], their difference, its standard deviation, and the difference in it. */
  value = Number.NaN;
  expected = Number.NaN;
  residual = Number.NaN;
  scale = Number.NaN;
  z = Number.NaN;
  readonly #isWitness: boolean;
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
    this.#isWitness = isWitness;
    this.baseline = new PixelBaseline(sceneFrame(spec, context.levels), isWitness ? 'witness' : 'judge');
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

  /**
   * Its state after the scenes before one, to or from a tape, but for what the pixel's series tells; see
   * `PixelBaseline.carry`.
   */
  carry(tape: StateTape, series: ArrayLike<number>, offset: number, scene: number): void {
    if (tape.isPlaying) this.interpolation.takeUp(series, offset, scene);
    this.baseline.carry(tape, series, offset);
    this.pending.carry(tape, series, offset, this.#isWitness);
  }

  /** Forgets the history. */
  forget(): void {
    this.baseline.clear();
    this.pending.clear();
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
    const { baseline } = this;
    const isExpected = baseline.predict(scene);
    if (isExpected && baseline.kind === 'neighbourhood') {
      // A short history is told by the pixels near it in space or by those near it in kind, whichever agree better.
      const like = baseline.classStart + scene;
      if (Number.isNaN(here) || likeSpread[like]! < here) {
        usual = likeTypical[like]!;
        here = likeSpread[like]!;
      }
    }
    const hasNeighbours = !Number.isNaN(here);
    const ratio = hasNeighbours ? Math.max(1, here / usual) : 1;
    if (ratio > PARAMETERS.maxSpreadRatio) return 'useless';
    if (!isExpected || (!hasNeighbours && baseline.kind === 'neighbourhood')) return 'kept';
    if (this.#isWitness) {
      if (baseline.kind === 'harmonic') this.#part = baseline.part;
      else this.residual = value - this.#expectedOf(scene, value, baseline.expected, this.#commonFall(scene));
      return 'judged';
    }
    // Alone, a pixel has only the scatter about its own fit to go by until departures from it have been seen.
    baseline.measure(scene, hasNeighbours ? usual : Math.max(usual, baseline.fit.sigma));
    this.expected = this.#expectedOf(
      scene,
      value,
      baseline.expected,
      baseline.kind === 'harmonic' ? 0 : this.#commonFall(scene),
    );
    this.residual = value - this.expected;
    this.scale = baseline.scale * ratio * Math.sqrt(1 + baseline.leverage);
    if (baseline.kind === 'harmonic') this.#allowPrecedent(scene);
    this.z = evidence.standardised(this.residual, this.scale);
    this.#departure = this.residual / ratio;
    return 'judged';
  }

  /**
   * What the pixel did in this season before and came back from, as meadows do in a drought, it may do again: a fit to less
   * than three years has seen too few seasons to know it by its scatter.
   */
  #allowPrecedent(scene: number): void {
    const { baseline, scale } = this;
    if (baseline.fit.hasTrend || Math.abs(this.residual) <= PARAMETERS.outlierSigmas * scale) return;
    const known = baseline.precedent(scene, Math.sign(this.residual));
    if (Math.abs(known) <= scale) return;
    const level = baseline.expected + known;
    this.expected = nearest(this.value, Math.min(this.expected, level), Math.max(this.expected, level));
    this.residual = this.value - this.expected;
  }

  /** Withholds the latest observation from the history. */
  withhold(scene: number): void {
    this.pending.add(scene, this.value, this.#departure, this.residual, this.#part);
  }

  /** How the metric moved over the scenes `[from, until)`, of what is withheld: medians, NaN where nothing was judged. */
  moveBetween(from: number, until: number): Move {
    this.pending.settle(
      (scene, value, part) => value - this.#expectedOf(scene, value, this.baseline.expectedAt(scene, part)),
    );
    return this.pending.moveBetween(from, until);
  }

  /** What like pixels far away fell by: a short history cannot tell the ways of its kind. Negative, or 0. */
  #commonFall(scene: number): number {
    const { phenology } = this.baseline;
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
