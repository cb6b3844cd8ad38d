import type { Design } from './design-tables.ts';
import type { KernelMemory } from './kernel-memory.ts';
import { SAMPLE_BYTES, type SampleKind } from './sample-kind.ts';

/** Number of pixels in a group of the kernel's state. */
const GROUP = 16;
/** Number of columns to which the single-precision design is padded. */
const ROW_COLUMNS = 8;
/** Length of the table of logarithms for the boundaries: one entry for each 16-bit number. */
const LOGARITHMS = 65_536;

/**
 * Addresses of the monitoring state of up to `capacity` pixels, and of the inputs and outputs of an update. Plain
 * numbers that can be sent to other threads.
 */
export interface StateBuffers {
  /** Maximum number of pixels, a multiple of 16. */
  readonly capacity: number;
  readonly state: number;
  readonly stateBytes: number;
  /** Samples of the new scene, one per pixel. */
  readonly scene: number;
  readonly flags: number;
  /** Design in single precision, `[scene][8]`. */
  readonly designRows: number;
  readonly logs: number;
}

/** Returns the size of the monitoring state of a pixel [bytes]: 4 per column and 24 more, at most 56. */
export function stateBytesPerPixel(columns: number): number {
  return 4 * columns + 24;
}

/** Allocates the buffers that monitoring needs in addition to the series, and fills the design and the logarithms. */
export function allocateState(
  memory: KernelMemory,
  design: Design,
  kind: SampleKind,
  capacity: number,
): StateBuffers {
  const { rows, columns } = design;
  const padded = Math.ceil(capacity / GROUP) * GROUP;
  const times = rows.length / columns;
  const stateBytes = stateBytesPerPixel(columns) * padded;
  const buffers: StateBuffers = {
    capacity: padded,
    state: memory.allocate(stateBytes),
    stateBytes,
    scene: memory.allocate(SAMPLE_BYTES[kind] * padded),
    flags: memory.allocate(padded),
    designRows: memory.allocate(times * ROW_COLUMNS * 4),
    logs: memory.allocate(LOGARITHMS * 4),
  };
  const singles = memory.float32(buffers.designRows, times * ROW_COLUMNS);
  rows.forEach((x, i) => (singles[Math.floor(i / columns) * ROW_COLUMNS + (i % columns)] = x));
  memory.float32(buffers.logs, LOGARITHMS).forEach((_, i, logs) => (logs[i] = Math.log(i)));
  return buffers;
}
