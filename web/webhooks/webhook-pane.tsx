import { useState } from 'preact/hooks';
import type { Webhook } from '../../src/client/index.ts';
import { useAction, useAnswer } from '../answer.ts';
import { moment } from '../format.ts';
import { Badge, Copyable, Facts, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useClient } from '../session.ts';
import { DeliveryList } from './delivery-list.tsx';
import { EndpointSettings } from './endpoint-settings.tsx';
import { choiceText } from './event-choice.ts';
import { Needs } from '../people/needs.tsx';

/** Details of one webhook endpoint: a button that sends a test, its deliveries and its settings. */
export function WebhookPane({ id }: { readonly id: string }) {
  const client = useClient();
  const found = useAnswer((signal) => client.getWebhook(id, { signal }), [id]);
  return (
    <>
      <p class="crumbs">
        <a href={routeHref({ pane: 'webhooks' })}>Webhooks</a>
      </p>
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="the webhook" />}
      {found.value && <WebhookDetails webhook={found.value} onChanged={found.again} />}
    </>
  );
}

function WebhookDetails({
  webhook,
  onChanged,
}: {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}) {
  const client = useClient();
  const { id, url, email, status, events, disabled_reason, created_at } = webhook;
  const [sent, setSent] = useState(0);
  const send = useAction(
    () => client.testWebhook(id),
    () => setSent((n) => n + 1),
  );
  const turn = useAction((to: 'active' | 'disabled') => client.updateWebhook(id, { status: to }), onChanged);
  return (
    <>
      <div class="heading">
        <h1 class="address">{email ?? url}</h1>
        <Badge kind={status}>{status}</Badge>
      </div>
      {status === 'unconfirmed' && (
        <p class="note">
          The recipient has been asked by e-mail to confirm this address. Nothing else is sent.
        </p>
      )}
      {disabled_reason !== null && <p class="problem">{disabled_reason}</p>}
      <Facts
        of={{
          Events: choiceText(events),
          Registered: moment(created_at),
          Identifier: <Copyable text={id} label="the identifier" />,
        }}
      />
      <Needs to="updateWebhook">
        <div class="row">
          <button type="button" class="primary" disabled={send.busy} onClick={() => send.run()}>
            {status === 'unconfirmed' ? 'Ask again' : 'Send a test'}
          </button>
          <button
            type="button"
            disabled={turn.busy}
            onClick={() => turn.run(status === 'disabled' ? 'active' : 'disabled')}
          >
            {status === 'disabled' ? 'Enable' : 'Disable'}
          </button>
        </div>
      </Needs>
      <Problem error={send.error ?? turn.error} />
      <DeliveryList webhookId={id} sent={sent} />
      <Needs to="updateWebhook" quiet>
        <EndpointSettings key={`${url} ${String(events)}`} webhook={webhook} onChanged={onChanged} />
      </Needs>
    </>
  );
}
