import { KernelMemory } from './kernel-memory.ts';
import { type KernelExports, startKernel } from './kernel-module.ts';

/** Values of a bank of like pixels that the kernel reads; see `LikeBank`. */
export interface BankTables {
  /** Grid indices of the members. */
  readonly pixels: Int32Array;
  /** `[scene][member]` */
  readonly values: Float32Array;
  readonly knownSince: Int32Array;
  readonly firsts: Int32Array;
}

/** How the pixels of a bank are compared with a series. */
export interface BankComparison {
  /** Most scenes that are compared. */
  readonly quickScenes: number;
  /** Largest difference that counts [metric unit]. */
  readonly likeClip: number;
  /** Fewest scenes in which two pixels are compared. */
  readonly minLikeShared: number;
}

/** Members that the kernel compares together; rows are padded to a multiple of it. */
const TOGETHER = 16;
/** First scene of a member that is only padding: beyond all scenes. */
const NEVER = 0x7fffffff;
/** Beyond all scenes, in 16 bits. */
const NEVER_SHORT = 0x7fff;
/** Banks that a thread keeps: more than the metrics that are followed together. */
const MOST_BANKS = 8;
/** Largest number of 16 bits. */
const LAST_STEP = 0xffff;
/** By how many steps a mean in steps is wrong at most: half a step of each of two values, and rounding errors. */
const STEPS_WRONG = 1.01;
/** Numbers in the record of a bank; see `Bank` in assembly/kernel/nearest.ts, which has the same order. */
const DOUBLES = 5;
const WHOLES = 8;

/** Addresses of a copy of a bank in the memory of a kernel. */
export interface BankAddresses {
  /** Record of the bank. */
  readonly bank: number;
  /** Room for the scenes and values that members are compared with. */
  readonly scenes: number;
  readonly own: number;
}

/** Copies a bank to the memory of a kernel. @throws RangeError when its stack has more than 32,766 scenes */
export function copyBank(
  memory: KernelMemory,
  bank: BankTables,
  { quickScenes, likeClip }: BankComparison,
): BankAddresses {
  const members = bank.pixels.length;
  const rows = members === 0 ? 0 : bank.values.length / members;
  if (rows >= NEVER_SHORT)
    throw new RangeError(
      `a stack has ${rows} scenes; at most ${NEVER_SHORT - 1} are compared with like pixels`,
    );
  const stride = Math.ceil(members / TOGETHER) * TOGETHER;
  const size = rows * stride;
  const [values, steps] = [memory.allocate(4 * size), memory.allocate(2 * size)];
  const [knownSince, knownShort] = [memory.allocate(4 * size), memory.allocate(2 * size)];
  const [firsts, means] = [memory.allocate(4 * size), memory.allocate(4 * stride + 8 * quickScenes)];
  const tables = [
    memory.float32(values, size),
    memory.int32(knownSince, size).fill(NEVER),
    memory.int32(firsts, size).fill(NEVER),
  ] as const;
  for (let t = 0; t < rows; t++) {
    const [from, to] = [t * members, (t + 1) * members];
    tables[0].set(bank.values.subarray(from, to), t * stride);
    tables[1].set(bank.knownSince.subarray(from, to), t * stride);
    tables[2].set(bank.firsts.subarray(from, to), t * stride);
  }
  const { base, step } = stepsOf(tables[0], tables[1], rows, quickScenes, likeClip);
  const [inSteps, short] = [memory.int16(steps, size), memory.int16(knownShort, size)];
  for (let i = 0; i < size; i++) {
    inSteps[i] = Math.floor((tables[0][i]! - base) / step + 0.5); // as unsigned in the kernel
    short[i] = Math.min(NEVER_SHORT, tables[1][i]!);
  }
  const record = memory.allocate(8 * DOUBLES + 4 * WHOLES);
  memory.float64(record, DOUBLES).set([base, 1 / step, LAST_STEP, STEPS_WRONG, likeClip]);
  memory
    .int32(record + 8 * DOUBLES, WHOLES)
    .set([Math.round(likeClip / step), stride, values, steps, knownSince, knownShort, firsts, means]);
  return { bank: record, scenes: memory.allocate(4 * quickScenes), own: memory.allocate(8 * quickScenes) };
}

/**
 * Returns the value of step 0 and the length of a step [metric unit]. The steps are so long that sums of clipped
 * differences have 16 bits, and that all values that may be known do, with the clip beyond on both sides: an own value
 * beyond them is as far from each member as one at the end.
 */
function stepsOf(
  values: Float32Array,
  knownSince: Int32Array,
  rows: number,
  quickScenes: number,
  clip: number,
): { readonly base: number; readonly step: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    if (knownSince[i]! >= rows) continue;
    low = Math.min(low, values[i]!);
    high = Math.max(high, values[i]!);
  }
  if (low > high) [low, high] = [0, 0];
  const ends = 2; // steps at each end
  const step = Math.max(
    clip / (Math.floor(LAST_STEP / quickScenes) - 1),
    (high - low + 2 * clip) / (LAST_STEP - 2 * ends),
  );
  return { base: low - clip - ends * step, step };
}

/** Copy of a bank in the memory of a kernel, for one thread. */
class BankKernel {
  readonly bank: BankTables;
  readonly way: BankComparison;
  readonly #exports: KernelExports;
  readonly #at: BankAddresses;
  readonly #scenes: Int32Array;
  readonly #own: Float64Array;

  constructor(bank: BankTables, way: BankComparison) {
    const memory = new KernelMemory();
    this.bank = bank;
    this.way = way;
    this.#exports = startKernel(memory.memory);
    this.#at = copyBank(memory, bank, way);
    this.#scenes = memory.int32(this.#at.scenes, way.quickScenes);
    this.#own = memory.float64(this.#at.own, way.quickScenes);
  }

  compare(scene: number, value: number, i: number): void {
    this.#scenes[i] = scene;
    this.#own[i] = value;
  }

  nearest(count: number, now: number): number {
    const { bank, scenes, own } = this.#at;
    return this.#exports.nearest(bank, scenes, own, count, now, this.way.minLikeShared);
  }
}

const kept: BankKernel[] = [];

function kernelOf(bank: BankTables, way: BankComparison): BankKernel {
  for (const kernel of kept) if (kernel.bank === bank && kernel.way === way) return kernel;
  const kernel = new BankKernel(bank, way);
  if (kept.length === MOST_BANKS) kept.shift();
  kept.push(kernel);
  return kernel;
}

/**
 * Chooses the member of a bank with the smallest mean difference from a series, over scenes that are history of both:
 * the first such member; -1 if none shares enough scenes.
 * @param now scene at which the values of the members have to be known
 * @param count number of observations: `values[i]` [metric unit] in scene `scenes[i]`, ascending, for i below `count`
 */
export function nearestMember(
  bank: BankTables,
  now: number,
  scenes: ArrayLike<number>,
  values: ArrayLike<number>,
  count: number,
  way: BankComparison,
): number {
  const kernel = kernelOf(bank, way);
  const step = Math.ceil(count / way.quickScenes);
  let compared = 0;
  for (let i = count - 1; i >= 0; i -= step) kernel.compare(scenes[i]!, values[i]!, compared++);
  return kernel.nearest(compared, now);
}
