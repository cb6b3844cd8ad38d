import type { FitRule } from './fit-rule.ts';
import { KernelInstance, scratchBytes } from './kernel-instance.ts';
import { type KernelLayout, type KernelSpec, layOut } from './kernel-layout.ts';
import { KernelMemory } from './kernel-memory.ts';
import type { MonitoringRule } from './monitoring-rule.ts';
import { type StripViews, viewBuffers } from './strip-buffers.ts';

/** Rules for all pixels of a kernel. */
export interface KernelRules {
  readonly fit: FitRule;
  /** Absent: the kernel only fits. */
  readonly monitoring?: MonitoringRule;
}

/** Views of the monitoring state. */
export interface StateViews {
  /** Samples of the new scene, one per pixel: write here before an update. */
  readonly scene: Int16Array | Float32Array;
  /** Bits of `FLAGS` by pixel, after an update. */
  readonly flags: Uint8Array;
  /** All monitoring state, to be saved and restored as it is. */
  readonly state: Uint8Array;
}

/** A kernel's memory with views of it. Other threads join by its layout. */
export interface OpenedKernel {
  readonly memory: KernelMemory;
  readonly layout: KernelLayout;
  readonly views: StripViews;
  readonly state: StateViews | null;
}

/** Allocates and lays out a memory for one kernel. @throws RangeError on a spec that it does not support */
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

/** Starts an instance with the given rules. */
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

/** Fits and updates strips of pixels on the calling thread, which should not be one that answers requests. */
export class StripKernel {
  readonly views: StripViews;
  readonly state: StateViews | null;
  readonly #instance: KernelInstance;

  /** @throws RangeError on a spec that the kernel does not support */
  constructor(spec: Omit<KernelSpec, 'monitors'>, rules: KernelRules) {
    const { memory, layout, views, state } = openKernel(spec, rules);
    const scratch = memory.allocate(scratchBytes(layout.tables.times));
    this.views = views;
    this.state = state;
    this.#instance = startInstance(memory.memory, layout, rules, scratch);
  }

  /**
   * Fits pixels `[0, pixels)` of the views to their scenes `[from, to)`.
   * @param begins whether monitoring begins with these fits
   */
  fit(pixels: number, from: number, to: number, begins = false): void {
    this.#instance.fit(0, pixels, from, to, begins);
  }

  /**
   * Updates the monitoring state with `state.scene` as the scene of that index: EWMA and run. `fully`: also MOSUM and
   * CUSUM, which read the residuals that leave their window from the series in the views.
   */
  update(pixels: number, scene: number, fully: boolean): void {
    this.#instance.update(0, pixels, scene, fully);
  }
}
