import type { CheckCallback, Deps } from './deps.ts';
import { InvalidInput, NotFound } from './errors.ts';
import { isId, newId } from './ids.ts';
import type { Owner, Stores, WebhookRecord } from './stores.ts';

/** Registers an endpoint; the secret is given here and never again. @throws InvalidInput for an address we must not call */
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

/** @throws NotFound */
export async function getWebhook(stores: Stores, owner: Owner, id: string): Promise<WebhookRecord> {
  const webhook = isId('webhook', id) ? await stores.webhooks.find(owner, id) : undefined;
  if (webhook === undefined) throw new NotFound(`There is no webhook ${id}`);
  return webhook;
}

/** @throws NotFound, or InvalidInput for an address we must not call */
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
  await getWebhook(stores, owner, id);
  const webhook = await stores.webhooks.update(owner, id, patch);
  if (webhook === undefined) throw new NotFound(`There is no webhook ${id}`);
  return webhook;
}

/** @throws NotFound */
export async function deleteWebhook(stores: Stores, owner: Owner, id: string): Promise<void> {
  const removed = isId('webhook', id) && (await stores.webhooks.remove(owner, id));
  if (!removed) throw new NotFound(`There is no webhook ${id}`);
}

/** Queues a `webhook.test` event for one endpoint, whatever types it asked for. @throws NotFound */
export async function testWebhook(stores: Stores, owner: Owner, id: string): Promise<string> {
  const webhook = await getWebhook(stores, owner, id);
  if (webhook.status !== 'active')
    throw new InvalidInput(`The webhook ${id} is disabled; enable it first with PATCH {"status": "active"}`);
  return stores.events.emit(owner, 'webhook.test', { webhook_id: id }, id);
}

function checkUrl(check: CheckCallback, url: string): void {
  const checked = check(url);
  if (!checked.ok) throw new InvalidInput(`url: ${checked.reason}`, { param: 'url' });
}
