import { MAD_TO_SIGMA, medianInPlace } from '../../numerics/median.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { PHENOLOGY_CLASSES } from '../pixel/phenology-class.ts';
import { fallSlot, PARTS, partsApart } from './common-fall.ts';
import {
  addSparse,
  binnedDeviation,
  binnedQuantile,
  sparseCounts,
  totalCount,
  type Histograms,
  type SparseCounts,
} from './histogram.ts';

/**
 * Departures of like pixels far away, `[part][class][scene]` [metric unit]: pixels of the same phenology class in the
 * parts of the grid that do not touch the given part, so that a change at a pixel does not lower its own standard.
 * Plain data.
 */
export interface PeerDepartures {
  /** Median departure; NaN where too few pixels were observed. */
  readonly shift: Float64Array;
  /** Robust standard deviation of the departures, at least the noise floor; NaN where `shift` is NaN. */
  readonly spread: Float64Array;
  /** Median of `spread` over the scenes up to this one; the noise floor before the first. */
  readonly typical: Float64Array;
  /**
   * Median departure of those like pixels that have not fallen; NaN where they are less than `minUndisturbedShare` of
   * all. It measures the weather where most like pixels were cleared.
   */
  readonly stayed: Float64Array;
}

const SLOTS = PARTS * PARTS * PHENOLOGY_CLASSES;
const RANKS = PARAMETERS.likeClasses;

/** A group of pixels: parts of the grid, phenology classes, and the minimum number of observed pixels. */
interface Group {
  readonly parts: readonly number[];
  readonly classes: readonly number[];
  readonly least: number;
}

const ALL_PARTS = Array.from({ length: PARTS * PARTS }, (_, part) => part);

/**
 * Groups of like pixels in order of preference. With too few pixels of the same class, all pixels with the same rank
 * in dormant scenes are used: this rank separates perennial from seasonal cover. With too few of them far away, those
 * of the whole grid are used; then twice as many must be observed, because the changed pixels are among them.
 */
function groupsOf(part: number, phenology: number): readonly Group[] {
  const apart = partsApart(part);
  const dormant = phenology % RANKS;
  const alike = Array.from({ length: RANKS }, (_, green) => green * RANKS + dormant);
  const near = Array.from({ length: PHENOLOGY_CLASSES }, (_, other) => other).filter(
    (other) => Math.abs((other % RANKS) - dormant) <= 1,
  );
  const least = PARAMETERS.minLikePixels;
  return [
    { parts: apart, classes: [phenology], least },
    { parts: apart, classes: alike, least },
    { parts: ALL_PARTS, classes: alike, least },
    { parts: ALL_PARTS, classes: near, least },
  ];
}

/**
 * Computes the departures of like pixels from the counts of undisturbed pixels, `[part][class][scene]`.
 * @param peers counts of the undisturbed pixels
 * @param all the same counts of all pixels, disturbed ones too
 * @param times number of scenes of the stack
 * @param since first counted scene
 * @param before departures in the scenes before `since`
 */
export function peerDepartures(
  peers: Histograms,
  all: Histograms,
  times: number,
  since: number,
  { noiseFloor }: MetricTraits,
  before: PeerDepartures | undefined,
): PeerDepartures {
  const { counts } = peers;
  const empty = new Float64Array(0);
  if (counts.length === 0) return before ?? { shift: empty, spread: empty, typical: empty, stayed: empty };
  const departures: PeerDepartures = {
    shift: new Float64Array(SLOTS * times).fill(Number.NaN),
    spread: new Float64Array(SLOTS * times).fill(Number.NaN),
    typical: new Float64Array(SLOTS * times).fill(noiseFloor),
    stayed: new Float64Array(SLOTS * times).fill(Number.NaN),
  };
  const slots = new PeerSlots(peers, all, times, since, noiseFloor);
  for (let slot = 0; slot < SLOTS; slot++) slots.depart(slot, departures, before);
  return departures;
}

/**
 * Computes the departures of one slot after another. A slot and a scene have a call of their own: a loop over all of
 * them would be compiled again in each search, while it runs.
 */
class PeerSlots {
  readonly #peers: Histograms;
  readonly #sparse: SparseCounts;
  /** Number of observed pixels, `[slot][new scene]`. */
  readonly #observed: Uint32Array;
  readonly #times: number;
  readonly #since: number;
  readonly #noiseFloor: number;
  readonly #pooled: Uint32Array;
  /** Spreads of the slot in the scenes that have one, and their number. */
  readonly #spreads: Float64Array;
  readonly #sorted: Float64Array;
  #known = 0;

  constructor(peers: Histograms, all: Histograms, times: number, since: number, noiseFloor: number) {
    this.#peers = peers;
    this.#sparse = sparseCounts(peers);
    this.#observed = sparseCounts(all).totals;
    this.#times = times;
    this.#since = since;
    this.#noiseFloor = noiseFloor;
    this.#pooled = new Uint32Array(peers.bins);
    this.#spreads = new Float64Array(times);
    this.#sorted = new Float64Array(times);
  }

  depart(slot: number, departures: PeerDepartures, before: PeerDepartures | undefined): void {
    const [times, since] = [this.#times, this.#since];
    const groups = groupsOf(Math.floor(slot / PHENOLOGY_CLASSES), slot % PHENOLOGY_CLASSES);
    this.#known = 0;
    if (before !== undefined) {
      const earlier = [slot * since, (slot + 1) * since] as const;
      for (const field of ['shift', 'spread', 'typical', 'stayed'] as const)
        departures[field].set(before[field].subarray(...earlier), slot * times);
      this.#noteSpreads(before.spread, ...earlier);
    }
    for (let t = 0; t < times - since; t++) this.#departAt(slot * times + since + t, t, groups, departures);
  }

  #noteSpreads(spread: Float64Array, from: number, to: number): void {
    for (let i = from; i < to; i++) if (!Number.isNaN(spread[i]!)) this.#spreads[this.#known++] = spread[i]!;
  }

  /** @param at position of the scene in the departures. @param t the same, counted from the first new scene */
  #departAt(
    at: number,
    t: number,
    groups: readonly Group[],
    { shift, spread, typical, stayed }: PeerDepartures,
  ): void {
    const { low, binWidth } = this.#peers;
    const pooled = this.#pooled;
    const { totals } = this.#sparse;
    const group = groups.find((each) => this.#countOf(totals, each, t) >= each.least);
    if (group !== undefined) {
      this.#pool(group, t);
      const centre = binnedQuantile(pooled, low, binWidth, 0.5);
      shift[at] = centre;
      const deviation = binnedDeviation(pooled, low, binWidth, centre);
      spread[at] = Math.max(this.#noiseFloor, MAD_TO_SIGMA * deviation);
      this.#spreads[this.#known++] = spread[at]!;
    }
    const known = this.#known;
    this.#sorted.set(this.#spreads.subarray(0, known));
    if (known > 0) typical[at] = medianInPlace(this.#sorted, known);
    if (group === undefined) return;
    this.#dropBelow(-PARAMETERS.outlierSigmas * typical[at]!);
    const total = this.#countOf(this.#observed, group, t);
    if (totalCount(pooled) >= PARAMETERS.minUndisturbedShare * total)
      stayed[at] = binnedQuantile(pooled, low, binWidth, 0.5);
  }

  #countOf(of: Uint32Array, { parts, classes }: Group, t: number): number {
    const scenes = this.#times - this.#since;
    let total = 0;
    for (const part of parts)
      for (const phenology of classes) total += of[fallSlot(part, phenology) * scenes + t]!;
    return total;
  }

  #pool({ parts, classes }: Group, t: number): void {
    const scenes = this.#times - this.#since;
    this.#pooled.fill(0);
    for (const part of parts)
      for (const phenology of classes)
        addSparse(this.#sparse, fallSlot(part, phenology) * scenes + t, this.#pooled);
  }

  /** Leaves out the pooled counts of the bins below a departure [metric unit]. */
  #dropBelow(fallen: number): void {
    const { bins, low, binWidth } = this.#peers;
    for (let bin = 0; bin < bins && low + (bin + 0.5) * binWidth < fallen; bin++) this.#pooled[bin] = 0;
  }
}
