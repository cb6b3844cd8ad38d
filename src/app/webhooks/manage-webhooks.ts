import type { DeliveryDetail } from './delivery-log.ts';
import type { CheckCallback, Deps } from '../deps.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import { isId, newId } from '../../base/ids.ts';
import type { Owner } from '../owner.ts';
import type { Stores } from '../storage.ts';
import { askAgain, registerMail } from './register-mail.ts';
import type { WebhookRecord } from './webhook-store.ts';
import { SECRET_OVERLAP_S } from '../../contract/limits.ts';

/**
 * Registers an endpoint. Its secret is returned only here.
 * @throws InvalidInput for an address that must not be called
 */
export async function registerWebhook(
  deps: Pick<Deps, 'checkCallback' | 'newWebhookSecret'>,
  stores: Stores,
  owner: Owner,
  input: { readonly url: string; readonly events: readonly string[] },
): Promise<{ readonly id: string; readonly secret: string }> {
  checkUrl(deps.checkCallback, input.url);
  const id = newId('webhook');
  const secret = deps.newWebhookSecret();
  await stores.webhooks.create(
    {
      id,
      accountId: owner.accountId,
      environment: owner.environment,
      url: input.url,
      events: input.events,
      status: 'active',
    },
    secret,
  );
  return { id, secret };
}

/**
 * Registers what a caller asks for: a webhook by its `url`, or an e-mail address by its `email`.
 * @throws InvalidInput for both or neither, and for an address that cannot be used
 */
export async function registerEndpoint(
  deps: Pick<Deps, 'checkCallback' | 'newWebhookSecret' | 'clock' | 'mail'>,
  stores: Stores,
  owner: Owner,
  {
    url,
    email,
    events,
  }: { readonly url?: string; readonly email?: string; readonly events: readonly string[] },
): Promise<{ readonly id: string; readonly secret?: string }> {
  if (url !== undefined && email !== undefined)
    throw new InvalidInput('email: expected none beside url', { param: 'email' });
  if (email !== undefined) return registerMail(deps, stores, owner, { email, events });
  if (url === undefined) throw new InvalidInput('url: required, but missing; or email', { param: 'url' });
  return registerWebhook(deps, stores, owner, { url, events });
}

/** @throws NotFound */
export async function getWebhook(stores: Stores, owner: Owner, id: string): Promise<WebhookRecord> {
  const webhook = isId('webhook', id) ? await stores.webhooks.find(owner, id) : undefined;
  if (webhook === undefined) throw new NotFound(`There is no webhook ${id}`);
  return webhook;
}

/** @throws NotFound; InvalidInput for an address that must not be called */
export async function updateWebhook(
  deps: Pick<Deps, 'checkCallback'>,
  stores: Stores,
  owner: Owner,
  id: string,
  patch: {
    readonly url?: string;
    readonly events?: readonly string[];
    readonly status?: 'active' | 'disabled';
  },
): Promise<WebhookRecord> {
  if (patch.url !== undefined) checkUrl(deps.checkCallback, patch.url);
  const { email } = await getWebhook(stores, owner, id);
  if (email !== null && patch.url !== undefined)
    throw new InvalidInput(
      `url: ${id} is an e-mail address, which cannot become a webhook; register another endpoint`,
      { param: 'url' },
    );
  const webhook = await stores.webhooks.update(owner, id, patch);
  if (webhook === undefined) throw new NotFound(`There is no webhook ${id}`);
  return webhook;
}

/** @throws NotFound */
export async function deleteWebhook(stores: Stores, owner: Owner, id: string): Promise<void> {
  const removed = isId('webhook', id) && (await stores.webhooks.remove(owner, id));
  if (!removed) throw new NotFound(`There is no webhook ${id}`);
}

/**
 * Queues a `webhook.test` event for one endpoint, regardless of the types it is registered for. Of an e-mail address that
 * is not confirmed it is another request to confirm it.
 * @throws NotFound; InvalidInput when the endpoint is disabled
 */
export async function testWebhook(
  deps: Pick<Deps, 'mail' | 'clock'>,
  stores: Stores,
  owner: Owner,
  id: string,
): Promise<string> {
  const webhook = await getWebhook(stores, owner, id);
  if (webhook.status === 'unconfirmed') {
    await askAgain(deps, stores, owner, id);
    return stores.events.emit(owner, 'webhook.test', { webhook_id: id }, id);
  }
  requireActive(webhook);
  return stores.events.emit(owner, 'webhook.test', { webhook_id: id }, id);
}

/**
 * Gives an endpoint a new signing secret, which is returned only here. Deliveries are also signed with the earlier
 * secrets until the overlap ends.
 * @throws NotFound; InvalidInput when the endpoint already has the maximum number of valid secrets
 */
export async function rotateWebhookSecret(
  deps: Pick<Deps, 'clock' | 'newWebhookSecret'>,
  stores: Stores,
  owner: Owner,
  id: string,
  overlapSeconds: number = SECRET_OVERLAP_S.default,
): Promise<{ readonly id: string; readonly secret: string; readonly previousUntil: Date }> {
  const { email } = await getWebhook(stores, owner, id);
  if (email !== null) throw new InvalidInput(`${id} is an e-mail address: it has no signing secret`);
  const secret = deps.newWebhookSecret();
  const previousUntil = new Date(deps.clock.now() + overlapSeconds * 1000);
  const done = await stores.webhooks.rotate(owner, id, secret, previousUntil);
  if (!done) throw new NotFound(`There is no webhook ${id}`);
  return { id, secret, previousUntil };
}

/** @throws NotFound */
export async function getDelivery(
  stores: Stores,
  owner: Owner,
  webhookId: string,
  id: string,
): Promise<DeliveryDetail> {
  await getWebhook(stores, owner, webhookId);
  const delivery = isId('delivery', id) ? await stores.deliveries.find(owner, webhookId, id) : undefined;
  if (delivery === undefined) throw new NotFound(`There is no delivery ${id} to the webhook ${webhookId}`);
  return delivery;
}

/** Sends one delivery again, even a successful one. @throws NotFound; InvalidInput when the endpoint is disabled */
export async function redeliver(
  stores: Stores,
  owner: Owner,
  webhookId: string,
  id: string,
): Promise<DeliveryDetail> {
  requireActive(await getWebhook(stores, owner, webhookId));
  await getDelivery(stores, owner, webhookId, id);
  await stores.deliveries.repeat(owner, webhookId, id);
  return getDelivery(stores, owner, webhookId, id);
}

/**
 * Sends all dead deliveries of events since a time again.
 * @returns the number of deliveries
 * @throws NotFound; InvalidInput when the endpoint is disabled
 */
export async function redeliverFailed(
  stores: Stores,
  owner: Owner,
  webhookId: string,
  since: Date,
): Promise<number> {
  requireActive(await getWebhook(stores, owner, webhookId));
  return stores.deliveries.repeatDead(owner, webhookId, since);
}

function requireActive({ id, status }: WebhookRecord): void {
  if (status === 'unconfirmed')
    throw new InvalidInput(
      `The address of ${id} is not confirmed: its recipient has to follow the link in the mail; POST /v1/webhooks/${id}/test sends another`,
    );
  if (status !== 'active')
    throw new InvalidInput(`The webhook ${id} is disabled; enable it first with PATCH {"status": "active"}`);
}

function checkUrl(check: CheckCallback, url: string): void {
  const checked = check(url);
  if (!checked.ok) throw new InvalidInput(`url: ${checked.reason}`, { param: 'url' });
}
