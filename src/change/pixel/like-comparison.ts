import type { Exchange } from '../kernel/track-arrays.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import type { LikeBank } from '../scene/like-bank.ts';
import type { StackSpec } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import * as evidence from './evidence.ts';
import type { JudgeBaseline } from './judge-baseline.ts';
import { LikeReference } from './like-reference.ts';

/** Comparison of each observation of a pixel with what its like pixels show, where the pixel's own fit agrees. */
export class LikeComparison {
  /** Residual of the latest scene [metric unit]; NaN where there are too few like pixels or the scene is odd. */
  residual = Number.NaN;
  /** The same in standard deviations. */
  z = Number.NaN;
  /** Whether the value that like pixels lead one to expect is so low that it shows no fall. */
  isDormant = false;
  readonly #reference: LikeReference;
  readonly #judge: JudgeBaseline;
  readonly #traits: MetricTraits;

  constructor(spec: StackSpec, bank: LikeBank, judge: JudgeBaseline, traits: MetricTraits) {
    this.#reference = new LikeReference(spec, bank, judge.history, traits.sense);
    this.#judge = judge;
    this.#traits = traits;
  }

  /** Begins the next pixel. @param pixel its index in the grid */
  begin(pixel: number): void {
    this.#reference.begin(pixel);
  }

  /** Forgets what the history led to. */
  clear(): void {
    this.#reference.clear();
  }

  /**
   * Compares an observation. The judge must have predicted the scene.
   * @param now scene at which the observation becomes known: the same or a later one
   */
  look(scene: number, value: number, now: number): void {
    const judge = this.#judge;
    const reference = this.#reference;
    this.residual = Number.NaN;
    this.z = Number.NaN;
    if (!reference.predict(scene, now)) return;
    const { noiseFloor, sense } = this.#traits;
    let { expected } = reference;
    if (judge.seasonal.isFitted && judge.range.lengthMs(scene) >= PARAMETERS.fullHistoryMs) {
      const own = judge.expected;
      expected = evidence.nearest(value, Math.min(own, expected), Math.max(own, expected));
      const isOdd = Math.abs(own - reference.expected) > PARAMETERS.oddFloors * noiseFloor;
      if (expected === value && isOdd) return;
    }
    this.residual = value - expected;
    this.z = evidence.standardised(this.residual, reference.scale);
    this.isDormant = sense * reference.expected < PARAMETERS.dormantShare * reference.high;
  }

  /**
   * Whether like pixels have plainly fallen as low as a value since a scene, in so many places that it is weather or the
   * custom of the season.
   * @param now scene at which it has to be known
   * @param value latest value of the pixel [metric unit]
   */
  isCommonFall(since: number, now: number, value: number): boolean {
    return this.#reference.fallenPlaces(since, now, value) >= PARAMETERS.commonPlaces;
  }

  /** Hands the state to the kernel, or takes it back. */
  exchange(record: Exchange): void {
    this.#reference.exchange(record);
    this.isDormant = record.flag(this.isDormant);
  }

  /** Writes or reads the saved fields, always in the same order. */
  fields(stream: StateStream): void {
    this.#reference.fields(stream);
  }
}
