import { useState } from 'preact/hooks';
import { EVENT_TYPES, type EventType } from '../../src/contract/events.ts';
import { allOf } from '../all-of.ts';
import { useAction, useAnswer } from '../answer.ts';
import { Badge, Copyable, Waiting } from '../parts.tsx';
import { isAbout, Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useClient } from '../session.ts';

/** Every webhook endpoint, and the registration of a new one. */
export function WebhooksPane() {
  const client = useClient();
  const found = useAnswer((signal) => allOf(client.webhooks({}, { signal })), []);
  return (
    <>
      <h1>Webhooks</h1>
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="webhooks" />}
      {found.value?.length === 0 && <p class="empty">No endpoint is registered yet.</p>}
      <ul class="cards">
        {found.value?.map(({ id, url, events, status }) => (
          <li key={id}>
            <a href={routeHref({ pane: 'webhook', id })}>
              <span class="line">
                <strong class="address">{url}</strong>
                <Badge kind={status}>{status}</Badge>
              </span>
              <span class="note">{events.includes('*') ? 'every event' : events.join(', ')}</span>
            </a>
          </li>
        ))}
      </ul>
      <h2>Register an endpoint</h2>
      <RegisterForm onRegistered={found.again} />
    </>
  );
}

function RegisterForm({ onRegistered }: { readonly onRegistered: () => void }) {
  const client = useClient();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly (EventType | '*')[]>(['*']);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const register = useAction(
    () => client.registerWebhook({ url: url.trim(), events: [...events] }),
    (made) => {
      setSecret(made.secret);
      setUrl('');
      onRegistered();
    },
  );
  const toggle = (type: EventType | '*', on: boolean): void => {
    if (type === '*') setEvents(on ? ['*'] : []);
    else
      setEvents(on ? [...events.filter((one) => one !== '*'), type] : events.filter((one) => one !== type));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        register.run();
      }}
    >
      {secret !== undefined && (
        <div class="secret" role="status">
          <p>
            <strong>The signing secret. It is shown this once only: keep it now.</strong>
          </p>
          <Copyable text={secret} label="the signing secret" />
          <button type="button" onClick={() => setSecret(undefined)}>
            I have it
          </button>
        </div>
      )}
      <label for="webhook-url">HTTPS address</label>
      <input
        id="webhook-url"
        type="url"
        required
        placeholder="https://hooks.example.com/groundwatch"
        value={url}
        aria-invalid={isAbout(register.error, 'url')}
        onInput={(event) => setUrl(event.currentTarget.value)}
      />
      <fieldset>
        <legend>Events</legend>
        <div class="choices">
          {(['*', ...EVENT_TYPES] as const).map((type) => (
            <label key={type}>
              <input
                type="checkbox"
                checked={events.includes(type)}
                onChange={(event) => toggle(type, event.currentTarget.checked)}
              />
              {type === '*' ? 'every event' : type}
            </label>
          ))}
        </div>
      </fieldset>
      <Problem error={register.error} />
      <button type="submit" class="primary" disabled={register.busy || events.length === 0}>
        {register.busy ? 'Registering …' : 'Register'}
      </button>
    </form>
  );
}
