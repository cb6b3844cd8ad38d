import { PixelBaseline } from './baseline.ts';
import { cellOf } from './context.ts';
import type { SceneContext } from './context.ts';
import * as evidence from './evidence.ts';
import { isInterpolated } from './interpolation.ts';
import type { MetricTraits } from './metric.ts';
import { PARAMETERS } from './parameters.ts';
import { PendingObservations } from './pending.ts';
import { sceneFrame } from './scene-frame.ts';
import type { StackSpec } from './stack.ts';
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
  /** Of the latest scene: what was observed and expected [metric unit], their difference, its standard deviation, and the difference in it. */
  value = Number.NaN;
  expected = Number.NaN;
  residual = Number.NaN;
  scale = Number.NaN;
  z = Number.NaN;
  readonly #spec: StackSpec;
  readonly #context: SceneContext;
  #cell = 0;
  /** Latest two values seen. */
  #before = Number.NaN;
  #last = Number.NaN;
  /** The residual as in a typical scene. */
  #departure = Number.NaN;

  constructor(spec: StackSpec, { traits, context }: FollowedMetric) {
    this.traits = traits;
    this.baseline = new PixelBaseline(sceneFrame(spec, context.levels));
    this.pending = new PendingObservations(spec.timesMs.length);
    this.#spec = spec;
    this.#context = context;
  }

  /** Begins a pixel. */
  begin(pixel: number): void {
    this.#cell = cellOf(this.#context.lattice, this.#spec.width, pixel) * this.#spec.timesMs.length;
    this.#before = Number.NaN;
    this.#last = Number.NaN;
    this.forget();
  }

  /**
   * Its state after the scenes before one, to or from a tape, but for what the pixel's series tells; see
   * `PixelBaseline.carry`.
   */
  carry(tape: StateTape, series: ArrayLike<number>, offset: number, scene: number): void {
    if (tape.isPlaying) {
      let t = latestBefore(series, offset, scene);
      this.#last = t < 0 ? Number.NaN : series[offset + t]!;
      t = latestBefore(series, offset, t);
      this.#before = t < 0 ? Number.NaN : series[offset + t]!;
    }
    this.baseline.carry(tape, series, offset, true);
    this.pending.carry(tape, series, offset);
  }

  /** Forgets the history. */
  forget(): void {
    this.baseline.clear();
    this.pending.clear();
  }

  /** Whether a value is an observation: a number, and none that its maker interpolated. */
  takes(value: number): boolean {
    if (!Number.isFinite(value)) return false;
    const isObserved = !isInterpolated(this.#before, this.#last, value, this.traits.quantum);
    this.#before = this.#last;
    this.#last = value;
    return isObserved;
  }

  /**
   * Holds an observation against what was expected of it. `judged`: the fields tell. `kept`: nothing could be expected, so
   * it can only build history. `useless`: the scene says nothing in this place.
   */
  look(scene: number, value: number): 'judged' | 'kept' | 'useless' {
    const { shift, spread, typical, likeSpread, likeTypical } = this.#context;
    const slot = this.#cell + scene;
    let usual = typical[slot]!;
    let here = spread[slot]!;
    this.z = Number.NaN;
    this.value = value;
    this.residual = Number.NaN;
    this.#departure = Number.NaN;
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
    // Alone, a pixel has only the scatter about its own fit to go by until departures from it have been seen.
    baseline.measure(scene, hasNeighbours ? usual : Math.max(usual, baseline.fit.sigma));
    this.expected = nearest(value, baseline.expected, Number.isNaN(shift[slot]!) ? 0 : shift[slot]!);
    this.residual = value - this.expected;
    this.scale = baseline.scale * ratio * Math.sqrt(1 + baseline.leverage);
    this.z = evidence.standardised(this.residual, this.scale);
    this.#departure = this.residual / ratio;
    return 'judged';
  }

  /** Withholds the latest observation from the history. */
  withhold(scene: number): void {
    this.pending.add(scene, this.value, this.#departure, this.residual);
  }
}

/** Latest scene before one at which a series has a value; negative without. */
function latestBefore(series: ArrayLike<number>, offset: number, scene: number): number {
  let t = scene - 1;
  while (t >= 0 && !Number.isFinite(series[offset + t]!)) t -= 1;
  return t;
}

/**
 * What lies nearest to a value between a level and the level moved by a shift: a pond does not green with the meadows
 * around it, so what departs must do so from its own past and from what its surroundings make of that.
 */
function nearest(value: number, level: number, shift: number): number {
  const low = level + Math.min(0, shift);
  const high = level + Math.max(0, shift);
  return Math.max(low, Math.min(high, value));
}
