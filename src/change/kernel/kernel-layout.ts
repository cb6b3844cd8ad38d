import { designTables, type Design, type DesignTables } from './design-tables.ts';
import type { KernelMemory } from './kernel-memory.ts';
import { allocateState, type StateBuffers } from './state-buffers.ts';
import type { SampleKind } from './sample-kind.ts';
import { allocateBuffers, type StripBuffers } from './strip-buffers.ts';

/** What a kernel works on. */
export interface KernelSpec {
  readonly design: Design;
  readonly kind: SampleKind;
  /** Pixels that it can hold at once. */
  readonly capacity: number;
  /** Whether it monitors scenes, or only fits. */
  readonly monitors: boolean;
}

/** Where everything lies in a kernel's memory. Plain numbers: it crosses threads. */
export interface KernelLayout {
  readonly tables: DesignTables;
  readonly buffers: StripBuffers;
  readonly state: StateBuffers | null;
}

/** Allocates a kernel's memory but for its threads' scratch. @throws RangeError on a spec that it cannot serve */
export function layOut(memory: KernelMemory, { design, kind, capacity, monitors }: KernelSpec): KernelLayout {
  if (!Number.isInteger(capacity) || capacity < 1)
    throw new RangeError(`capacity must be a whole number of pixels from 1 on, got ${capacity}`);
  if (monitors && kind === 'float64')
    throw new RangeError('scenes are monitored as int16 or float32 samples');
  const tables = designTables(memory, design);
  const buffers = allocateBuffers(memory, kind, capacity, tables.times, tables.columns);
  return { tables, buffers, state: monitors ? allocateState(memory, design, kind, capacity) : null };
}
