import { AsyncLocalStorage } from 'node:async_hooks';

/** What is left of the time that a call may wait [ms]; Infinity once it is over, for what it has begun and left behind. */
interface Left {
  ms: number;
}

const calls = new AsyncLocalStorage<Left>();

/**
 * Runs the work of a call, whose waits of {@link inWaitLimit} may take so long together.
 * @param ms time for all waits of the call [ms]
 */
export function withWaitLimit<T>(ms: number, work: () => T): T {
  const left: Left = { ms };
  const end = (): void => void (left.ms = Infinity);
  const result = calls.run(left, work);
  if (result instanceof Promise) result.then(end, end);
  else end();
  return result;
}

/**
 * Waits for something, no longer than the call may still wait. Work that belongs to no call waits without a limit.
 * @param begin begins to wait
 * @param give gives back what comes too late
 * @param late makes the error of a call that has waited long enough
 */
export async function inWaitLimit<T>(
  begin: () => Promise<T>,
  give: (got: T) => void,
  late: () => Error,
): Promise<T> {
  const left = calls.getStore();
  if (left === undefined || left.ms === Infinity) return begin();
  if (left.ms <= 0) throw late();
  const begunMs = performance.now();
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), left.ms);
  const waiting = begin();
  try {
    return await Promise.race([waiting, tooLate]);
  } catch (error) {
    // Nothing is to be given back where the wait itself failed.
    waiting.then(give, () => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
    left.ms -= performance.now() - begunMs;
  }
}
