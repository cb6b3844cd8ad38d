import { useState } from 'preact/hooks';
import { allOf } from '../all-of.ts';
import { useAction, useAnswer } from '../answer.ts';
import { Badge, SecretsOnce, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useClient } from '../session.ts';
import { addressOf, type Endpoint, EndpointFields } from './endpoint-fields.tsx';
import { choiceText } from './event-choice.ts';
import { Needs } from '../people/needs.tsx';

/** Lists the webhook endpoints, and registers new endpoints. */
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
        {found.value?.map(({ id, url, email, events, status }) => (
          <li key={id}>
            <a href={routeHref({ pane: 'webhook', id })}>
              <span class="line">
                <strong class="address">{email ?? url}</strong>
                <Badge kind={status}>{status}</Badge>
              </span>
              <span class="note">{choiceText(events)}</span>
            </a>
          </li>
        ))}
      </ul>
      <h2>Register an endpoint</h2>
      <Needs to="registerWebhook">
        <RegisterForm onRegistered={found.again} />
      </Needs>
    </>
  );
}

const NEW: Endpoint = { url: '', events: ['*'] };

function RegisterForm({ onRegistered }: { readonly onRegistered: () => void }) {
  const client = useClient();
  const [endpoint, setEndpoint] = useState(NEW);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const register = useAction(
    () => client.registerWebhook({ ...addressOf(endpoint.url), events: [...endpoint.events] }),
    (made) => {
      setSecret(made.secret);
      setEndpoint(NEW);
      onRegistered();
    },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        register.run();
      }}
    >
      {secret !== undefined && (
        <SecretsOnce secrets={{ 'Signing secret': secret }} onKept={() => setSecret(undefined)} />
      )}
      <EndpointFields of={endpoint} error={register.error} onChange={setEndpoint} />
      <Problem error={register.error} />
      <button type="submit" class="primary" disabled={register.busy || endpoint.events.length === 0}>
        {register.busy ? 'Registering …' : 'Register'}
      </button>
    </form>
  );
}
