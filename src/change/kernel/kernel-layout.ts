import { designTables, type Design, type DesignTables } from './design-tables.ts';
import type { KernelMemory } from './kernel-memory.ts';
import { allocateState, type StateBuffers } from './state-buffers.ts';
import type { SampleKind } from './sample-kind.ts';
import { allocateBuffers, type StripBuffers } from './strip-buffers.ts';

/** Specification of a kernel: its design, and what its memory must have room for. */
export interface KernelSpec {
  readonly design: Design;
  readonly kind: SampleKind;
  /** Maximum number of pixels per call. */
  readonly capacity: number;
  /** Whether the kernel monitors new scenes as well as fitting baselines. */
  readonly monitors: boolean;
}

/** Addresses of all tables and buffers in a kernel's memory. Plain numbers that can be sent to other threads. */
export interface KernelLayout {
  readonly tables: DesignTables;
  readonly buffers: StripBuffers;
  readonly state: StateBuffers | null;
}

/**
 * Allocates a kernel's memory, except the scratch of each thread.
 * @throws RangeError when the spec is not supported
 */
export function layOut(memory: KernelMemory, { design, kind, capacity, monitors }: KernelSpec): KernelLayout {
  if (!Number.isInteger(capacity) || capacity < 1)
    throw new RangeError(`capacity must be a whole number of pixels from 1 on, got ${capacity}`);
  if (monitors && kind === 'float64')
    throw new RangeError('scenes are monitored as int16 or float32 samples');
  const tables = designTables(memory, design);
  const buffers = allocateBuffers(memory, kind, capacity, tables.times, tables.columns);
  return { tables, buffers, state: monitors ? allocateState(memory, design, kind, capacity) : null };
}
