import type { Clock } from '../app/clock.ts';

const RECHECK_MS = 1000; // maximum time for which a revoked credential is still accepted: contract.md "API keys"
const MAX_CACHED = 10_000; // maximum number of cached results

interface Kept<T> {
  readonly key: string;
  readonly value: T;
  readonly checkedAtMs: number;
}

/**
 * Caches the results of a check for one second. Concurrent calls with the same key share one check. A failed check is
 * not cached.
 * @param check verifies a key
 * @param isOver whether a cached result has expired meanwhile
 * @param partOf the part of a key by which it is looked up. A long key that differs from others in a short part is found
 *   faster by that part; the whole key is compared too
 * @returns a function that returns a cached result directly, otherwise a function that begins the check
 */
export function rechecked<T>(
  check: (key: string) => Promise<T>,
  clock: Clock,
  isOver: (value: T) => boolean = () => false,
  partOf: (key: string) => string = (key) => key,
): (key: string) => T | (() => Promise<T>) {
  const cache = new Map<string, Kept<T>>();
  const underway = new Map<string, Promise<T>>();
  const look = async (key: string): Promise<T> => {
    const part = partOf(key);
    if (cache.get(part)?.key === key) cache.delete(part);
    const value = await check(key);
    cache.delete(part); // so that the new result is the last to be dropped
    cache.set(part, { key, value, checkedAtMs: clock.now() });
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
    return value;
  };
  const cached = (key: string): Kept<T> | undefined => {
    const known = cache.get(partOf(key));
    if (known?.key !== key) return undefined;
    // After the clock was set back, the age is negative and unknown, so the key is checked again.
    const ageMs = clock.now() - known.checkedAtMs;
    return ageMs >= 0 && ageMs < RECHECK_MS && !isOver(known.value) ? known : undefined;
  };
  const begin = (key: string): Promise<T> => {
    let pending = underway.get(key);
    if (pending === undefined) {
      pending = look(key).finally(() => underway.delete(key));
      underway.set(key, pending);
    }
    return pending;
  };
  return (key) => {
    const known = cached(key);
    if (known !== undefined) return known.value;
    // Another caller may have checked it before this one begins.
    return async () => cached(key)?.value ?? begin(key);
  };
}
