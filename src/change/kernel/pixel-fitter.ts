import { type Design, MAX_COLUMNS } from './design-tables.ts';
import type { FitRule } from './fit-rule.ts';
import { bitsOf, KernelInstance, scratchBytes } from './kernel-instance.ts';
import { layOut } from './kernel-layout.ts';
import { KernelMemory } from './kernel-memory.ts';
import { type StripViews, viewBuffers } from './strip-buffers.ts';
import type { Exchange, TrackArrays } from './track-arrays.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';

/** Number of doubles in a row of the kernel's factors: 8 columns of two lanes. */
const FACTOR_ROW = 2 * MAX_COLUMNS;

/** Kernel shared by all fitters of a thread with the same design: building its tables takes a millisecond. */
interface Bench {
  readonly design: Design;
  readonly instance: KernelInstance;
  readonly views: StripViews;
  /** The observations to fit, compact: their values are in the samples of `views`. */
  readonly scenes: Int32Array;
  /** View of the factors of the latest fit or factorisation. */
  readonly factors: Float64Array;
}

let latest: Bench | undefined;

function benchFor(design: Design): Bench {
  if (latest !== undefined && isSame(latest.design, design)) return latest;
  const memory = new KernelMemory();
  const layout = layOut(memory, { design, kind: 'float64', capacity: 1, monitors: false });
  const scratch = memory.allocate(scratchBytes(layout.tables.times));
  const instance = new KernelInstance(memory.memory, layout, scratch);
  const factors = memory.float64(instance.factors, FACTOR_ROW * (MAX_COLUMNS + 1));
  const scenes = memory.int32(memory.allocate(4 * layout.tables.times), layout.tables.times);
  latest = { design, instance, views: viewBuffers(memory, layout.buffers, layout.tables), scenes, factors };
  return latest;
}

function isSame(a: Design, b: Design): boolean {
  return a.columns === b.columns && areEqual(a.rows, b.rows) && areEqual(a.ridge ?? [], b.ridge ?? []);
}

function areEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** For each byte, the numbers of the columns whose bits are set. */
const COLUMNS = Array.from({ length: 1 << MAX_COLUMNS }, (_, bits) =>
  Array.from({ length: MAX_COLUMNS }, (_, column) => column).filter((column) => ((bits >> column) & 1) === 1),
);

/**
 * Fits one series after another with the kernel, on the calling thread. Its latest result stays valid when other
 * fitters run.
 */
export class PixelFitter {
  /** Coefficients by design column; 0 for a column that is not fitted, NaN after a fit that failed. */
  readonly coefficients: Float64Array;
  /** Standard deviation of the residuals of the kept observations [metric unit]; NaN after a fit that failed. */
  sigma = Number.NaN;
  /** Number of kept observations. */
  observations = 0;
  /** First scene of the stable history. */
  start = 0;
  readonly #design: Design;
  /** Kernel of the design. Undefined until the first fit: many series never have enough observations for a fit. */
  #bench: Bench | undefined;
  readonly #kept: Uint8Array;
  /** Factors of the latest fit: L below its diagonal, row by row, and 1 / D. */
  readonly #factors = new Float64Array((MAX_COLUMNS * (MAX_COLUMNS - 1)) / 2);
  readonly #inverses = new Float64Array(MAX_COLUMNS);
  readonly #work = new Float64Array(MAX_COLUMNS);
  #columns: readonly number[] = [];
  /** Whether `#factors` and `#inverses` belong to the latest fit. */
  #isFactored = false;

  /** @param arrays where coefficients and kept scenes are, if given */
  constructor(design: Design, arrays?: Pick<TrackArrays, 'coefficients' | 'kept'>) {
    this.#design = design;
    this.coefficients = arrays?.coefficients ?? new Float64Array(design.columns);
    this.#kept = arrays?.kept ?? new Uint8Array(Math.ceil(design.rows.length / design.columns / 8));
  }

  /** Hands the latest fit to the kernel, or takes it back. */
  exchange(record: Exchange): void {
    this.sigma = record.double(this.sigma);
    this.observations = record.whole(this.observations);
    this.start = record.whole(this.start);
    this.#columns = COLUMNS[record.whole(bitsOf(this.#columns))]!;
    record.flag(false); // each side factorises for itself
    this.#isFactored = false;
  }

  /**
   * Fits `values[i]` [metric unit] at scene `scenes[i]`, ascending, for i in `[from, to)`.
   * @returns false when there are too few observations or the system is singular
   * @throws RangeError when the kernel does not support the design
   */
  fit(
    rule: FitRule,
    scenes: ArrayLike<number>,
    values: ArrayLike<number>,
    from: number,
    to: number,
  ): boolean {
    this.#bench ??= benchFor(this.#design);
    const bench = this.#bench;
    const { instance, views } = bench;
    for (let i = from; i < to; i++) {
      bench.scenes[i - from] = scenes[i]!;
      views.samples[i - from] = values[i]!;
    }
    instance.setFit(rule);
    instance.fitListed(bench.scenes.byteOffset, views.samples.byteOffset, Math.max(0, to - from));
    for (let c = 0; c < this.coefficients.length; c++) this.coefficients[c] = views.coefficients[c]!;
    this.sigma = views.sigmas[0]!;
    this.observations = views.counts[0]!;
    this.start = views.starts[0]!;
    for (let b = 0; b < this.#kept.length; b++) this.#kept[b] = views.masks[b]!;
    this.#columns = rule.columns;
    this.#isFactored = false;
    return views.statuses[0] === 0;
  }

  /** Value expected at a scene [metric unit]. */
  expected(scene: number): number {
    const { rows, columns } = this.#design;
    const { coefficients } = this;
    const row = scene * columns;
    let sum = 0;
    for (let c = 0; c < columns; c++) sum += rows[row + c]! * coefficients[c]!;
    return sum;
  }

  /**
   * Variance of the expected value, in units of the variance of one observation: x' (X'X + R)^-1 x, computed from the
   * factors L D L'.
   */
  leverage(scene: number): number {
    if (!this.#isFactored) this.#factorise();
    const { rows, columns } = this.#design;
    const chosen = this.#columns;
    const factors = this.#factors;
    const inverses = this.#inverses;
    const work = this.#work;
    const row = scene * columns;
    let sum = 0;
    let n = 0;
    for (let i = 0; i < chosen.length; i++) {
      let value = rows[row + chosen[i]!]!;
      for (let k = 0; k < i; k++) value -= factors[n++]! * work[k]!;
      work[i] = value;
      sum += value * value * inverses[i]!;
    }
    return sum;
  }

  /**
   * Saves the latest fit.
   * @param scenes scenes of the history, of which `[from, to)` were fitted; null if `leverage` is not needed after
   *   `load`
   */
  save(writer: StateWriter, scenes: ArrayLike<number> | null, from: number, to: number): void {
    writer.byte(bitsOf(this.#columns));
    for (const column of this.#columns) writer.single(this.coefficients[column]!);
    this.#fields(writer);
    if (scenes === null) return;
    // Only the rejected observations are listed, because they are few.
    writer.natural(to - from - this.observations);
    for (let i = from; i < to; i++) if (!this.isKept(scenes[i]!)) writer.natural(i - from);
  }

  /** Loads a fit that `save` saved. `scenes`, `from` and `to` must be the same as in `save`. */
  load(reader: StateReader, scenes: ArrayLike<number> | null, from: number, to: number): void {
    this.#columns = COLUMNS[reader.byte()]!;
    // A loop is faster than `fill` on so few numbers, because `fill` calls a native function.
    for (let c = 0; c < this.coefficients.length; c++) this.coefficients[c] = 0;
    for (const column of this.#columns) this.coefficients[column] = reader.single();
    this.#fields(reader);
    if (scenes === null) return;
    const kept = this.#kept;
    for (let b = 0; b < kept.length; b++) kept[b] = 0;
    for (let i = from; i < to; i++) kept[scenes[i]! >> 3]! |= 1 << (scenes[i]! & 7);
    for (let left = reader.natural(); left > 0; left--) {
      const scene = scenes[from + reader.natural()]!;
      kept[scene >> 3]! &= ~(1 << (scene & 7));
    }
    this.#isFactored = false;
  }

  /** The saved fields, in their order. */
  #fields(stream: StateStream): void {
    this.sigma = stream.single(this.sigma);
    this.observations = stream.natural(this.observations);
  }

  /**
   * Computes L D L' of the kept observations, always from their mask: after `load` only the mask is known, and the
   * result must be the same as before `save`.
   */
  #factorise(): void {
    this.#bench ??= benchFor(this.#design);
    const { instance, views, factors } = this.#bench;
    for (let b = 0; b < this.#kept.length; b++) views.masks[b] = this.#kept[b]!;
    instance.factorise(this.#columns);
    let n = 0;
    for (let i = 0; i < this.#columns.length; i++) {
      for (let k = 0; k < i; k++) this.#factors[n++] = factors[i * FACTOR_ROW + 2 * k]!;
      this.#inverses[i] = factors[MAX_COLUMNS * FACTOR_ROW + 2 * i]!;
    }
    this.#isFactored = true;
  }

  /** Whether the observation of a scene was kept. */
  isKept(scene: number): boolean {
    return ((this.#kept[scene >> 3]! >> (scene & 7)) & 1) === 1;
  }
}
