import { PixelFitter } from '../kernel/pixel-fitter.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { RHO_PRIOR } from '../pixel/lag-one.ts';
import type { FollowedMetric } from '../pixel/metric-track.ts';
import { DESIGN_COLUMNS } from '../pixel/seasonal-fit.ts';
import { fallSlot, partOf } from '../scene/common-fall.ts';
import type { SceneContext } from '../scene/context.ts';
import { cellOf } from '../scene/lattice.ts';
import type { SceneFrame } from '../scene/scene-frame.ts';
import { NONE, type StackSpec } from '../stack.ts';
import type { StateReader } from '../state/state-reader.ts';
import { boundOf } from './residual-bound.ts';
import { LikeBounds } from './like-bounds.ts';
import { RankBounds } from './rank-bounds.ts';

/**
 * One judged metric of a pixel: what its saved state says, and upper bounds of its residuals at later scenes. Until a
 * new fit or a new scale is due, the expected value is known and the scale has a lower bound. From then on a residual
 * may be as large as `clip`. One instance is reused for every pixel of a thread.
 */
export class CalmMetric {
  /** Upper bounds of a rise and of a fall at the latest scene [standard deviations]. */
  rise = 0;
  fall = 0;
  /** The same of the comparison with like pixels. */
  likeRise = 0;
  likeFall = 0;
  /** The same of the comparison with like pixels [noise floors]. */
  likeRiseFloors = 0;
  likeFallFloors = 0;
  /** Whether neither a fit nor a scale was due up to the latest scene. */
  isSteady = false;
  /** Lag-one autocorrelation while the metric is steady. */
  rho = RHO_PRIOR;
  readonly traits: MetricTraits;
  readonly #spec: StackSpec;
  readonly #context: SceneContext;
  readonly #frame: SceneFrame;
  readonly #times: number;
  readonly #fit: PixelFitter;
  readonly #like: LikeBounds | null;
  readonly #green = new RankBounds();
  readonly #dormant = new RankBounds();
  /** Number of observations of the history, withheld ones included, and first scene of the history. */
  #count = 0;
  #firstScene = NONE;
  #sigma = 0;
  #sigmaPairs = 0;
  /** Number of observations from which a new fit or a new scale may be due. */
  #due = 0;
  /** Position of the group of like pixels far away, and of the cell of the pixel, at scene 0. */
  #peer = NONE;
  #cell = 0;

  constructor(spec: StackSpec, { traits, context }: FollowedMetric, frame: SceneFrame) {
    this.traits = traits;
    this.#spec = spec;
    this.#context = context;
    this.#frame = frame;
    this.#times = frame.timesMs.length;
    this.#fit = new PixelFitter({ rows: frame.design, columns: DESIGN_COLUMNS });
    this.#like = context.bank.pixels.length > 0 ? new LikeBounds(context.bank, this.#times) : null;
  }

  /**
   * Reads the saved state of the metric, the same fields as `MetricTrack.load`, and prepares the bounds for the scenes
   * `[since, times)`.
   * @param values series of the metric; the pixel's values begin at `offset`
   * @returns the number of new values of which nothing is known, because a new fit or scale may be due before them. If
   *   there are two or more, the rest of the fields is not read
   */
  read(reader: StateReader, pixel: number, values: ArrayLike<number>, offset: number, since: number): number {
    reader.natural(); // sum and number of the ranks in all scenes
    reader.natural();
    this.#green.read(reader);
    this.#dormant.read(reader);
    const count = reader.skipHistory(true);
    this.#firstScene = reader.firstOfHistory;
    this.rho = reader.single();
    this.#sigma = reader.single();
    this.#sigmaPairs = reader.natural();
    const scaled = reader.scene();
    this.isSteady = reader.flag();
    reader.natural(); // first observation that is fitted
    const to = reader.natural();
    reader.flag(); // whether there is a fit, again
    this.#due = this.isSteady ? Math.min(dueAfter(scaled), dueAfter(to)) : 0;
    let seen = 0;
    for (let t = since; t < this.#times; t++) if (Number.isFinite(values[offset + t]!)) seen += 1;
    const unknown = Math.min(seen, count + seen - Math.ceil(this.#due));
    if (unknown > 1) return unknown;
    if (this.isSteady) {
      this.#fit.load(reader, null, 0, 0);
      for (let rejected = reader.natural(); rejected > 0; rejected--) reader.natural();
      reader.byte(); // number of harmonics
      reader.flag(); // whether there is a trend
    }
    this.#like?.read(reader, pixel);
    const pending = reader.natural();
    for (let i = 0; i < pending; i++) {
      reader.natural();
      reader.half();
      reader.single();
    }
    this.#count = count + pending;
    this.#like?.begin(this.#count, since);
    if (this.isSteady) this.#place(pixel, pending, values, offset, since);
    return unknown;
  }

  /** Finds the cell and the group of like pixels. Unsteady if the group may change with the new values. */
  #place(pixel: number, pending: number, values: ArrayLike<number>, offset: number, since: number): void {
    const { edges, isGreen } = this.#frame;
    this.#cell = cellOf(this.#context.lattice, this.#spec.width, pixel) * this.#times;
    this.#peer = NONE;
    if (this.#context.peers.shift.length === 0) return;
    this.#green.addAny(pending);
    this.#dormant.addAny(pending);
    for (let t = since; t < this.#times; t++) {
      const value = values[offset + t]!;
      if (Number.isFinite(value)) (isGreen[t] === 1 ? this.#green : this.#dormant).add(edges, t, value);
    }
    const [green, dormant] = [this.#green.value, this.#dormant.value];
    // A class that is not known now may become known.
    if (green === NONE || dormant === NONE) this.isSteady = false;
    else
      this.#peer =
        fallSlot(partOf(this.#spec, pixel), green * PARAMETERS.likeClasses + dormant) * this.#times;
  }

  /** Computes the bounds at a scene for an observed value [metric unit]. The scenes are given in order of time. */
  look(scene: number, value: number): void {
    if (this.#count >= this.#due) this.isSteady = false;
    let own = Number.NaN;
    if (this.isSteady) {
      own = this.#fit.expected(scene);
      this.#bound(scene, value, own);
    } else {
      this.rise = PARAMETERS.clip;
      this.fall = PARAMETERS.clip;
    }
    this.likeRise = 0;
    this.likeFall = 0;
    this.likeRiseFloors = 0;
    this.likeFallFloors = 0;
    if (this.#like !== null) {
      const { timesMs } = this.#frame;
      const isLong =
        this.#firstScene !== NONE && timesMs[scene]! - timesMs[this.#firstScene]! >= PARAMETERS.fullHistoryMs;
      this.#like.look(scene, value, isLong ? own : Number.NaN);
      this.likeRise = this.#like.rise;
      this.likeFall = this.#like.fall;
      this.likeRiseFloors = this.#like.riseSize / this.traits.noiseFloor;
      this.likeFallFloors = this.#like.fallSize / this.traits.noiseFloor;
    }
    this.#count += 1;
  }

  /** Bounds from the pixel's own fit, which expects `own` [metric unit]; see `MetricTrack.look`. */
  #bound(scene: number, value: number, own: number): void {
    const { spread, typical, shift, peers } = this.#context;
    const slot = this.#cell + scene;
    let usual = typical[slot]!;
    let high = shift[slot]!;
    let low = high;
    const peer = this.#peer === NONE ? NONE : this.#peer + scene;
    if (peer !== NONE && !Number.isNaN(peers.shift[peer]!)) {
      usual = peers.typical[peer]!;
      high = peers.shift[peer]!;
      low = high;
      const stayed = peers.stayed[peer]!;
      if (!Number.isNaN(stayed)) {
        high = Math.min(high, stayed);
        low = Math.max(low, stayed);
      }
    } else if (Number.isNaN(spread[slot]!)) usual = Math.max(usual, this.#fit.sigma);
    const prior = PARAMETERS.scalePrior;
    const n = this.#sigmaPairs;
    const scale = Math.sqrt((prior * usual * usual + n * this.#sigma * this.#sigma) / (prior + n));
    const rise = value - (own + (high > 0 ? high : 0));
    const fall = own + (low < 0 ? low : 0) - value;
    this.rise = boundOf(rise, scale);
    this.fall = boundOf(fall, scale);
  }
}

/** Number of observations from which something is due that was done with `count`; 0 if it never was. */
function dueAfter(count: number): number {
  return count < 0 ? 0 : Math.max(count + 1, count * PARAMETERS.refitGrowth);
}
