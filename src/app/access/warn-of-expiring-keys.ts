import type { Clock } from '../clock.ts';
import type { Storage } from '../storage.ts';
import { DAY_MS } from '../../base/time.ts';
import { KEY_WARNING_DAYS } from '../../contract/limits.ts';

const AGAIN_MS = DAY_MS; // minimum time between two warnings about the same key

/** A key that expires soon. */
export interface ExpiringKey {
  readonly id: string;
  readonly endsAt: Date;
}

/**
 * Makes a function that finds keys that expire within 14 days. It returns the same key at most once a day.
 */
export function makeKeyExpiryCheck(): (deps: {
  readonly clock: Clock;
  readonly storage: Pick<Storage, 'keys'>;
}) => Promise<readonly ExpiringKey[]> {
  let warnedAt = new Map<string, number>();
  return async ({ clock, storage }) => {
    const now = clock.now();
    const expiring = await storage.keys.expiring(new Date(now), new Date(now + KEY_WARNING_DAYS * DAY_MS));
    // Forgets keys that are no longer about to expire.
    warnedAt = new Map(expiring.map(({ id }) => [id, warnedAt.get(id) ?? Number.NEGATIVE_INFINITY]));
    const due = expiring.filter(({ id }) => now - warnedAt.get(id)! >= AGAIN_MS);
    for (const { id } of due) warnedAt.set(id, now);
    return due.map(({ id, expiresAt }) => ({ id, endsAt: expiresAt! }));
  };
}
