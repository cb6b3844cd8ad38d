import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Nice value of bulk work: each step is a factor of 1.25, so it gets a third of a contended processor (sched(7)). */
const BULK_NICE = 5;

/**
 * Lowers the priority of the calling thread, and of threads that it starts afterwards, so that requests are answered
 * first: they get a third of a contended processor. Only on Linux; elsewhere it does nothing.
 */
export function lowerThreadPriority(): void {
  try {
    // Linux: `<process>/task/<thread>` (proc(5)); a priority belongs to a thread there (sched(7)).
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, BULK_NICE);
  } catch {
    // Elsewhere a priority applies to the whole process, including its requests.
  }
}
