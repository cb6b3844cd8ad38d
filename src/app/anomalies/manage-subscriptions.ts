import type { Peril } from '../../contract/fields.ts';
import type { Digest } from '../../contract/vocabulary.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import { NotFound } from '../../base/errors.ts';
import { isId, newId } from '../../base/ids.ts';
import { claim, type KeptLimits, WITHOUT_LIMITS } from '../account-use.ts';
import { getAoi } from '../areas/manage-aois.ts';
import { checkedQuietHours, type QuietHours } from '../events/quiet-hours.ts';
import { type WatchDeps, watchSubscription } from '../watches/manage-watches.ts';
import type { Subscription } from './subscription-store.ts';
import type { Owner } from '../owner.ts';
import type { Stores } from '../storage.ts';

/**
 * Subscribes to anomalies of an area and starts risk watches for the area. If a subscription with the same area and
 * perils exists and is not cancelled, returns that subscription instead.
 * @throws InvalidInput when the account may not have another one
 */
export async function subscribe(
  deps: WatchDeps,
  stores: Stores,
  owner: Owner,
  input: { readonly aoiId: string; readonly perils: readonly Peril[]; readonly past?: boolean },
  limits: KeptLimits = WITHOUT_LIMITS,
): Promise<{ readonly subscription: Subscription; readonly isNew: boolean }> {
  const aoi = await getAoi(stores, owner, input.aoiId);
  const perils = input.perils.toSorted();
  for (;;) {
    const there = await stores.subscriptions.findSame(owner, aoi.id, perils);
    if (there !== undefined) return { subscription: there, isNew: false };
    await claim(stores, owner, 'subscriptions', limits);
    await claim(stores, owner, 'watches', limits, perils.length);
    const made = await stores.subscriptions.create({
      id: newId('subscription'),
      accountId: owner.accountId,
      environment: owner.environment,
      aoiId: aoi.id,
      perils,
      status: 'active',
      past: input.past ?? false,
    });
    if (made !== undefined) {
      await watchSubscription(deps, stores, made, aoi);
      return { subscription: made, isNew: true };
    }
    // Another call created the same subscription first. The next round of the loop finds it, or creates a new one
    // if it was cancelled meanwhile.
  }
}

/** @throws NotFound */
export async function getSubscription(stores: Stores, owner: Owner, id: string): Promise<Subscription> {
  const subscription = isId('subscription', id) ? await stores.subscriptions.find(owner, id) : undefined;
  if (subscription === undefined) throw new NotFound(`There is no subscription ${id}`);
  return subscription;
}

/**
 * Pauses, resumes or cancels a subscription and its risk watches. Cancelling is final.
 * @throws NotFound if there is no such subscription, or it is cancelled already
 */
export async function setSubscriptionStatus(
  stores: Stores,
  owner: Owner,
  id: string,
  status: SubscriptionStatus,
): Promise<Subscription> {
  await getSubscription(stores, owner, id);
  const changed = await stores.subscriptions.setStatus(owner, id, status);
  if (changed === undefined) throw new NotFound(`The subscription ${id} was cancelled`);
  if (status === 'cancelled') await stores.watches.removeOf(id);
  else await stores.watches.activateOf(id, status === 'active');
  return changed;
}

/**
 * Sets how the events of a subscription are sent: quiet hours, digest, and whether the past is. What is undefined stays.
 * @throws NotFound if there is no such subscription, or it is cancelled already; InvalidInput that names the field
 */
export async function setSending(
  stores: Pick<Stores, 'subscriptions'>,
  owner: Owner,
  id: string,
  {
    quietHours,
    digest,
    past,
  }: {
    readonly quietHours?: QuietHours | null | undefined;
    readonly digest?: Digest | null | undefined;
    readonly past?: boolean | undefined;
  },
): Promise<Subscription> {
  if (quietHours) checkedQuietHours(quietHours);
  const how = {
    ...(quietHours !== undefined && { quietHours }),
    ...(digest !== undefined && { digest }),
    ...(past !== undefined && { past }),
  };
  const changed = isId('subscription', id)
    ? await stores.subscriptions.setSending(owner, id, how)
    : undefined;
  if (changed === undefined) throw new NotFound(`There is no subscription ${id} that is not cancelled`);
  return changed;
}
