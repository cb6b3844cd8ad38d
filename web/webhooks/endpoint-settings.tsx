import { useState } from 'preact/hooks';
import type { Webhook } from '../../src/client/index.ts';
import { useAction } from '../answer.ts';
import { moment } from '../format.ts';
import { ConfirmButton, SecretsOnce } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { goTo } from '../route.ts';
import { useClient } from '../session.ts';
import { SECRET_OVERLAP_S } from '../../src/contract/limits.ts';
import { type Endpoint, EndpointFields } from './endpoint-fields.tsx';

/** Choices for the time during which deliveries are also signed with the old secret [s]. */
const OVERLAPS = [
  [SECRET_OVERLAP_S.default, 'a day'],
  [SECRET_OVERLAP_S.most, 'a week'],
  [3_600, 'an hour'],
  [0, 'no longer: it leaked'],
] as const;

/** Settings of an endpoint: address and events, signing secret, deletion. */
export function EndpointSettings(props: { readonly webhook: Webhook; readonly onChanged: () => void }) {
  const client = useClient();
  const { id } = props.webhook;
  const remove = useAction(
    () => client.deleteWebhook(id),
    () => goTo({ pane: 'webhooks' }),
  );
  return (
    <section aria-labelledby="settings-heading">
      <h2 id="settings-heading">Settings</h2>
      <details>
        <summary>{props.webhook.email === undefined ? 'Address and events' : 'Events'}</summary>
        <AddressForm {...props} />
      </details>
      {props.webhook.email === undefined && (
        <details>
          <summary>Signing secret</summary>
          <SecretRotation id={id} />
        </details>
      )}
      <details>
        <summary>Deletion</summary>
        <ConfirmButton
          label="Delete endpoint"
          question="Events not delivered yet are dropped."
          busy={remove.busy}
          onConfirm={() => remove.run()}
        />
        <Problem error={remove.error} />
      </details>
    </section>
  );
}

function AddressForm(props: { readonly webhook: Webhook; readonly onChanged: () => void }) {
  const client = useClient();
  const { id, url, email, events } = props.webhook;
  const [endpoint, setEndpoint] = useState<Endpoint>({ url, events: events as Endpoint['events'] });
  const change = useAction(
    () =>
      client.updateWebhook(id, {
        ...(email === undefined && { url: endpoint.url.trim() }),
        events: [...endpoint.events],
      }),
    props.onChanged,
  );
  const same = endpoint.url === url && String(endpoint.events) === String(events);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.run();
      }}
    >
      <EndpointFields
        of={endpoint}
        error={change.error}
        isFixed={email !== undefined}
        onChange={setEndpoint}
      />
      <Problem error={change.error} />
      <button type="submit" class="primary" disabled={change.busy || same || endpoint.events.length === 0}>
        Change
      </button>
    </form>
  );
}

function SecretRotation({ id }: { readonly id: string }) {
  const client = useClient();
  const [overlap, setOverlap] = useState<number>(OVERLAPS[0][0]);
  const [made, setMade] = useState<{ readonly secret: string; readonly until: string } | undefined>(
    undefined,
  );
  const rotate = useAction(
    () => client.rotateWebhookSecret(id, { overlap_seconds: overlap }),
    ({ secret, previous_secret_until: until }) => setMade({ secret, until }),
  );
  return (
    <>
      {made && (
        <SecretsOnce secrets={{ 'Signing secret': made.secret }} onKept={() => setMade(undefined)}>
          <p>The old secret also signs until {moment(made.until)}.</p>
        </SecretsOnce>
      )}
      <p class="note">
        A new secret is shown once. Until the time is over, deliveries carry a signature of the old one too.
      </p>
      <div class="row">
        <label class="inline">
          <span>The old secret also signs for</span>
          <select value={overlap} onChange={(event) => setOverlap(Number(event.currentTarget.value))}>
            {OVERLAPS.map(([seconds, text]) => (
              <option key={seconds} value={seconds}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={rotate.busy} onClick={() => rotate.run()}>
          Rotate the secret
        </button>
      </div>
      <Problem error={rotate.error} />
    </>
  );
}
