import type { Aoi, Subscription } from '../../src/client/index.ts';
import { allOf } from '../all-of.ts';
import { type Answer, useAction, useAnswer } from '../answer.ts';
import { words } from '../format.ts';
import { IncidentList } from '../incidents/incident-list.tsx';
import { Badge, ConfirmButton, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { NothingYet } from '../sandbox/nothing-yet.tsx';
import { useClient } from '../session.ts';
import { AlertSettings } from './alert-settings.tsx';
import { SubscribeForm } from './subscribe-form.tsx';
import { Needs } from '../people/needs.tsx';

/** Lists the incidents, and the subscriptions to anomalies of areas. */
export function AnomaliesPane({ areas }: { readonly areas: Answer<readonly Aoi[]> }) {
  const client = useClient();
  const subscriptions = useAnswer((signal) => allOf(client.subscriptions({}, { signal })), []);
  const nameOf = (id: string): string => areas.value?.find((area) => area.id === id)?.name ?? id;
  return (
    <>
      <h1>Incidents</h1>
      <IncidentList isWatching={subscriptions.value === undefined || subscriptions.value.length > 0} />
      <SubscriptionList subscriptions={subscriptions} nameOf={nameOf} />
      <h2>Subscribe</h2>
      <Needs to="subscribeToAnomalies">
        <Problem error={areas.error} again={areas.again} />
        {areas.value === undefined && areas.waiting && <Waiting for="areas" />}
        {areas.value && <SubscribeForm areas={areas.value} onSubscribed={subscriptions.again} />}
      </Needs>
    </>
  );
}

function SubscriptionList(props: {
  readonly subscriptions: Answer<readonly Subscription[]>;
  readonly nameOf: (id: string) => string;
}) {
  const { subscriptions } = props;
  return (
    <section aria-labelledby="subscriptions-heading">
      <h2 id="subscriptions-heading">Subscriptions</h2>
      <Problem error={subscriptions.error} again={subscriptions.again} />
      {subscriptions.value === undefined && subscriptions.waiting && <Waiting for="subscriptions" />}
      {subscriptions.value?.length === 0 && (
        <NothingYet what="subscriptions">
          <p class="note">None.</p>
        </NothingYet>
      )}
      <ul class="rows">
        {subscriptions.value?.map((subscription) => (
          <SubscriptionRow
            key={subscription.subscription_id}
            subscription={subscription}
            name={props.nameOf(subscription.aoi_id)}
            onChanged={subscriptions.again}
          />
        ))}
      </ul>
    </section>
  );
}

function SubscriptionRow(props: {
  readonly subscription: Subscription;
  readonly name: string;
  readonly onChanged: () => void;
}) {
  const client = useClient();
  const { subscription_id: id, status, perils } = props.subscription;
  const turn = useAction(
    (to: 'active' | 'paused') => client.updateSubscription(id, { status: to }),
    props.onChanged,
  );
  const cancel = useAction(() => client.cancelSubscription(id), props.onChanged);
  return (
    <li>
      <span class="line">
        <strong>{props.name}</strong>
        <Badge kind={status}>{status}</Badge>
      </span>
      <span class="note">{perils.map(words).join(', ')}</span>
      {status !== 'cancelled' && (
        <Needs to="updateSubscription" quiet>
          <span class="row">
            <button
              type="button"
              class="quiet"
              disabled={turn.busy}
              onClick={() => turn.run(status === 'active' ? 'paused' : 'active')}
            >
              {status === 'active' ? 'Pause' : 'Resume'}
            </button>
            <ConfirmButton
              label="Cancel"
              question="Its alerts end."
              busy={cancel.busy}
              onConfirm={() => cancel.run()}
            />
          </span>
        </Needs>
      )}
      {status !== 'cancelled' && (
        <Needs to="updateSubscription" quiet>
          <AlertSettings subscription={props.subscription} name={props.name} onChanged={props.onChanged} />
        </Needs>
      )}
      <Problem error={turn.error ?? cancel.error} />
    </li>
  );
}
