import { claim } from '../../app/account-use.ts';
import {
  deleteWebhook,
  getWebhook,
  registerEndpoint,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../app/webhooks/manage-webhooks.ts';
import type { WebhookRecord } from '../../app/webhooks/webhook-store.ts';
import { formatTimestamp } from '../../base/time.ts';
import * as contract from '../../contract/webhooks.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { creatingRoute, route, type RouteContext } from '../route.ts';

const LIST: ListKind = { name: 'webhooks', position: ['webhook'] };

export function webhookRoutes(context: RouteContext): void {
  const { deps } = context;
  creatingRoute(context, contract.registerWebhook, async ({ stores, principal, body }) => {
    await claim(stores, principal, 'webhooks', context.accountLimits);
    const made = await registerEndpoint(deps, stores, principal, body);
    if (body.email !== undefined) deps.wakeDelivery();
    return { status: 201, location: `/v1/webhooks/${made.id}`, body: made };
  });
  route(context, contract.listWebhooks, async ({ storage, principal, query, request, reply }) => {
    const page = await storage.webhooks.list(principal, pageRequest(LIST, query));
    return { webhooks: page.items.map(present), ...nextPage(LIST, page, request, reply) };
  });
  route(context, contract.getWebhook, async ({ storage, principal, params }) =>
    present(await getWebhook(storage, principal, params.id)),
  );
  route(context, contract.updateWebhook, async ({ storage, principal, params, body }) =>
    present(await updateWebhook(deps, storage, principal, params.id, body)),
  );
  route(context, contract.deleteWebhook, async ({ storage, principal, params }) => {
    await deleteWebhook(storage, principal, params.id);
  });
  route(context, contract.testWebhook, async ({ storage, principal, params }) => {
    const eventId = await storage.transaction((stores) => testWebhook(deps, stores, principal, params.id));
    deps.wakeDelivery();
    return { event_id: eventId };
  });
  creatingRoute(context, contract.rotateWebhookSecret, async ({ stores, principal, params, query }) => {
    const made = await rotateWebhookSecret(deps, stores, principal, params.id, query.overlap_seconds);
    const previous_secret_until = formatTimestamp(made.previousUntil.getTime());
    const body = { id: made.id, secret: made.secret, previous_secret_until };
    return { status: 200, location: undefined, body };
  });
}

function present(webhook: WebhookRecord): contract.Webhook {
  return {
    id: webhook.id,
    url: webhook.url,
    ...(webhook.email !== null && { email: webhook.email }),
    events: [...webhook.events],
    status: webhook.status,
    disabled_reason: webhook.disabledReason,
    created_at: formatTimestamp(webhook.createdAt.getTime()),
  };
}
