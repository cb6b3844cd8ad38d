import { seasonDesign, STRIDE, type SeasonDesign } from './season-design.ts';

/**
 * The observations of a series as they become known, and the means of those that are not dry over the five-day blocks of
 * the calendar. What is forgotten is forgotten from the oldest on. Its arrays are there to be read.
 */
export class BlockHistory {
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
  readonly design: SeasonDesign;
  /** Observations `[from, count)` of the history by their place in the series, and which of them are dry. */
  readonly history: Int32Array;
  readonly isDry: Uint8Array;
  from = 0;
  count = 0;
  dryCount = 0;
  /** Blocks `[fromBlock, blocks)`: mean row, mean value, bin of the year, size. */
  readonly rows: Float64Array;
  readonly means: Float64Array;
  readonly bins: Uint8Array;
  readonly sizes: Int32Array;
  fromBlock = 0;
  blocks = 0;
  /** First of each block's observations, by its place in the history, and the block of the calendar. */
  readonly #starts: Int32Array;
  readonly #names: Int32Array;

  /** @param values one per time; only those that are added are ever read */
  constructor(timesMs: Float64Array, values: Float64Array) {
    const n = timesMs.length;
    this.timesMs = timesMs;
    this.values = values;
    this.design = seasonDesign(timesMs);
    let blocks = 0;
    for (let i = 0; i < n; i++)
      if (i === 0 || this.design.blocks[i] !== this.design.blocks[i - 1]) blocks += 1;
    this.history = new Int32Array(n);
    this.isDry = new Uint8Array(n);
    this.rows = new Float64Array(blocks * STRIDE);
    this.means = new Float64Array(blocks);
    this.bins = new Uint8Array(blocks);
    this.sizes = new Int32Array(blocks);
    this.#starts = new Int32Array(blocks);
    this.#names = new Int32Array(blocks);
  }

  /** Adds an observation; ascending in time. */
  add(index: number): void {
    this.#remember(index, false);
    const name = this.design.blocks[index]!;
    const b = this.blocks - 1;
    if (b >= this.fromBlock && b >= 0 && this.#names[b] === name) this.#join(b, index);
    else this.#open(index, name);
  }

  /** Adds that nothing was there to measure, as no rain. */
  addDry(index: number): void {
    this.#remember(index, true);
  }

  /** Forgets what came before an observation. */
  forgetBefore(index: number): void {
    while (this.from < this.count && this.history[this.from]! < index) this.#dropOldest();
    this.#dropBlocks();
  }

  /** Forgets what is older than a time [ms since the Unix epoch] by more than a memory [ms]. */
  forgetOlder(nowMs: number, memoryMs: number): void {
    while (this.from < this.count && nowMs - this.timesMs[this.history[this.from]!]! > memoryMs)
      this.#dropOldest();
    this.#dropBlocks();
  }

  /** Where the blocks end that are whole when a block of the calendar is under way. */
  wholeBlocks(block: number): number {
    const isOpen = this.blocks > this.fromBlock && this.#names[this.blocks - 1] === block;
    return this.blocks - (isOpen ? 1 : 0);
  }

  /** From the first observation of the blocks to the last of all [ms]. */
  get spanMs(): number {
    return this.timesMs[this.history[this.count - 1]!]! - this.#startMs(this.fromBlock);
  }

  /** Time between the first observations of a block, counted from the oldest, and of the one before [ms]. */
  gapMs(k: number): number {
    return this.#startMs(this.fromBlock + k) - this.#startMs(this.fromBlock + k - 1);
  }

  /** Bin of the year of a block, counted from the oldest. */
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
  }

  #dropOldest(): void {
    this.dryCount -= this.isDry[this.from]!;
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
    const from = index * STRIDE;
    for (let c = 0; c < STRIDE; c++) this.rows[b * STRIDE + c] = this.design.rows[from + c]!;
  }

  /** Takes an observation into the mean of its block. */
  #join(b: number, index: number): void {
    const size = this.sizes[b]! + 1;
    this.sizes[b] = size;
    const part = 1 / size;
    this.means[b] = this.means[b]! + part * (this.values[index]! - this.means[b]!);
    const from = index * STRIDE;
    const to = b * STRIDE;
    for (let c = 0; c < STRIDE; c++) {
      const mean = this.rows[to + c]!;
      this.rows[to + c] = mean + part * (this.design.rows[from + c]! - mean);
    }
  }
}
