import { useState } from 'preact/hooks';
import { useAction } from '../answer.ts';
import { whole } from '../format.ts';
import { Problem } from '../problem.tsx';
import { useClient } from '../session.ts';
import { DAY_MS } from '../../src/base/time.ts';

const KEPT_DAYS = 30; // time for which the service keeps deliveries
const FIRST_DAYS = 7; // preselected start, in days before today; allows for an outage that was noticed late

/** Form that repeats all permanently failed deliveries of the events since a day that the user chooses. */
export function SendAgainForm(props: { readonly webhookId: string; readonly onQueued: () => void }) {
  const client = useClient();
  const [since, setSince] = useState(daysAgo(FIRST_DAYS));
  const [queued, setQueued] = useState<number | undefined>(undefined);
  const send = useAction(
    () => client.redeliverFailed(props.webhookId, { since }),
    (answer) => {
      setQueued(answer.queued);
      props.onQueued();
    },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setQueued(undefined);
        send.run();
      }}
    >
      <label for="failed-since">Dead deliveries of events since (UTC)</label>
      <div class="row">
        <input
          id="failed-since"
          type="date"
          required
          min={daysAgo(KEPT_DAYS)}
          max={daysAgo(0)}
          value={since}
          onInput={(event) => setSince(event.currentTarget.value)}
        />
        <button type="submit" disabled={send.busy}>
          Send again
        </button>
      </div>
      <p role="status">
        {queued !== undefined &&
          (queued === 0 ? 'No delivery has failed since.' : `Queued to be sent again: ${whole(queued)}.`)}
      </p>
      <Problem error={send.error} />
    </form>
  );
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}
