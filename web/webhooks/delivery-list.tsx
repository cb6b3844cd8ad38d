import { EVENT_DAYS } from '../../src/contract/limits.ts';
import { useEffect, useState } from 'preact/hooks';
import type { Delivery } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { count, moment, number, words } from '../format.ts';
import { Badge, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useClient } from '../session.ts';
import { SendAgainForm } from './send-again-form.tsx';
import { Needs } from '../people/needs.tsx';

const SHOWN = 50; // maximum number of deliveries in the list
const LOOK_AGAIN_MS = 2_000; // time between refreshes while an attempt is due soon; a first attempt takes about 1 s
const SOON_MS = 30_000; // an attempt within this time counts as due soon, so the list is refreshed
const STATES = ['all', 'pending', 'succeeded', 'dead'] as const;

/**
 * Lists the deliveries to an endpoint, newest first. `sent` is the number of test events that were sent from this page;
 * the list reloads when this number grows.
 */
export function DeliveryList({ webhookId, sent }: { readonly webhookId: string; readonly sent: number }) {
  const client = useClient();
  const [state, setState] = useState<(typeof STATES)[number]>('all');
  const found = useAnswer(
    (signal) =>
      client.listDeliveries(
        webhookId,
        { limit: SHOWN, ...(state !== 'all' && { status: state }) },
        { signal },
      ),
    [webhookId, state],
  );
  const deliveries = found.value?.deliveries;
  useEffect(() => {
    if (sent > 0) found.again();
  }, [sent]);
  useEffect(() => {
    if (!deliveries?.some(isDueSoon)) return undefined;
    const timer = setTimeout(found.again, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [deliveries]);
  return (
    <section aria-labelledby="deliveries-heading">
      <div class="heading">
        <h2 id="deliveries-heading">Deliveries</h2>
        <label class="inline">
          <span>State</span>
          <select
            value={state}
            onChange={(event) => setState(event.currentTarget.value as (typeof STATES)[number])}
          >
            {STATES.map((name) => (
              <option key={name} value={name}>
                {words(name)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="quiet" disabled={found.waiting} onClick={found.again}>
          Refresh
        </button>
      </div>
      <Problem error={found.error} again={found.again} />
      {deliveries === undefined && found.waiting && <Waiting for="deliveries" />}
      {deliveries?.length === 0 && (
        <p class="empty">
          {state === 'all'
            ? `No deliveries in the last ${EVENT_DAYS} days. Send a test to check the endpoint.`
            : `No delivery is ${state}.`}
        </p>
      )}
      <ul class="rows">
        {deliveries?.map((delivery) => (
          <Row key={delivery.id} webhookId={webhookId} delivery={delivery} />
        ))}
      </ul>
      {found.value?.next_cursor !== undefined && <p class="note">The newest {SHOWN} are shown.</p>}
      <Needs to="redeliver" quiet>
        <details>
          <summary>Send failed deliveries again</summary>
          <SendAgainForm webhookId={webhookId} onQueued={found.again} />
        </details>
      </Needs>
    </section>
  );
}

function Row({ webhookId, delivery }: { readonly webhookId: string; readonly delivery: Delivery }) {
  const { id, event_type, created_at, status, attempts, next_attempt_at, last_attempt } = delivery;
  return (
    <li>
      <span class="line">
        <a href={routeHref({ pane: 'delivery', webhookId, id })}>{event_type}</a>
        <Badge kind={status}>{status}</Badge>
      </span>
      <small class="block">
        {moment(created_at)} · {count(attempts, 'attempt')}
        {next_attempt_at !== null && `, next ${moment(next_attempt_at)}`}
      </small>
      {last_attempt !== null && <small class="block">{outcomeOf(last_attempt)}</small>}
    </li>
  );
}

/** Returns whether the next attempt of a delivery is due soon. */
export function isDueSoon({ status, next_attempt_at: next }: Delivery): boolean {
  return status === 'pending' && next !== null && Date.parse(next) < Date.now() + SOON_MS;
}

/** Describes the outcome of an attempt in a few words. */
export function outcomeOf(attempt: NonNullable<Delivery['last_attempt']>): string {
  const { error, status, duration_ms } = attempt;
  return `${error ?? `HTTP ${status}`}, ${number(duration_ms)} ms`;
}
