import { type WatchedMetric, WatchKernel } from '../kernel/watch-kernel.ts';
import { PARAMETERS } from '../parameters.ts';
import { sceneFrame } from '../scene/scene-frame.ts';
import type { StackSpec } from '../stack.ts';
import type { DepartureMonitor } from './departure-monitor.ts';
import { areShowing } from './like-claims.ts';
import { listsByMember } from './like-reference.ts';
import type { FollowedMetric, MetricTrack } from './metric-track.ts';
import { asDesign } from './seasonal-fit.ts';
import { ruleNumbers } from '../kernel/watch-rule.ts';

/** Kernels that a thread keeps: their tables take a millisecond, and strips of a search have the same. */
const MOST_KERNELS = 4;

interface KeptKernel {
  readonly timesMs: Float64Array;
  readonly metrics: readonly FollowedMetric[];
  readonly kernel: WatchKernel;
}

const kept: KeptKernel[] = [];

/**
 * Returns a kernel that watches pixels in the given metrics.
 * @param metrics the metrics, and their weights in the evidence; that of a witness is 0
 */
export function watchKernelOf(
  spec: StackSpec,
  metrics: readonly FollowedMetric[],
  weights: readonly number[],
): WatchKernel {
  const known = kept.find((of) => of.timesMs === spec.timesMs && areSame(of.metrics, metrics));
  if (known !== undefined) return known.kernel;
  const frames = metrics.map(({ traits, context }) => sceneFrame(spec, context.levels, traits.noiseFloor));
  const [first] = frames as [(typeof frames)[0]];
  const watched = metrics.map(({ traits, context }, m): WatchedMetric => {
    const { bank } = context;
    return {
      noiseFloor: traits.noiseFloor,
      sense: traits.sense,
      weight: weights[m]!,
      quantum: traits.quantum,
      isYearly: traits.seasonal,
      frame: frames[m]!,
      context,
      likes:
        weights[m] === 0 || bank.pixels.length === 0
          ? null
          : { ...bank, lists: listsByMember(bank), way: PARAMETERS },
    };
  });
  const kernel = new WatchKernel(asDesign(first.design), first, watched, ruleNumbers(areShowing(metrics)));
  if (kept.length === MOST_KERNELS) kept.shift();
  kept.push({ timesMs: spec.timesMs, metrics, kernel });
  return kernel;
}

function areSame(a: readonly FollowedMetric[], b: readonly FollowedMetric[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ traits, context }, m) => traits === b[m]!.traits && context === b[m]!.context)
  );
}

/**
 * Takes a pixel through the scenes in which it is watched and nothing is unusual, in the kernel. The result is the same
 * to the bit as that of the engine, which looks at all other scenes.
 */
export class PixelWatch {
  readonly #kernel: WatchKernel;
  readonly #monitor: DepartureMonitor;
  readonly #tracks: readonly MetricTrack[];
  /** Whether the kernel has the series of the pixel. */
  #hasSeries = false;
  #isReceived = false;

  constructor(kernel: WatchKernel, monitor: DepartureMonitor, tracks: readonly MetricTrack[]) {
    this.#kernel = kernel;
    this.#monitor = monitor;
    this.#tracks = tracks;
  }

  /** Whether the engine has only to look at the observations of the scene that `advance` returned, which was received. */
  get isReceived(): boolean {
    return this.#isReceived;
  }

  /** Begins the next pixel. */
  begin(): void {
    this.#hasSeries = false;
  }

  /**
   * Takes the pixel from a scene on as far as nothing is unusual. Returns the scene that the engine has to look at, or
   * the number of scenes.
   */
  advance(scene: number, series: readonly (Float32Array | Float64Array)[], offset: number): number {
    const kernel = this.#kernel;
    this.#isReceived = false;
    if (this.#monitor.state !== 'watching' || this.#monitor.notes.isOpen) return scene;
    // Where the kernel stopped at weak evidence it would mostly stop at the next scene. A pixel that goes on from a saved
    // state has such evidence without a stop, since the kernel had left it there.
    if (this.#hasSeries && this.#monitor.hasEvidence) return scene;
    const tracks = this.#tracks;
    const isFirst = !this.#hasSeries;
    if (isFirst) this.#copySeries(series, offset, scene);
    this.#monitor.exchange(kernel.record.write());
    for (let m = 0; m < tracks.length; m++) tracks[m]!.exchange(kernel.tracks[m]!.record.write());
    const next = kernel.watch(scene, isFirst);
    this.#monitor.exchange(kernel.record.read());
    for (let m = 0; m < tracks.length; m++) tracks[m]!.exchange(kernel.tracks[m]!.record.read());
    this.#isReceived = kernel.isReceived;
    return next;
  }

  #copySeries(series: readonly (Float32Array | Float64Array)[], offset: number, from: number): void {
    for (let m = 0; m < series.length; m++) {
      const its = series[m]!;
      const copy = this.#kernel.tracks[m]!.series;
      for (let t = from; t < copy.length; t++) copy[t] = its[offset + t]!;
    }
    this.#hasSeries = true;
  }
}
