import type { KernelMemory } from './kernel-memory.ts';
import { rowBytes, type SampleKind } from './sample-kind.ts';

/** Where the series of up to `capacity` pixels and what is found in them lie. Plain numbers: they cross threads. */
export interface StripBuffers {
  readonly kind: SampleKind;
  readonly capacity: number;
  readonly samples: number;
  readonly coefficients: number;
  readonly sigmas: number;
  readonly counts: number;
  readonly starts: number;
  readonly statuses: number;
  readonly masks: number;
}

/** Allocates buffers for series of `times` scenes and fits of `columns` columns. */
export function allocateBuffers(
  memory: KernelMemory,
  kind: SampleKind,
  capacity: number,
  times: number,
  columns: number,
): StripBuffers {
  return {
    kind,
    capacity,
    samples: memory.allocate(rowBytes(kind, times) * capacity),
    coefficients: memory.allocate(columns * capacity * 8),
    sigmas: memory.allocate(capacity * 8),
    counts: memory.allocate(capacity * 4),
    starts: memory.allocate(capacity * 4),
    statuses: memory.allocate(capacity),
    masks: memory.allocate(Math.ceil(times / 8) * capacity),
  };
}

/** What became of a pixel's fit; the place in the list is the kernel's number for it. */
export const FIT_STATUS = ['fitted', 'too few observations', 'singular'] as const;

/** Views of the buffers, by pixel. */
export interface StripViews {
  /** Series `[pixel][time]`: write here before a fit. */
  readonly samples: Int16Array | Float32Array | Float64Array;
  /** `[pixel][column]` in sample units; NaN where nothing was fitted, 0 in columns that were not asked for. */
  readonly coefficients: Float64Array;
  /** Standard deviation of the residuals of the observations kept, degrees of freedom counted; NaN likewise. */
  readonly sigmas: Float64Array;
  /** Observations kept. */
  readonly counts: Int32Array;
  /** First scene of the stable history; the first of the window where none was selected. */
  readonly starts: Int32Array;
  /** Index in `FIT_STATUS`. */
  readonly statuses: Uint8Array;
  /** A bit per scene, lowest first, `ceil(times / 8)` bytes a pixel: 1 where the observation was kept. */
  readonly masks: Uint8Array;
}

/** Opens views of buffers. */
export function viewBuffers(
  memory: KernelMemory,
  buffers: StripBuffers,
  { times, columns }: { readonly times: number; readonly columns: number },
): StripViews {
  const { kind, capacity } = buffers;
  return {
    samples: memory.samples(kind, buffers.samples, capacity * times),
    coefficients: memory.float64(buffers.coefficients, capacity * columns),
    sigmas: memory.float64(buffers.sigmas, capacity),
    counts: memory.int32(buffers.counts, capacity),
    starts: memory.int32(buffers.starts, capacity),
    statuses: memory.bytes(buffers.statuses, capacity),
    masks: memory.bytes(buffers.masks, capacity * Math.ceil(times / 8)),
  };
}
