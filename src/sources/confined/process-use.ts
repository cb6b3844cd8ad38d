import { readFileSync } from 'node:fs';

/** What a process has used. */
export interface ProcessUse {
  /** Processor time of all its threads [ms]. */
  readonly cpuMs: number;
  /** Memory that it occupies now [bytes]. */
  readonly rssBytes: number;
}

const TICK_MS = 10; // unit of the times in /proc/<pid>/stat: USER_HZ is 100 on all Linux systems

/** Reads what a process has used; undefined where the system does not tell, or the process has ended. */
export function processUse(pid: number): ProcessUse | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field, the name of the program, may contain spaces and ends with the last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // In kB there; the sizes in `stat` are in pages, whose size Node does not tell.
    const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      rssBytes: Number(rss ?? 0) * 1024,
    };
  } catch {
    return undefined;
  }
}
