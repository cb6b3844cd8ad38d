import { WARNED_AHEAD_MS } from './manage-keys.ts';
import type { Clock } from '../owner.ts';
import type { Storage } from '../storage.ts';
import { DAY_MS } from '../../base/time.ts';

const AGAIN_MS = DAY_MS; // a key is warned of once a day

/** A key that ends soon. */
export interface ExpiringKey {
  readonly id: string;
  readonly endsAt: Date;
}

/** Looks for keys that expire within 14 days; each look tells those that were not told for a day. */
export function keyWatch(): (deps: {
  readonly clock: Clock;
  readonly storage: Pick<Storage, 'keys'>;
}) => Promise<readonly ExpiringKey[]> {
  let told = new Map<string, number>();
  return async ({ clock, storage }) => {
    const now = clock.now();
    const expiring = await storage.keys.expiring(new Date(now), new Date(now + WARNED_AHEAD_MS));
    // Of what is gone nothing is remembered.
    told = new Map(expiring.map(({ id }) => [id, told.get(id) ?? Number.NEGATIVE_INFINITY]));
    const due = expiring.filter(({ id }) => now - told.get(id)! >= AGAIN_MS);
    for (const { id } of due) told.set(id, now);
    return due.map(({ id, expiresAt }) => ({ id, endsAt: expiresAt! }));
  };
}
