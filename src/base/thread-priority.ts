import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Nice value of bulk work: each step is a factor of 1.25, so a third of a processor that others want too (sched(7)). */
const BULK_NICE = 5;

/**
 * Lets what answers requests go first: the thread that calls this, and threads that it starts from here on, get a third
 * of a processor that others want too. Does nothing where the system does not number its threads.
 */
export function giveWay(): void {
  try {
    // Linux: `<process>/task/<thread>` (proc(5)); a priority belongs to a thread there (sched(7)).
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, BULK_NICE);
  } catch {
    // Elsewhere a priority would be the whole process's, requests included.
  }
}
