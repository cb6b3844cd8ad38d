import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const TICKS_PER_S = 100; // unit of processor times in /proc (proc(5): sysconf(_SC_CLK_TCK), 100 on Linux)

/** Fields of the `stat` file of a process from the field `state` on. @throws Error when the process has ended */
function statOf(pid: string): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function secondsOf(stat: readonly string[], fields: readonly number[]): number {
  return fields.reduce((sum, field) => sum + Number(stat[field]), 0) / TICKS_PER_S;
}

/** Processor time of the ended child processes of this process, with theirs [s]; NaN where /proc does not report it. */
export function endedChildrenS(): number {
  try {
    return secondsOf(statOf('self'), [13, 14]);
  } catch {
    return Number.NaN;
  }
}

/**
 * Processor time of a running process, of all running processes below it, and of those of them that have ended [s]; NaN
 * where /proc does not report it.
 */
export function treeS(pid: number): number {
  try {
    const children = Map.groupBy(
      readdirSync('/proc').flatMap((id) => {
        if (!/^\d+$/.test(id)) return [];
        try {
          return [{ id, stat: statOf(id) }];
        } catch {
          return []; // it has ended
        }
      }),
      ({ stat }) => stat[1]!,
    );
    const sumOf = (id: string): number =>
      (children.get(id) ?? []).reduce(
        (sum, child) => sum + secondsOf(child.stat, [11, 12, 13, 14]) + sumOf(child.id),
        0,
      );
    return secondsOf(statOf(String(pid)), [11, 12, 13, 14]) + sumOf(String(pid));
  } catch {
    return Number.NaN;
  }
}

/**
 * Begins the peak memory of a running process anew, where the system allows it.
 * @see https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
 */
export function restartPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    return; // its peak since its start is told then
  }
}

/** Pages of files, such as those of the program, in the memory of a running process [MB of 10^6 bytes]. */
export function filePagesMb(pid: number): number {
  return memoryMb(pid, 'RssFile');
}

/** Peak memory of a running process [MB of 10^6 bytes]; NaN where /proc does not report it. */
export function peakMb(pid: number): number {
  return memoryMb(pid, 'VmHWM');
}

function memoryMb(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) * 1024) / 1e6;
  } catch {
    return Number.NaN;
  }
}
