import type { KernelMemory } from './kernel-memory.ts';
import { rowBytes, type SampleKind } from './sample-kind.ts';

/**
 * Addresses of the series of up to `capacity` pixels and of their results. Plain numbers that can be sent to other
 * threads.
 */
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

/** Views of the buffers; one entry per pixel unless stated otherwise. */
export interface StripViews {
  /** Series `[pixel][time]`, to be written before a fit. */
  readonly samples: Int16Array | Float32Array | Float64Array;
  /** Coefficients `[pixel][column]` [sample unit]; NaN where the fit failed, 0 in columns that were not fitted. */
  readonly coefficients: Float64Array;
  /**
   * Standard deviation of the residuals of the kept observations [sample unit]. Its degrees of freedom are
   * the number of kept observations minus the number of fitted columns. NaN where the fit failed.
   */
  readonly sigmas: Float64Array;
  /** Number of kept observations. */
  readonly counts: Int32Array;
  /** First scene of the stable history; the first scene of the fit if no stable history was selected. */
  readonly starts: Int32Array;
  /** Status of the fit: 0 fitted, 1 too few observations, 2 singular. */
  readonly statuses: Uint8Array;
  /**
   * Masks of `ceil(times / 8)` bytes per pixel, one bit per scene, lowest bit first: 1 if the observation was kept.
   */
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
