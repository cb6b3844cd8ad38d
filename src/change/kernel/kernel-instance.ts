import { MAD_TO_SIGMA } from '../../numerics/median.ts';
import type { FitRule } from './fit-rule.ts';
import type { KernelLayout } from './kernel-layout.ts';
import { type KernelExports, startKernel } from './kernel-module.ts';
import { ewmaLimit } from '../statistics/ewma.ts';
import type { MonitoringRule } from './monitoring-rule.ts';
import type { StateBuffers } from './state-buffers.ts';
import { INT16_MISSING, kindNumber, rowBytes, SAMPLE_BYTES } from './sample-kind.ts';

/**
 * Size of the scratch per scene [bytes], enough for designs of up to 8 columns; see `configure` in
 * assembly/kernel/workspace.ts.
 */
const SCRATCH_PER_SCENE = 16 * 9 + 16 + 8 + 8 + 16 * 202 + 8;
const SCRATCH_FIXED = 98_304;

/** Returns the size of the scratch that an instance needs [bytes]. */
export function scratchBytes(times: number): number {
  return SCRATCH_FIXED + SCRATCH_PER_SCENE * (times + 8);
}

/** Converts column numbers to bits, one per column. */
export function bitsOf(columns: readonly number[]): number {
  let bits = 0;
  for (const column of columns) bits |= 1 << column;
  return bits;
}

/** Instance of the kernel, for use by one thread. */
export class KernelInstance {
  readonly #exports: KernelExports;
  readonly #layout: KernelLayout;
  /** Fit rule that was set last. */
  #rule: FitRule | undefined;

  /** @param scratch address of `scratchBytes` bytes that only this instance uses */
  constructor(memory: WebAssembly.Memory, layout: KernelLayout, scratch: number) {
    this.#exports = startKernel(memory);
    this.#layout = layout;
    const { times, columns, byColumn, byRow, grams, ridge } = layout.tables;
    const used = this.#exports.configure(times, columns, byColumn, byRow, grams, ridge, scratch);
    if (used > scratchBytes(times)) throw new RangeError(`the kernel needs ${used} bytes of scratch`);
  }

  /** Sets the rule of fits. @throws RangeError when the rule has a column that the design lacks */
  setFit(rule: FitRule): void {
    if (rule === this.#rule) return;
    const known = this.#layout.tables.columns;
    const outside = rule.columns.find((c) => !(Number.isInteger(c) && c >= 0 && c < known));
    if (outside !== undefined || rule.columns.length === 0)
      throw new RangeError(`columns [${rule.columns.join(', ')}] are not some of the design's ${known}`);
    this.#exports.setFit(
      bitsOf(rule.columns),
      rule.minObservations,
      rule.rejectBeyond * MAD_TO_SIGMA,
      rule.rejectRounds,
      rule.observationsPerColumn,
      rule.historyCritical ?? 0,
    );
    this.#rule = rule;
  }

  /** Sets the rule of monitoring. @throws RangeError when the layout has no state */
  setMonitoring(rule: MonitoringRule): void {
    this.#exports.setState(this.#state.state);
    this.#exports.setStatistics(
      rule.clip,
      rule.ewmaWeight,
      ewmaLimit(rule.ewmaWeight, rule.ewmaSigmas),
      rule.outlierSigmas,
      rule.flagRun,
      rule.confirmRun,
      rule.windowShare,
      rule.mosumCritical,
      rule.cusumCritical,
      rule.refitGrowth,
    );
  }

  /**
   * Fits pixels `[first, first + count)` of the buffers to their scenes `[from, to)`.
   * @param begins whether to begin the monitoring state of the pixels with these fits
   */
  fit(first: number, count: number, from: number, to: number, begins: boolean): void {
    const { buffers, tables } = this.#layout;
    const row = rowBytes(buffers.kind, tables.times);
    this.#exports.fitPixels(
      buffers.samples + first * row,
      row,
      kindNumber(buffers.kind),
      INT16_MISSING,
      count,
      from,
      to,
      buffers.coefficients + first * tables.columns * 8,
      buffers.sigmas + first * 8,
      buffers.counts + first * 4,
      buffers.starts + first * 4,
      buffers.statuses + first,
      buffers.masks + first * Math.ceil(tables.times / 8),
      begins ? first : -1,
    );
  }

  /**
   * Fits one pixel to listed observations. The results are those of the first pixel of the buffers.
   * @param scenes address of their scenes (i32, ascending)
   * @param values address of their values (f64, none of them NaN)
   */
  fitListed(scenes: number, values: number, count: number): void {
    const { coefficients, sigmas, counts, starts, statuses, masks } = this.#layout.buffers;
    this.#exports.fitListed(scenes, values, count, coefficients, sigmas, counts, starts, statuses, masks);
  }

  /**
   * Updates the state of pixels `[first, first + count)` with a new scene.
   * @param first a multiple of 16
   * @param fully whether to update MOSUM and CUSUM in addition to the EWMA and the run of outliers; the buffers must
   *   then contain the series of these pixels. Must be the same in all updates of a state
   */
  update(first: number, count: number, scene: number, fully: boolean): void {
    const { buffers, tables } = this.#layout;
    const { scene: samples, flags, designRows, logs } = this.#state;
    const kind = kindNumber(buffers.kind);
    const at = samples + first * SAMPLE_BYTES[buffers.kind];
    const row = rowBytes(buffers.kind, tables.times);
    this.#exports.updateScene(
      first,
      count,
      at,
      kind,
      INT16_MISSING,
      scene,
      designRows,
      fully ? buffers.samples + first * row : 0,
      row,
      logs,
      flags + first,
    );
  }

  /** Factorises the normal matrix of the given columns over the scenes of the first mask in the buffers. */
  factorise(columns: readonly number[]): void {
    this.#exports.factorise(bitsOf(columns), this.#layout.buffers.masks);
  }

  /**
   * Address of the factors of the latest factorisation or fit of a single pixel; see `factors` in
   * assembly/kernel/solve.ts.
   */
  get factors(): number {
    return this.#exports.factors();
  }

  get #state(): StateBuffers {
    const { state } = this.#layout;
    if (state === null) throw new RangeError('this kernel was laid out to fit, not to monitor');
    return state;
  }
}
