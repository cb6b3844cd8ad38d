import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Nice value of bulk work. On a contended processor, each step divides the processor time of a thread by 1.25, so a
 * thread with this value gets a third of the time of a normal thread (sched(7)).
 */
const BULK_NICE = 5;

/**
 * Lowers the priority of the calling thread, and of threads that it starts afterwards, so that requests are answered
 * first. On a contended processor these threads get a third of the time of a normal thread. Only on Linux; does
 * nothing on other systems.
 */
export function lowerThreadPriority(): void {
  try {
    // On Linux the link contains `<process>/task/<thread>` (proc(5)), and each thread has its own priority (sched(7)).
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, BULK_NICE);
  } catch {
    // On other systems a priority would apply to the whole process, including the threads that answer requests.
  }
}
