import type { Clock } from '../app/clock.ts';
import type { CliContext } from './command.ts';

const PROGRESS_EVERY_MS = 1000;

/**
 * Returns a function that makes progress reporters. All reporters together print at most one line per second. The
 * last line of each reporter is always printed.
 */
export function progressNotes(
  context: Pick<CliContext, 'note'>,
  clock: Clock,
): (noun: string) => (done: number, total?: number) => void {
  let notedMs = 0;
  return (noun) => (done, total) => {
    const now = clock.now();
    if (done !== total && now - notedMs < PROGRESS_EVERY_MS) return;
    notedMs = now;
    context.note(total === undefined ? `${noun}: ${done}` : `${noun}: ${done} of ${total}`);
  };
}
