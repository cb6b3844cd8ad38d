import { useEffect } from 'preact/hooks';
import type { Aoi, Change, WholeIncident } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { ImagesOfChange } from '../changes/change-images.tsx';
import { changeName } from '../changes/change-name.ts';
import { area, day, moment, words } from '../format.ts';
import { metricName } from '../imagery/metric-names.ts';
import { useMap } from '../map/map-content.ts';
import { MapGap } from '../map/map-gap.tsx';
import { Badge, Copyable, Facts, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useClient, useRecordDates } from '../session.ts';
import { useShownName } from '../shown-name.ts';
import { anomalyRows } from './anomaly-rows.ts';
import { areasOf, membersInWords, sizeInWords, stateInWords, sureInWords } from './incident-words.ts';

/** Number of its changes that the map draws bold, the largest; each needs one request. */
const BOLD = 12;

/** One incident: what, where, when, its picture, and what it consists of. */
export function IncidentPane({ id, areas }: { readonly id: string; readonly areas: readonly Aoi[] }) {
  const client = useClient();
  const { show } = useMap();
  const found = useAnswer((signal) => client.getIncident(id, {}, { signal }), [id]);
  const incident = found.value;
  const box = incident?.bbox.join(',');
  useEffect(() => {
    if (incident === undefined) return;
    const [west, south, east, north] = incident.bbox as [number, number, number, number];
    const right = east < west ? east + 360 : east;
    const ring: [number, number][] = [
      [west, south],
      [right, south],
      [right, north],
      [west, north],
      [west, south],
    ];
    show({ focus: { geometries: [{ type: 'Polygon', coordinates: [ring] }] } });
  }, [box]);
  const largest = incident?.changes
    .toSorted((a, b) => b.area_m2 - a.area_m2)
    .slice(0, BOLD)
    .map((change) => change.id);
  const outlines = useAnswer(
    (signal): Promise<readonly Change[]> =>
      Promise.all((largest ?? []).map((one) => client.getChange(one, {}, { signal }))),
    [largest],
  );
  useEffect(() => show({ chosenChanges: outlines.value ?? [] }), [outlines.value]);
  const concerned = areas.filter((one) => incident?.anomalies.some(({ aoi_id: aoi }) => aoi === one.id));
  useEffect(() => show({ chosenAreas: concerned }), [concerned.map((one) => one.id).join(',')]);
  const shownName = useShownName();
  const own = incident && areasOf(incident, areas).map((one) => ({ ...one, name: shownName(one.name) }));
  return (
    <>
      <p class="crumbs">
        <a href={routeHref({ pane: 'anomalies' })}>Incidents</a>
      </p>
      <Problem error={found.error} again={found.again} />
      {incident === undefined && found.waiting && <Waiting for="the incident" />}
      {incident && own && (
        <>
          <div class="heading">
            <h1>{shownName(incident.title)}</h1>
            <Badge kind={incident.severity}>{incident.severity}</Badge>
          </div>
          <p class="headline">
            {sizeInWords(incident, own)}, {sureInWords(incident, incident.changes)}
          </p>
          <MapGap />
          {incident.changes.length > 0 && <ImagesOfChange id={picturedChange(incident)} />}
          <IncidentFacts incident={incident} areas={areas} />
          <Problem error={outlines.error} again={outlines.again} />
          <ChangeRows incident={incident} />
          <AnomalyRows incident={incident} areas={areas} />
        </>
      )}
    </>
  );
}

/** Id of the change whose pictures the incident has. */
function picturedChange({ images_url: url, changes }: WholeIncident): string {
  return (changes.find(({ images_url: own }) => own === url) ?? changes[0]!).id;
}

interface Shown {
  readonly incident: WholeIncident;
  readonly areas: readonly Aoi[];
}

function IncidentFacts({ incident, areas }: Shown) {
  const hasDates = useRecordDates();
  const others = incident.area_count - incident.aoi_ids.length;
  return (
    <Facts
      of={{
        State: stateInWords(incident, hasDates ? Date.now() : undefined),
        Began: moment(incident.started_at),
        Ended: incident.ended_at === null ? undefined : moment(incident.ended_at),
        Areas: (
          <>
            {incident.aoi_ids.map((id, i) => (
              <>
                {i > 0 && ', '}
                <a href={routeHref({ pane: 'area', id })}>{nameOf(areas, id)}</a>
              </>
            ))}
            {others > 0 && ` and ${others} more`}
          </>
        ),
        Perils: incident.perils.length === 0 ? undefined : incident.perils.map(words).join(', '),
        'Consists of': membersInWords(incident),
        Noticed: hasDates ? moment(incident.opened_at) : undefined,
        Identifier: <Copyable text={incident.id} label="the identifier" />,
      }}
    />
  );
}

function ChangeRows({ incident }: Pick<Shown, 'incident'>) {
  if (incident.changes.length === 0) return null;
  return (
    <section aria-labelledby="incident-changes">
      <h2 id="incident-changes">Changes</h2>
      <ul class="rows">
        {incident.changes.map((change) => (
          <li key={change.id}>
            <a href={routeHref({ pane: 'change', id: change.id })}>
              {changeName(change.type)}, {area(change.area_m2)}
            </a>
            <span class="note">
              first seen {day(change.first_anomaly_at)}
              {change.confirmed_at !== null && `, confirmed ${day(change.confirmed_at)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The anomalies, a row for each metric, with a link for each area. */
function AnomalyRows({ incident, areas }: Shown) {
  if (incident.anomalies.length === 0) return null;
  return (
    <section aria-labelledby="incident-anomalies">
      <h2 id="incident-anomalies">Anomalies</h2>
      <ul class="rows">
        {anomalyRows(incident.anomalies).map(({ metric, severity, from, to, members }) => (
          <li key={metric}>
            <span class="line">
              <strong>{metricName(metric)}</strong>
              <Badge kind={severity}>{severity}</Badge>
            </span>
            <span class="note">
              {day(from)} {to === null ? 'and ongoing' : `to ${day(to)}`}
            </span>
            <span class="note links">
              {members.map(({ id, aoi_id: aoi, started_at: started }) => (
                <a key={id} href={routeHref({ pane: 'anomaly', id })}>
                  {nameOf(areas, aoi)} {day(started)}
                </a>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {incident.anomaly_count > incident.anomalies.length && (
        <p class="note">The last {incident.anomalies.length} are shown.</p>
      )}
    </section>
  );
}

function nameOf(areas: readonly Aoi[], id: string): string {
  return areas.find((one) => one.id === id)?.name ?? id;
}
