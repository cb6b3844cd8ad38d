import { errorCode } from './error-code.ts';

const DEADLOCK = '40P01'; // deadlock_detected: PostgreSQL, appendix A
const MOST_TRIES = 3;

/**
 * Does work in the database once more that was ended because others waited for it in a circle: nothing of it was done, and
 * those others have gone on. @throws what the work throws, and after the third time that, too
 */
export async function untangled<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === MOST_TRIES || errorCode(error) !== DEADLOCK) throw error;
    }
  }
}
