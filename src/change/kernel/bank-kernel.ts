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

/** Members that the kernel compares together; rows are padded to a multiple of it. */
const TOGETHER = 8;
/** First scene of a member that is only padding: beyond all scenes. */
const NEVER = 0x7fffffff;
/** Banks that a thread keeps: more than the metrics that are followed together. */
const MOST_BANKS = 8;

/** Copy of a bank in the memory of a kernel, for one thread. */
class BankKernel {
  readonly bank: BankTables;
  readonly #exports: KernelExports;
  readonly #stride: number;
  readonly #values: number;
  readonly #knownSince: number;
  readonly #firsts: number;
  readonly #means: number;
  readonly #scenes: Int32Array;
  readonly #own: Float64Array;

  constructor(bank: BankTables, mostScenes: number) {
    const members = bank.pixels.length;
    const rows = members === 0 ? 0 : bank.values.length / members;
    const stride = Math.ceil(members / TOGETHER) * TOGETHER;
    const memory = new KernelMemory();
    this.bank = bank;
    this.#exports = startKernel(memory.memory);
    this.#stride = stride;
    const size = rows * stride;
    this.#values = memory.allocate(4 * size);
    this.#knownSince = memory.allocate(4 * size);
    this.#firsts = memory.allocate(4 * size);
    this.#means = memory.allocate(4 * (stride + mostScenes));
    const [scenes, own] = [memory.allocate(4 * mostScenes), memory.allocate(8 * mostScenes)];
    this.#scenes = memory.int32(scenes, mostScenes);
    this.#own = memory.float64(own, mostScenes);
    const [values, knownSince, firsts] = [
      memory.float32(this.#values, size),
      memory.int32(this.#knownSince, size).fill(NEVER),
      memory.int32(this.#firsts, size).fill(NEVER),
    ];
    for (let t = 0; t < rows; t++) {
      const [from, to] = [t * members, (t + 1) * members];
      values.set(bank.values.subarray(from, to), t * stride);
      knownSince.set(bank.knownSince.subarray(from, to), t * stride);
      firsts.set(bank.firsts.subarray(from, to), t * stride);
    }
  }

  get mostScenes(): number {
    return this.#scenes.length;
  }

  compare(scene: number, value: number, i: number): void {
    this.#scenes[i] = scene;
    this.#own[i] = value;
  }

  nearest(count: number, now: number, clip: number, least: number): number {
    return this.#exports.nearest(
      this.#values,
      this.#knownSince,
      this.#firsts + 4 * now * this.#stride,
      this.#stride,
      this.#scenes.byteOffset,
      this.#own.byteOffset,
      count,
      now,
      clip,
      least,
      this.#means,
    );
  }
}

const kept: BankKernel[] = [];

function kernelOf(bank: BankTables, mostScenes: number): BankKernel {
  for (const kernel of kept) if (kernel.bank === bank && kernel.mostScenes >= mostScenes) return kernel;
  const kernel = new BankKernel(bank, mostScenes);
  if (kept.length === MOST_BANKS) kept.shift();
  kept.push(kernel);
  return kernel;
}

/** How the pixels of a bank are compared with a series. */
export interface BankComparison {
  /** Number of scenes that are compared at least; up to twice as many are. */
  readonly quickScenes: number;
  /** Largest difference that counts [metric unit]. */
  readonly likeClip: number;
  /** Fewest scenes in which two pixels are compared. */
  readonly minLikeShared: number;
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
  { quickScenes, likeClip, minLikeShared }: BankComparison,
): number {
  const kernel = kernelOf(bank, 2 * quickScenes);
  const step = Math.ceil(count / quickScenes);
  let compared = 0;
  for (let i = count - 1; i >= 0; i -= step) kernel.compare(scenes[i]!, values[i]!, compared++);
  return kernel.nearest(compared, now, likeClip, minLikeShared);
}
