import { readFileSync } from 'node:fs';

/** What a process has used. */
export interface ProcessUse {
  /** Processor time of all its threads [ms]. */
  readonly cpuMs: number;
  /** Memory that it occupies now [bytes]. */
  readonly rssBytes: number;
}

const TICK_MS = 10; // unit of the times in /proc/<pid>/stat: USER_HZ is 100 on all Linux systems
const PAGE_BYTES = 4096; // unit of the sizes there; larger pages, as on some arm64 systems, make the limit stricter

/** Reads what a process has used; undefined where the system does not tell, or the process has ended. */
export function processUse(pid: number): ProcessUse | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field, the name of the program, may contain spaces and ends with the last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      rssBytes: Number(fields[21]) * PAGE_BYTES,
    };
  } catch {
    return undefined;
  }
}
