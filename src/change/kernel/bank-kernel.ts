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

/** Addresses of a copy of a bank in the memory of a kernel, and the length of its rows. */
export interface BankAddresses {
  readonly stride: number;
  readonly values: number;
  readonly knownSince: number;
  readonly firsts: number;
  /** Room for the scenes and values that members are compared with, and for what the kernel compares. */
  readonly scenes: number;
  readonly own: number;
  readonly means: number;
}

/** Copies a bank to the memory of a kernel. @param mostScenes most scenes in which members are compared */
export function copyBank(memory: KernelMemory, bank: BankTables, mostScenes: number): BankAddresses {
  const members = bank.pixels.length;
  const rows = members === 0 ? 0 : bank.values.length / members;
  const stride = Math.ceil(members / TOGETHER) * TOGETHER;
  const size = rows * stride;
  const at = {
    values: memory.allocate(4 * size),
    knownSince: memory.allocate(4 * size),
    firsts: memory.allocate(4 * size),
    means: memory.allocate(4 * (stride + mostScenes)),
    scenes: memory.allocate(4 * mostScenes),
    own: memory.allocate(8 * mostScenes),
  };
  const [values, knownSince, firsts] = [
    memory.float32(at.values, size),
    memory.int32(at.knownSince, size).fill(NEVER),
    memory.int32(at.firsts, size).fill(NEVER),
  ];
  for (let t = 0; t < rows; t++) {
    const [from, to] = [t * members, (t + 1) * members];
    values.set(bank.values.subarray(from, to), t * stride);
    knownSince.set(bank.knownSince.subarray(from, to), t * stride);
    firsts.set(bank.firsts.subarray(from, to), t * stride);
  }
  return { stride, ...at };
}

/** Copy of a bank in the memory of a kernel, for one thread. */
class BankKernel {
  readonly bank: BankTables;
  readonly #exports: KernelExports;
  readonly #at: BankAddresses;
  readonly #scenes: Int32Array;
  readonly #own: Float64Array;

  constructor(bank: BankTables, mostScenes: number) {
    const memory = new KernelMemory();
    this.bank = bank;
    this.#exports = startKernel(memory.memory);
    this.#at = copyBank(memory, bank, mostScenes);
    this.#scenes = memory.int32(this.#at.scenes, mostScenes);
    this.#own = memory.float64(this.#at.own, mostScenes);
  }

  get mostScenes(): number {
    return this.#scenes.length;
  }

  compare(scene: number, value: number, i: number): void {
    this.#scenes[i] = scene;
    this.#own[i] = value;
  }

  nearest(count: number, now: number, clip: number, least: number): number {
    const { values, knownSince, firsts, stride, scenes, own, means } = this.#at;
    return this.#exports.nearest(
      values,
      knownSince,
      firsts + 4 * now * stride,
      stride,
      scenes,
      own,
      count,
      now,
      clip,
      least,
      means,
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
