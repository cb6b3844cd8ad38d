import {
  getSubscription,
  setSending,
  setSubscriptionStatus,
  subscribe,
} from '../../app/anomalies/manage-subscriptions.ts';
import type { Subscription } from '../../app/anomalies/subscription-store.ts';
import * as contract from '../../contract/subscriptions.ts';
import type { Owner } from '../../app/owner.ts';
import type { Stores } from '../../app/storage.ts';
import { RateLimited } from '../../base/errors.ts';
import { formatTimestamp } from '../../base/time.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { creatingRoute, route, type RouteContext } from '../route.ts';

const FULL_WAIT_S = 60; // `Retry-After` while too many jobs wait; when they end is unknown

const LIST: ListKind = { name: 'subscriptions', position: ['subscription'] };

export function subscriptionRoutes(context: RouteContext): void {
  creatingRoute(context, contract.subscribe, async ({ stores, principal, body }) => {
    await refuseWhenFull(stores, principal);
    const asked = { aoiId: body.aoi_id, perils: body.perils, past: body.past ?? false };
    const { subscription, isNew } = await subscribe(
      context.deps,
      stores,
      principal,
      asked,
      context.accountLimits,
    );
    if (isNew) {
      const { accountId, environment } = principal;
      await stores.jobs.refreshAnomalies({ accountId, environment, aoiId: subscription.aoiId });
    }
    return {
      status: isNew ? 201 : 200,
      location: isNew ? `/v1/anomalies/subscriptions/${subscription.id}` : undefined,
      body: { subscription_id: subscription.id, status: subscription.status },
    };
  });
  route(context, contract.listSubscriptions, async ({ storage, principal, query, request, reply }) => {
    const page = await storage.subscriptions.list(principal, pageRequest(LIST, query));
    return { subscriptions: page.items.map(present), ...nextPage(LIST, page, request, reply) };
  });
  route(context, contract.getSubscription, async ({ storage, principal, params }) =>
    present(await getSubscription(storage, principal, params.id)),
  );
  route(context, contract.updateSubscription, async ({ storage, principal, params, body }) => {
    const { status, quiet_hours: quietHours, digest, past } = body;
    if (status === 'active') await refuseWhenFull(storage, principal);
    const subscription = await storage.transaction(async (stores) => {
      let changed = await getSubscription(stores, principal, params.id);
      if (quietHours !== undefined || digest !== undefined || past !== undefined)
        changed = await setSending(stores, principal, params.id, { quietHours, digest, past });
      if (status !== undefined) changed = await setSubscriptionStatus(stores, principal, params.id, status);
      return changed;
    });
    const { accountId, environment } = principal;
    if (status === 'active')
      await storage.jobs.refreshAnomalies({ accountId, environment, aoiId: subscription.aoiId });
    return present(subscription);
  });
  route(context, contract.cancelSubscription, async ({ storage, principal, params }) => {
    await storage.transaction((stores) => setSubscriptionStatus(stores, principal, params.id, 'cancelled'));
  });
}

/** @throws RateLimited when the backlog of the account is full */
async function refuseWhenFull({ jobs }: Pick<Stores, 'jobs'>, { accountId }: Owner): Promise<void> {
  if (await jobs.isFull(accountId))
    throw new RateLimited(
      `Too much work of this account waits (GROUNDWATCH_JOBS_BACKLOG). Try again in ${FULL_WAIT_S} s.`,
      Math.ceil(Date.now() / 1000) + FULL_WAIT_S,
    );
}

function present(subscription: Subscription): contract.Subscription {
  return {
    subscription_id: subscription.id,
    status: subscription.status,
    aoi_id: subscription.aoiId,
    perils: [...subscription.perils],
    quiet_hours: subscription.quietHours,
    digest: subscription.digest,
    past: subscription.past,
    created_at: formatTimestamp(subscription.createdAt.getTime()),
  };
}
