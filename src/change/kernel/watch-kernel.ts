import { type BankComparison, type BankTables, copyBank } from './bank-kernel.ts';
import { type Design, designTables } from './design-tables.ts';
import { scratchBytes } from './kernel-instance.ts';
import { KernelMemory } from './kernel-memory.ts';
import { type KernelExports, startKernel } from './kernel-module.ts';
import { arrayLengths, Exchange, type TrackArrays } from './track-arrays.ts';

/** What all metrics of a stack share. */
export interface WatchFrame {
  readonly timesMs: Float64Array;
  readonly near: {
    readonly starts: Int32Array;
    readonly scenes: Int32Array;
    readonly weights: Float64Array;
    readonly supports: Uint8Array;
  };
}

/** What the kernel reads of the context of a metric; see `SceneContext` and `LikeBank`. */
export interface WatchedMetric {
  readonly noiseFloor: number;
  readonly sense: 1 | -1;
  /** 1 if the metric moves like the first, -1 if it moves oppositely, 0 if it is a witness. */
  readonly weight: number;
  readonly quantum: number;
  readonly isYearly: boolean;
  readonly frame: {
    readonly edges: Float64Array;
    readonly isGreen: Uint8Array;
    readonly comparable: Uint8Array;
    readonly level: Float64Array;
    readonly least: Float64Array;
    readonly median: Float64Array;
    readonly widening: Float64Array;
  };
  readonly context: {
    readonly shift: Float64Array;
    readonly spread: Float64Array;
    readonly typical: Float64Array;
    readonly likeSpread: Float64Array;
    readonly likeTypical: Float64Array;
    readonly commonFall: Float64Array;
    readonly peers: Readonly<Record<'shift' | 'spread' | 'typical' | 'stayed', Float64Array>>;
  };
  /** Null if pixels are not compared with like pixels. Lists are by member: `[member][scene]`. */
  readonly likes:
    | (BankTables & {
        readonly lists: Int32Array;
        readonly listMade: Int32Array;
        readonly median: Float32Array;
        readonly spread: Float32Array;
        readonly way: BankComparison;
      })
    | null;
}

/** Numbers of fields of the records of assembly/kernel/watch-record.ts, which has the same order. */
const EXCHANGED = { doubles: 8, wholes: 32 };
const TRACK_DOUBLES = 31;
const STATISTICS = { doubles: 12, wholes: 16 };
const LIKE_ADDRESSES = 7;
const SORTED_LISTS = 5;
/** Factors, inverses and solved columns of a fit [numbers]. */
const FACTORS = 64;
const INVERSES = 16;

/** Flag in the result of `watch`; see assembly/kernel/watch.ts. */
const LATE_DONE = 2 ** 30;

/** Memory of one metric of the pixel that is followed. */
export interface WatchedTrack {
  readonly arrays: TrackArrays;
  readonly series: Float64Array;
  readonly record: Exchange;
}

/** Follows a pixel while nothing is unusual, on the calling thread; see assembly/kernel/watch.ts. */
export class WatchKernel {
  readonly tracks: readonly WatchedTrack[];
  /** Record of the running statistics. */
  readonly record: Exchange;
  /**
   * Whether the scene that `watch` returned was received, and an earlier value that it showed to be observed was looked at:
   * only the observations of the scene itself are left.
   */
  isReceived = false;
  readonly #memory = new KernelMemory();
  readonly #exports: KernelExports;
  readonly #times: number;

  /**
   * @param rule limits of the engine, in the order of `Rule` in assembly/kernel/watch-record.ts
   * @throws RangeError when the kernel does not support the design
   */
  constructor(design: Design, frame: WatchFrame, metrics: readonly WatchedMetric[], rule: Float64Array) {
    const memory = this.#memory;
    const times = frame.timesMs.length;
    const tables = designTables(memory, design);
    this.#exports = startKernel(memory.memory);
    const { columns, byColumn, byRow, grams, ridge } = tables;
    const scratch = memory.allocate(scratchBytes(times));
    const used = this.#exports.configure(times, columns, byColumn, byRow, grams, ridge, scratch);
    if (used > scratchBytes(times)) throw new RangeError(`the kernel needs ${used} bytes of scratch`);
    this.#times = times;
    const { near } = frame;
    const shared = this.#wholes([
      times,
      this.#copy(frame.timesMs),
      this.#copy(near.starts),
      this.#copy(near.scenes),
      this.#copy(near.weights),
      this.#copy(near.supports),
    ]);
    const statistics = memory.allocate(8 * STATISTICS.doubles + 4 * STATISTICS.wholes);
    const before = memory.allocate(8 * STATISTICS.doubles + 4 * STATISTICS.wholes);
    const numbers = memory.float64(statistics, STATISTICS.doubles);
    const wholes = memory.int32(statistics + 8 * STATISTICS.doubles, STATISTICS.wholes);
    this.record = new Exchange(numbers, wholes);
    const bytes = this.#exports.trackBytes();
    const records = memory.allocate(bytes * metrics.length);
    this.tracks = metrics.map((metric, m) => this.#layOut(records + m * bytes, metric, times, columns));
    this.#exports.setWatch(this.#copy(rule), shared, statistics, before, records, metrics.length);
  }

  /**
   * Follows the pixel of the records from a scene on. Returns the first scene that the engine has to look at, or the
   * number of scenes. @param isFirst whether it is the first call for the pixel
   */
  watch(from: number, isFirst: boolean): number {
    const found = this.#exports.watch(from, this.#times, isFirst ? 1 : 0);
    this.isReceived = (found & LATE_DONE) !== 0;
    return found & (LATE_DONE - 1);
  }

  /** Copies numbers to the kernel's memory and returns their address. */
  #copy(numbers: Float64Array | Float32Array | Int32Array | Uint8Array): number {
    const address = this.#memory.allocate(numbers.byteLength);
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    this.#memory.bytes(address, numbers.byteLength).set(bytes);
    return address;
  }

  #wholes(numbers: readonly number[]): number {
    return this.#copy(Int32Array.from(numbers));
  }

  /** Allocates the memory of a metric, and writes its constants and addresses to its record. */
  #layOut(record: number, metric: WatchedMetric, times: number, columns: number): WatchedTrack {
    const memory = this.#memory;
    const { context, likes, noiseFloor, sense, weight, quantum, isYearly, frame } = metric;
    const { arrays, addresses } = this.#arrays(times, columns);
    const series = memory.allocate(8 * times);
    const hasPeers = context.peers.shift.length > 0;
    const { peers } = context;
    const doubles = memory.float64(record, TRACK_DOUBLES);
    doubles.fill(Number.NaN);
    doubles.set([noiseFloor, sense, weight, quantum, isYearly ? 1 : 0], EXCHANGED.doubles);
    const constants = [
      series,
      ...addresses,
      memory.allocate(8 * FACTORS),
      memory.allocate(8 * INVERSES),
      this.#copy(frame.edges),
      this.#copy(frame.isGreen),
      this.#copy(context.shift),
      this.#copy(context.spread),
      this.#copy(context.typical),
      this.#copy(frame.comparable),
      this.#copy(frame.level),
      this.#copy(frame.least),
      this.#copy(frame.median),
      this.#copy(frame.widening),
      this.#copy(context.likeSpread),
      this.#copy(context.likeTypical),
      context.commonFall.length > 0 ? this.#copy(context.commonFall) : 0,
      ...[peers.shift, peers.spread, peers.typical, peers.stayed].map((of) =>
        hasPeers ? this.#copy(of) : 0,
      ),
      ...this.#likes(likes),
      ...Array.from({ length: SORTED_LISTS }, () => memory.allocate(8 * times)),
    ];
    const wholesAt = record + 8 * TRACK_DOUBLES;
    memory.int32(wholesAt + 4 * EXCHANGED.wholes, constants.length).set(constants);
    const wholes = memory.int32(wholesAt, EXCHANGED.wholes);
    return {
      arrays,
      series: memory.float64(series, times),
      record: new Exchange(doubles, wholes),
    };
  }

  /** Copies what the kernel reads of the like pixels, in the order of the record. */
  #likes(likes: WatchedMetric['likes']): readonly number[] {
    if (likes === null) return Array.from({ length: LIKE_ADDRESSES }, () => 0);
    const { bank, scenes, own } = copyBank(this.#memory, likes, likes.way);
    const tables = [likes.lists, likes.listMade, likes.median, likes.spread].map((of) => this.#copy(of));
    return [...tables, bank, scenes, own];
  }

  /** Allocates the arrays of a metric. Their addresses are in the order of the record. */
  #arrays(times: number, columns: number): { arrays: TrackArrays; addresses: readonly number[] } {
    const memory = this.#memory;
    const lengths = arrayLengths(times, columns);
    const scenes = memory.int32(memory.allocate(4 * lengths.scenes), lengths.scenes);
    const values = memory.float64(memory.allocate(8 * lengths.values), lengths.values);
    const departures = memory.float32(memory.allocate(4 * lengths.departures), lengths.departures);
    const isHistory = memory.bytes(memory.allocate(lengths.isHistory), lengths.isHistory);
    const pendingScenes = memory.int32(memory.allocate(4 * times), times);
    const pendingValues = memory.float64(memory.allocate(8 * times), times);
    const pendingDepartures = memory.float32(memory.allocate(4 * times), times);
    const pendingResiduals = memory.float32(memory.allocate(4 * times), times);
    const pendingFroms = memory.int32(memory.allocate(4 * times), times);
    const pendingTos = memory.int32(memory.allocate(4 * times), times);
    const coefficients = memory.float64(memory.allocate(8 * columns), columns);
    const kept = memory.bytes(memory.allocate(lengths.kept), lengths.kept);
    const all = [
      scenes,
      values,
      departures,
      isHistory,
      pendingScenes,
      pendingValues,
      pendingDepartures,
      pendingResiduals,
      pendingFroms,
      pendingTos,
      coefficients,
      kept,
    ];
    const arrays: TrackArrays = {
      scenes,
      values,
      departures,
      isHistory,
      pendingScenes,
      pendingValues,
      pendingDepartures,
      pendingResiduals,
      pendingFroms,
      pendingTos,
      coefficients,
      kept,
    };
    return { arrays, addresses: all.map(({ byteOffset }) => byteOffset) };
  }
}
