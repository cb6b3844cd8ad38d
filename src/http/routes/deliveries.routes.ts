import type { DeliveryRecord } from '../../app/webhooks/delivery-log.ts';
import { getDelivery, getWebhook, redeliver, redeliverFailed } from '../../app/webhooks/manage-webhooks.ts';
import { formatTimestamp, parseMoment } from '../../base/time.ts';
import * as contract from '../../contract/deliveries.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { route, type RouteContext } from '../route.ts';

const LIST: ListKind = { name: 'deliveries', position: ['delivery'] };

export function deliveryRoutes(context: RouteContext): void {
  const { deps } = context;
  route(context, contract.listDeliveries, async ({ storage, principal, params, query, request, reply }) => {
    await getWebhook(storage, principal, params.id);
    const page = await storage.deliveries.list(principal, params.id, pageRequest(LIST, query), query.status);
    return {
      deliveries: page.items.map(present),
      ...nextPage(LIST, page, request, reply),
    };
  });
  route(context, contract.getDelivery, async ({ storage, principal, params }) => {
    const delivery = await getDelivery(storage, principal, params.id, params.delivery_id);
    return {
      ...present(delivery),
      payload: JSON.parse(delivery.payload) as unknown,
      attempt_log: delivery.log,
    };
  });
  route(context, contract.redeliver, async ({ storage, principal, params }) => {
    const delivery = await redeliver(storage, principal, params.id, params.delivery_id);
    deps.wakeDelivery();
    return present(delivery);
  });
  route(context, contract.redeliverFailed, async ({ storage, principal, params, body }) => {
    const since = new Date(parseMoment(body.since)!.ms);
    const queued = await redeliverFailed(storage, principal, params.id, since);
    deps.wakeDelivery();
    return { queued };
  });
}

function present(delivery: DeliveryRecord): contract.Delivery {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts,
    created_at: formatTimestamp(delivery.createdAt.getTime()),
    next_attempt_at: delivery.nextAttemptAt && formatTimestamp(delivery.nextAttemptAt.getTime()),
    last_attempt: delivery.lastAttempt,
  };
}
