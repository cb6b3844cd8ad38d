import { useEffect } from 'preact/hooks';
import type { Anomaly, Aoi, Subscription } from '../../src/client/index.ts';
import { allOf } from '../all-of.ts';
import { type Answer, useAction, useAnswer } from '../answer.ts';
import { day, number, words } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { useUnits } from '../metric-units.ts';
import { Badge, ConfirmButton, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { NothingYet } from '../sandbox/nothing-yet.tsx';
import { useClient } from '../session.ts';
import { SubscribeForm } from './subscribe-form.tsx';
import { Needs } from '../people/needs.tsx';

const SHOWN = 200; // maximum number of anomalies in the list

/** Lists the subscriptions, and the anomalies of the subscribed areas. */
export function AnomaliesPane({ areas }: { readonly areas: Answer<readonly Aoi[]> }) {
  const client = useClient();
  const { show } = useMap();
  useEffect(
    () => show({ changes: [], selectedArea: undefined, selectedChange: undefined, place: undefined }),
    [],
  );
  const found = useAnswer(async (signal) => {
    const { features, next_cursor } = await client.listAnomalies({ limit: SHOWN, f: 'geojson' }, { signal });
    const anomalies = features.map(({ properties }) => properties as unknown as Omit<Anomaly, 'provenance'>);
    return { anomalies, more: next_cursor !== undefined };
  }, []);
  const subscriptions = useAnswer((signal) => allOf(client.subscriptions({}, { signal })), []);
  const unitOf = useUnits();
  const nameOf = (id: string): string => areas.value?.find((area) => area.id === id)?.name ?? id;
  return (
    <>
      <h1>Anomalies</h1>
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="anomalies" />}
      {found.value?.anomalies.length === 0 && (
        <NothingYet what="anomalies">
          <p class="empty">
            {subscriptions.value?.length === 0
              ? 'No area is watched yet: subscribe below.'
              : 'Nothing unusual in the areas that are watched.'}
          </p>
        </NothingYet>
      )}
      <ul class="cards">
        {found.value?.anomalies.map((anomaly) => (
          <li key={anomaly.id}>
            <a href={routeHref({ pane: 'anomaly', id: anomaly.id })}>
              <span class="line">
                <strong>
                  {words(anomaly.peril)}: {anomaly.metric} {number(anomaly.value)}
                  {unitOf(anomaly.metric)}
                </strong>
                <Badge kind={anomaly.severity}>{anomaly.severity}</Badge>
              </span>
              <span class="note">
                {nameOf(anomaly.aoi_id)}
                {anomaly.station && `, ${anomaly.station.name}`} · {number(anomaly.expected)} expected · from{' '}
                {day(anomaly.started_at)}
                {anomaly.ended_at === null ? ', ongoing' : ` to ${day(anomaly.ended_at)}`}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {found.value?.more && <p class="note">The newest {SHOWN} are shown.</p>}
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
      <Problem error={turn.error ?? cancel.error} />
    </li>
  );
}
