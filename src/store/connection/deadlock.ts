import { setTimeout as delay } from 'node:timers/promises';
import { Contended } from '../../base/errors.ts';
import { errorCode } from './error-code.ts';

const DEADLOCK = '40P01'; // deadlock_detected: PostgreSQL, appendix A
const LOCK_TIMEOUT = '55P03'; // lock_not_available
const MAX_ATTEMPTS = 3;
/** Pause before the work is repeated [ms], so that the other transaction takes the rows first (our choice). */
const PAUSE_MS = 50;

/**
 * Runs work and repeats it when PostgreSQL aborts it because of a deadlock, up to three attempts. The aborted work was
 * rolled back, and the other transaction continued.
 * @throws Contended when a lock was not free within the transaction's limit; any other error of the work, and a third
 * deadlock
 */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) === LOCK_TIMEOUT)
        throw new Contended('Another transaction held the rows for too long', { cause: error });
      if (tries === MAX_ATTEMPTS || errorCode(error) !== DEADLOCK) throw error;
      await delay(PAUSE_MS * tries);
    }
  }
}
