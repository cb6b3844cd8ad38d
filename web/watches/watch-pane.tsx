import { EVENT_DAYS } from '../../src/contract/limits.ts';
import { useEffect } from 'preact/hooks';
import type { Aoi, RiskWatch } from '../../src/client/index.ts';
import { useAction, useAnswer } from '../answer.ts';
import { count, moment, percent, position, whole, words } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { Badge, ConfirmButton, Copyable, Facts, ScoreBar, SimulatedNote, Waiting } from '../parts.tsx';
import { RiskExplanation } from '../place/risk-explanation.tsx';
import { Problem } from '../problem.tsx';
import { goTo, routeHref } from '../route.ts';
import { useClient, useRecordDates } from '../session.ts';
import { crossingsOf, standingOf } from './watch-crossings.ts';
import { placeName } from './watches-pane.tsx';
import { Needs } from '../people/needs.tsx';

const EVENTS_READ = 1000; // maximum number of crossings loaded, of all watches; the pane shows those of this watch

/** Details of one risk watch: its state, the reasons, its crossings, and a button that ends it. */
export function WatchPane({ id, areas }: { readonly id: string; readonly areas: readonly Aoi[] }) {
  const client = useClient();
  const { show } = useMap();
  const found = useAnswer((signal) => client.getRiskWatch(id, { explain: true }, { signal }), [id]);
  const watch = found.value;
  const area = areas.find((one) => one.id === watch?.aoi_id);
  useEffect(() => {
    if (watch?.lat !== undefined && watch.lng !== undefined)
      show({ place: { lat: watch.lat, lng: watch.lng } });
    if (area !== undefined) show({ chosenAreas: [area], focus: { geometries: [area.geometry] } });
  }, [watch?.lat, watch?.lng, area?.id]);
  return (
    <>
      <p class="crumbs">
        <a href={routeHref({ pane: 'watches' })}>Risk watches</a>
      </p>
      <Problem error={found.error} again={found.again} />
      {watch === undefined && found.waiting && <Waiting for="the watch" />}
      {watch && <WatchDetails watch={watch} areas={areas} />}
    </>
  );
}

function WatchDetails({ watch, areas }: { readonly watch: RiskWatch; readonly areas: readonly Aoi[] }) {
  const client = useClient();
  const { id, peril, threshold, risk_score, confidence, explain } = watch;
  const { word, kind } = standingOf(watch);
  const hasDates = useRecordDates();
  const remove = useAction(
    () => client.deleteRiskWatch(id),
    () => goTo({ pane: 'watches' }),
  );
  return (
    <>
      <div class="heading">
        <h1>
          {words(peril)}: {placeName(watch, areas)}
        </h1>
        <Badge kind={kind}>{word}</Badge>
      </div>
      <ScoreBar score={risk_score} threshold={threshold} label={`${words(peril)} risk`} />
      {explain?.simulated && <SimulatedNote />}
      <Facts
        of={{
          Score:
            confidence > 0
              ? `${risk_score.toFixed(2)}, ${percent(confidence)} confident that it lies within 0.1`
              : `${risk_score.toFixed(2)}: a prior, which crosses nothing; nothing is known there`,
          Threshold: threshold.toFixed(2),
          Place: <PlaceLink watch={watch} areas={areas} />,
          'Last scored': hasDates ? moment(watch.scored_at) : undefined,
          Since: hasDates ? moment(watch.created_at) : undefined,
          Subscription:
            watch.subscription_id === undefined ? undefined : (
              <a href={routeHref({ pane: 'anomalies' })}>Anomalies of this area</a>
            ),
          Identifier: <Copyable text={id} label="the identifier" />,
        }}
      />
      {watch.area && <AreaFacts of={watch.area} />}
      <Needs to="deleteRiskWatch">
        <ConfirmButton
          label="End this watch"
          question={
            watch.subscription_id === undefined
              ? 'Nothing more is told of it.'
              : 'Its subscription continues without it.'
          }
          busy={remove.busy}
          onConfirm={() => remove.run()}
        />
      </Needs>
      <Problem error={remove.error} />
      <Crossings watch={watch} />
      {explain && (
        <>
          <h2>Why this score</h2>
          <RiskExplanation explain={explain} version={watch.model_version} />
        </>
      )}
    </>
  );
}

function PlaceLink({ watch, areas }: { readonly watch: RiskWatch; readonly areas: readonly Aoi[] }) {
  const { aoi_id, lat, lng } = watch;
  const href =
    aoi_id === undefined
      ? routeHref({ pane: 'place', at: { lat: lat!, lng: lng! } })
      : routeHref({ pane: 'area', id: aoi_id });
  return <a href={href}>{placeName(watch, areas)}</a>;
}

function AreaFacts({ of }: { readonly of: NonNullable<RiskWatch['area']> }) {
  const { places, places_without_data, share_above, highest, share_scored } = of;
  return (
    <Facts
      of={{
        'Looked at in': `${count(places, 'place')}${places_without_data > 0 ? `, ${whole(places_without_data)} of them without data` : ''}`,
        'Above threshold': share_above === null ? undefined : `${percent(share_above)} of the area with data`,
        Highest: highest && (
          <a href={routeHref({ pane: 'place', at: highest })}>
            {highest.risk_score.toFixed(2)} at {position(highest.lat, highest.lng)}
          </a>
        ),
        'The score': `is what the highest ${percent(share_scored)} of the area with data reach`,
      }}
    />
  );
}

function Crossings({ watch }: { readonly watch: RiskWatch }) {
  const client = useClient();
  const found = useAnswer(
    async (signal) => {
      const { events } = await client.listEvents(
        { type: 'risk.threshold_exceeded', order: 'desc', limit: EVENTS_READ },
        { signal },
      );
      return crossingsOf(watch, events);
    },
    [watch.id],
  );
  return (
    <section aria-labelledby="crossings-heading">
      <h2 id="crossings-heading">Crossings</h2>
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="crossings" />}
      {found.value?.length === 0 && (
        <p class="note">
          None in the last {EVENT_DAYS} days.
          {watch.above &&
            ' It was above the threshold when the watch began, which is not told as a crossing.'}
        </p>
      )}
      <ul class="rows">
        {found.value?.map(({ id, created_at, data }) => (
          <li key={id}>
            <span class="line">
              <span>
                From {data.previous_score.toFixed(2)} to {data.risk_score.toFixed(2)}
              </span>
              <small class="nowrap">{moment(created_at)}</small>
            </span>
            <small>
              {data.model_version}, {percent(data.confidence)} confident
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}
