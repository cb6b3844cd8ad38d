import { readFileSync } from 'node:fs';

/**
 * Exports of `assembly/kernel`, which documents each parameter. Addresses are byte offsets in the instance's memory.
 */
export interface KernelExports {
  configure(
    times: number,
    columns: number,
    byColumn: number,
    byRow: number,
    grams: number,
    ridge: number,
    scratch: number,
  ): number;
  setFit(
    columnBits: number,
    fewest: number,
    beyond: number,
    rounds: number,
    perColumn: number,
    critical: number,
  ): void;
  fitPixels(
    samples: number,
    rowBytes: number,
    kind: number,
    missing: number,
    pixels: number,
    from: number,
    to: number,
    coefficients: number,
    sigmas: number,
    counts: number,
    starts: number,
    statuses: number,
    masks: number,
    monitored: number,
  ): void;
  fitListed(
    scenes: number,
    values: number,
    count: number,
    coefficients: number,
    sigmas: number,
    counts: number,
    starts: number,
    statuses: number,
    masks: number,
  ): void;
  factorise(columnBits: number, mask: number): void;
  factors(): number;
  setState(at: number): void;
  setStatistics(
    clip: number,
    weight: number,
    ewmaLimit: number,
    outlier: number,
    flagRun: number,
    confirmRun: number,
    windowShare: number,
    movingCritical: number,
    sumCritical: number,
    growth: number,
  ): void;
  updateScene(
    first: number,
    count: number,
    samples: number,
    kind: number,
    missing: number,
    scene: number,
    designRows: number,
    series: number,
    rowBytes: number,
    logs: number,
    flags: number,
  ): void;
  setWatch(
    rule: number,
    shared: number,
    statistics: number,
    before: number,
    tracks: number,
    count: number,
  ): void;
  trackBytes(): number;
  watch(from: number, until: number, isFirst: number): number;
  nearest(bank: number, scenes: number, own: number, count: number, now: number, least: number): number;
}

let compiled: WebAssembly.Module | undefined;

/** Starts an instance of the kernel on a memory that it may share with other instances. */
export function startKernel(memory: WebAssembly.Memory): KernelExports {
  // Each thread compiles the module once, from a file of 25 KB next to this one.
  compiled ??= new WebAssembly.Module(readFileSync(new URL('./kernel.wasm', import.meta.url)));
  const instance = new WebAssembly.Instance(compiled, { env: { memory } });
  // The exports of each instance have a hidden class of their own, for which the engine would compile all callers again.
  // Copies that are made in the same order share one.
  return Object.assign({}, instance.exports) as unknown as KernelExports;
}
