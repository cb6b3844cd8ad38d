import type { Clock } from '../app/clock.ts';
import type { CliContext } from './command.ts';

const PROGRESS_EVERY_MS = 1000;

/** Makes reporters of progress. Together they print at most one line per second, and always the last line of each. */
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
