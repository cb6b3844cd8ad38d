import { errorCode } from './error-code.ts';

const DEADLOCK = '40P01'; // deadlock_detected: PostgreSQL, appendix A
const MAX_ATTEMPTS = 3;

/**
 * Repeats work that PostgreSQL aborted because of a deadlock. Nothing of it was done then, and the other transactions
 * have continued. @throws any other error of the work, and the deadlock at the third attempt
 */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_ATTEMPTS || errorCode(error) !== DEADLOCK) throw error;
    }
  }
}
