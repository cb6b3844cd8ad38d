import { addRow, scaleRow, seasonDesign, STRIDE, type SeasonDesign } from './season-design.ts';
import { SeasonSpread } from './season-spread.ts';

/**
 * The observations of a series that have been added so far, and the means of the non-dry observations over the five-day
 * blocks of the calendar. The oldest observations are dropped first. Callers read the arrays directly.
 */
export class BlockHistory {
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
  readonly design: SeasonDesign;
  /** For each observation of the history, valid in `[from, count)`: its index in the series, and 1 if it is dry. */
  readonly history: Int32Array;
  readonly isDry: Uint8Array;
  from = 0;
  count = 0;
  dryCount = 0;
  /** Share of dry observations by season, as the mean square of a value that is 1 if dry and 0 if not. */
  readonly dryness = new SeasonSpread();
  /**
   * Properties of the blocks, valid in `[fromBlock, blocks)`: mean row of the design (set by `wholeBlocks`), mean
   * value, bin of the year, number of observations.
   */
  readonly rows: Float64Array;
  readonly means: Float64Array;
  readonly bins: Uint8Array;
  readonly sizes: Int32Array;
  fromBlock = 0;
  blocks = 0;
  /** Index in the history of each block's first observation, and the number of its calendar block. */
  readonly #starts: Int32Array;
  readonly #names: Int32Array;
  /** Number of blocks whose row is set. */
  #rowed = 0;

  /** @param values one value per time; a value is read only when its observation is added */
  constructor(timesMs: Float64Array, values: Float64Array) {
    const n = timesMs.length;
    this.timesMs = timesMs;
    this.values = values;
    this.design = seasonDesign(timesMs);
    const blocks = this.design.blockSizes.length;
    this.history = new Int32Array(n);
    this.isDry = new Uint8Array(n);
    this.rows = new Float64Array(blocks * STRIDE);
    this.means = new Float64Array(blocks);
    this.bins = new Uint8Array(blocks);
    this.sizes = new Int32Array(blocks);
    this.#starts = new Int32Array(blocks);
    this.#names = new Int32Array(blocks);
  }

  /** Adds an observation that is not dry. Observations must be added in ascending order of time. */
  add(index: number): void {
    this.#remember(index, false);
    const name = this.design.blocks[index]!;
    const b = this.blocks - 1;
    if (b >= this.fromBlock && b >= 0 && this.#names[b] === name) this.#join(b, index);
    else this.#open(index, name);
  }

  /** Adds a dry observation, such as a day without rain. */
  addDry(index: number): void {
    this.#remember(index, true);
  }

  /** Drops all observations before the given one. */
  forgetBefore(index: number): void {
    while (this.from < this.count && this.history[this.from]! < index) this.#dropOldest();
    this.#dropBlocks();
  }

  /** Drops the observations that are more than `memoryMs` older than `nowMs` [ms since the Unix epoch]. */
  forgetOlder(nowMs: number, memoryMs: number): void {
    while (this.from < this.count && nowMs - this.timesMs[this.history[this.from]!]! > memoryMs)
      this.#dropOldest();
    this.#dropBlocks();
  }

  /**
   * Sets the rows of all complete blocks: all except the calendar block `block`, which is still in progress. The row
   * of a block without dry or missing observations is copied from the mean rows of the design.
   * @returns the index after the last complete block
   */
  wholeBlocks(block: number): number {
    const isOpen = this.blocks > this.fromBlock && this.#names[this.blocks - 1] === block;
    const to = this.blocks - (isOpen ? 1 : 0);
    for (; this.#rowed < to; this.#rowed++) this.#setRow(this.#rowed);
    return to;
  }

  #setRow(b: number): void {
    const { places, blockSizes, blockRows, rows } = this.design;
    const place = places[this.history[this.#starts[b]!]!]!;
    const size = this.sizes[b]!;
    if (size === blockSizes[place]) {
      for (let c = 0; c < STRIDE; c++) this.rows[b * STRIDE + c] = blockRows[place * STRIDE + c]!;
      return;
    }
    for (let h = this.#starts[b]!, taken = 0; taken < size; h++) {
      if (this.isDry[h] === 1) continue;
      addRow(this.rows, b, rows, this.history[h]!);
      taken += 1;
    }
    scaleRow(this.rows, b, 1 / size);
  }

  /** Time from the first observation of the oldest block to the last observation [ms]. */
  get spanMs(): number {
    return this.timesMs[this.history[this.count - 1]!]! - this.#startMs(this.fromBlock);
  }

  /** Time from the first observation of block `k - 1` to that of block `k` [ms]; block 0 is the oldest. */
  gapMs(k: number): number {
    return this.#startMs(this.fromBlock + k) - this.#startMs(this.fromBlock + k - 1);
  }

  /** Bin of the year of block `k`; block 0 is the oldest. */
  binAt(k: number): number {
    return this.bins[this.fromBlock + k]!;
  }

  #startMs(b: number): number {
    return this.timesMs[this.history[this.#starts[b]!]!]!;
  }

  #remember(index: number, isDry: boolean): void {
    this.history[this.count] = index;
    this.isDry[this.count] = isDry ? 1 : 0;
    this.count += 1;
    if (isDry) this.dryCount += 1;
    this.dryness.add(this.design.bins[index]!, isDry ? 1 : 0);
  }

  #dropOldest(): void {
    const isDry = this.isDry[this.from]!;
    this.dryCount -= isDry;
    this.dryness.remove(this.design.bins[this.history[this.from]!]!, isDry);
    this.from += 1;
  }

  #dropBlocks(): void {
    while (this.fromBlock < this.blocks && this.#starts[this.fromBlock]! < this.from) this.fromBlock += 1;
  }

  #open(index: number, name: number): void {
    const b = this.blocks;
    this.blocks += 1;
    this.#names[b] = name;
    this.bins[b] = this.design.bins[index]!;
    this.#starts[b] = this.count - 1;
    this.sizes[b] = 1;
    this.means[b] = this.values[index]!;
  }

  /** Adds an observation to the mean of its block. */
  #join(b: number, index: number): void {
    const size = this.sizes[b]! + 1;
    this.sizes[b] = size;
    this.means[b] = this.means[b]! + (1 / size) * (this.values[index]! - this.means[b]!);
  }
}
