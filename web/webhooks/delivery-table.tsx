import { useEffect } from 'preact/hooks';
import { useAnswer } from '../answer.ts';
import { moment, number } from '../format.ts';
import { Badge } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { useClient } from '../session.ts';

const SHOWN = 50; // deliveries listed at once
const LOOK_AGAIN_MS = 2_000; // while something is due at once: a first attempt takes a second or so
const SOON_MS = 30_000; // a delivery due later than this is not waited for

/** What was delivered to an endpoint, newest first. `tests` counts those sent from here, so that they show up. */
export function DeliveryTable({ webhookId, tests }: { readonly webhookId: string; readonly tests: number }) {
  const client = useClient();
  const found = useAnswer(
    (signal) => client.listDeliveries(webhookId, { limit: SHOWN }, { signal }),
    [webhookId],
  );
  const deliveries = found.value?.deliveries;
  useEffect(() => {
    if (tests > 0) found.again();
  }, [tests]);
  useEffect(() => {
    const due = deliveries?.some(
      ({ status, next_attempt_at }) =>
        status === 'pending' &&
        next_attempt_at !== null &&
        Date.parse(next_attempt_at) < Date.now() + SOON_MS,
    );
    if (!due) return undefined;
    const timer = setTimeout(found.again, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [deliveries]);
  return (
    <section aria-labelledby="deliveries-heading">
      <div class="heading">
        <h2 id="deliveries-heading">Deliveries</h2>
        <button type="button" class="quiet" disabled={found.waiting} onClick={found.again}>
          Refresh
        </button>
      </div>
      <Problem error={found.error} again={found.again} />
      {deliveries?.length === 0 && (
        <p class="empty">Nothing was delivered yet. A test shows whether it arrives.</p>
      )}
      {deliveries !== undefined && deliveries.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Event</th>
                <th scope="col">State</th>
                <th scope="col">Last answer</th>
              </tr>
            </thead>
            <tbody>
              {deliveries.map((delivery) => (
                <tr key={delivery.id}>
                  <td>
                    {delivery.event_type}
                    <br />
                    <small>{moment(delivery.created_at)}</small>
                  </td>
                  <td>
                    <Badge kind={delivery.status}>{delivery.status}</Badge>
                    <br />
                    <small>
                      {delivery.attempts} {delivery.attempts === 1 ? 'attempt' : 'attempts'}
                      {delivery.next_attempt_at !== null && `, next ${moment(delivery.next_attempt_at)}`}
                    </small>
                  </td>
                  <td>{lastAnswer(delivery.last_attempt)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

type Attempt = {
  readonly status: number | null;
  readonly duration_ms: number;
  readonly error: string | null;
} | null;

function lastAnswer(attempt: Attempt): string {
  if (attempt === null) return '–';
  const outcome = attempt.error ?? `HTTP ${attempt.status}`;
  return `${outcome}, ${number(attempt.duration_ms)} ms`;
}
