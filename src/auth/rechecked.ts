import type { Clock } from '../app/clock.ts';

const RECHECK_MS = 1000; // maximum time for which a revoked credential is still accepted: contract.md "API keys"
const MAX_CACHED = 10_000; // maximum number of cached results

interface Kept<T> {
  readonly value: T;
  readonly checkedAtMs: number;
}

/**
 * Caches the results of a check for one second. Concurrent calls with the same key share one check. A failed check is
 * not cached.
 * @param check verifies a key
 * @param isOver whether a cached result has expired meanwhile
 * @returns a function that returns a cached result directly, otherwise a promise
 */
export function rechecked<T>(
  check: (key: string) => Promise<T>,
  clock: Clock,
  isOver: (value: T) => boolean = () => false,
): (key: string) => T | Promise<T> {
  const cache = new Map<string, Kept<T>>();
  const underway = new Map<string, Promise<T>>();
  const look = async (key: string): Promise<T> => {
    cache.delete(key);
    const value = await check(key);
    cache.set(key, { value, checkedAtMs: clock.now() });
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
    return value;
  };
  return (key) => {
    const known = cache.get(key);
    // After the clock was set back, the age is negative and unknown, so the key is checked again.
    const ageMs = known === undefined ? -1 : clock.now() - known.checkedAtMs;
    if (known !== undefined && ageMs >= 0 && ageMs < RECHECK_MS && !isOver(known.value)) return known.value;
    let pending = underway.get(key);
    if (pending === undefined) {
      pending = look(key).finally(() => underway.delete(key));
      underway.set(key, pending);
    }
    return pending;
  };
}
