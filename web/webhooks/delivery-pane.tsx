import { useEffect } from 'preact/hooks';
import type { DeliveryDetail } from '../../src/client/index.ts';
import { useAction, useAnswer } from '../answer.ts';
import { moment, whole } from '../format.ts';
import { Badge, Copyable, Facts, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useClient } from '../session.ts';
import { isDueSoon, outcomeOf } from './delivery-list.tsx';
import { Needs } from '../people/needs.tsx';

const LOOK_AGAIN_MS = 2_000; // time between refreshes while an attempt is due soon

/** Details of one delivery: its event, every attempt with its response, and a button that sends it again. */
export function DeliveryPane({ webhookId, id }: { readonly webhookId: string; readonly id: string }) {
  const client = useClient();
  const found = useAnswer((signal) => client.getDelivery(webhookId, id, { signal }), [webhookId, id]);
  const delivery = found.value;
  useEffect(() => {
    if (delivery === undefined || !isDueSoon(delivery)) return undefined;
    const timer = setTimeout(found.again, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [delivery]);
  const send = useAction(() => client.redeliver(webhookId, id), found.again);
  return (
    <>
      <p class="crumbs">
        <a href={routeHref({ pane: 'webhooks' })}>Webhooks</a>
        <a href={routeHref({ pane: 'webhook', id: webhookId })}>Endpoint</a>
      </p>
      <Problem error={found.error} again={found.again} />
      {delivery === undefined && found.waiting && <Waiting for="the delivery" />}
      {delivery && (
        <>
          <div class="heading">
            <h1>{delivery.event_type}</h1>
            <Badge kind={delivery.status}>{delivery.status}</Badge>
          </div>
          <Facts
            of={{
              'Event of': moment(delivery.created_at),
              Attempts: whole(delivery.attempts),
              Next: delivery.next_attempt_at === null ? undefined : moment(delivery.next_attempt_at),
              Event: <Copyable text={delivery.event_id} label="the event’s identifier" />,
              Delivery: <Copyable text={delivery.id} label="the delivery’s identifier" />,
            }}
          />
          <Needs to="redeliver">
            <div class="row">
              <button type="button" class="primary" disabled={send.busy} onClick={() => send.run()}>
                Send again
              </button>
            </div>
          </Needs>
          <Problem error={send.error} />
          <Attempts of={delivery} />
          <h2>Sent</h2>
          <pre tabIndex={0}>
            <code>{JSON.stringify(delivery.payload, null, 2)}</code>
          </pre>
        </>
      )}
    </>
  );
}

function Attempts({ of: { attempt_log } }: { readonly of: DeliveryDetail }) {
  return (
    <section aria-labelledby="attempts-heading">
      <h2 id="attempts-heading">Attempts</h2>
      {attempt_log.length === 0 && <p class="empty">No attempt was made yet.</p>}
      <ul class="rows">
        {attempt_log.map((attempt) => (
          <li key={attempt.at}>
            <span class="line">
              <span>{outcomeOf(attempt)}</span>
              <small class="nowrap">{moment(attempt.at)}</small>
            </span>
            {attempt.answer !== '' && (
              <details class="small">
                <summary>Answer</summary>
                <pre tabIndex={0}>
                  <code>{attempt.answer}</code>
                </pre>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
