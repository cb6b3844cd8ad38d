import type { FitRule } from './fit-rule.ts';
import { KernelInstance, scratchBytes } from './kernel-instance.ts';
import { type KernelLayout, type KernelSpec, layOut } from './kernel-layout.ts';
import { KernelMemory } from './kernel-memory.ts';
import type { MonitoringRule } from './monitoring-rule.ts';
import { type StripViews, viewBuffers } from './strip-buffers.ts';

/** Rules of a kernel, the same for all its pixels. */
export interface KernelRules {
  readonly fit: FitRule;
  /** Rule of monitoring. If absent, the kernel fits the series but does not monitor them. */
  readonly monitoring?: MonitoringRule;
}

/** Views of the monitoring state. */
export interface StateViews {
  /** Samples of the new scene, one per pixel, to be written before an update. */
  readonly scene: Int16Array | Float32Array;
  /** Flags of each pixel after an update, as bits of `FLAGS`. */
  readonly flags: Uint8Array;
  /** The whole monitoring state, as bytes that can be saved and restored unchanged. */
  readonly state: Uint8Array;
}

/** Memory of a kernel with views of it. Other threads start instances on the same memory and layout. */
export interface OpenedKernel {
  readonly memory: KernelMemory;
  readonly layout: KernelLayout;
  readonly views: StripViews;
  readonly state: StateViews | null;
}

/** Allocates and lays out the memory of a kernel. @throws RangeError when the spec is not supported */
export function openKernel(spec: Omit<KernelSpec, 'monitors'>, rules: KernelRules): OpenedKernel {
  const memory = new KernelMemory();
  const layout = layOut(memory, { ...spec, monitors: rules.monitoring !== undefined });
  const { state, buffers } = layout;
  return {
    memory,
    layout,
    views: viewBuffers(memory, buffers, layout.tables),
    state: state && {
      scene: memory.samples(buffers.kind, state.scene, state.capacity) as StateViews['scene'],
      flags: memory.bytes(state.flags, state.capacity),
      state: memory.bytes(state.state, state.stateBytes),
    },
  };
}

/** Starts an instance of the kernel with the given rules. */
export function startInstance(
  memory: WebAssembly.Memory,
  layout: KernelLayout,
  rules: KernelRules,
  scratch: number,
): KernelInstance {
  const instance = new KernelInstance(memory, layout, scratch);
  instance.setFit(rules.fit);
  if (rules.monitoring !== undefined) instance.setMonitoring(rules.monitoring);
  return instance;
}

/** Fits and updates strips of pixels on the calling thread. Do not use it on a thread that answers requests. */
export class StripKernel {
  readonly views: StripViews;
  readonly state: StateViews | null;
  readonly #instance: KernelInstance;

  /** @throws RangeError when the kernel does not support the spec */
  constructor(spec: Omit<KernelSpec, 'monitors'>, rules: KernelRules) {
    const { memory, layout, views, state } = openKernel(spec, rules);
    const scratch = memory.allocate(scratchBytes(layout.tables.times));
    this.views = views;
    this.state = state;
    this.#instance = startInstance(memory.memory, layout, rules, scratch);
  }

  /**
   * Fits pixels `[0, pixels)` of the views to their scenes `[from, to)`.
   * @param begins whether to begin the monitoring state of the pixels with these fits
   */
  fit(pixels: number, from: number, to: number, begins = false): void {
    this.#instance.fit(0, pixels, from, to, begins);
  }

  /**
   * Updates the monitoring state with the samples in `state.scene`.
   * @param scene index of the scene that the samples belong to
   * @param fully whether to update MOSUM and CUSUM as well as EWMA and run; the samples that leave the moving windows
   *   are then read from the series in the views
   */
  update(pixels: number, scene: number, fully: boolean): void {
    this.#instance.update(0, pixels, scene, fully);
  }
}
