import { totalmem } from 'node:os';

/** Limits of a process that reads files of others. */
export interface ReadingLimits {
  /** Memory that it may occupy [bytes]. */
  readonly memoryBytes: number;
  /** Processor time between two signs of life: of one block, or one parse of a text [ms]. */
  readonly stepCpuMs: number;
  /** Processor time of one call, such as the reading of one band [ms]. */
  readonly callCpuMs: number;
  /** Time of one call [ms]. */
  readonly callMs: number;
}

/** Least and most memory [bytes]. A band of 2^28 pixels in double precision takes 2 GiB. */
const MEMORY = { least: 2 ** 30, most: 2 ** 32 };

/**
 * The limits. Half of the memory that the machine, or the container, has; at least 1 GiB, and at most 4 GiB. The
 * largest block of 512 MiB is decoded in 5 s; the time of a call allows for files of hundreds of gigabytes.
 */
export function readingLimits(): ReadingLimits {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return {
    memoryBytes: Math.min(Math.max(machine / 2, MEMORY.least), MEMORY.most),
    stepCpuMs: 20_000,
    callCpuMs: 4 * 3_600_000,
    callMs: 24 * 3_600_000,
  };
}
