import { useEffect } from 'preact/hooks';
import type { Aoi } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { day, moment, number, signed, words } from '../format.ts';
import { metricName } from '../imagery/metric-names.ts';
import { rarityInWords } from '../incidents/incident-words.ts';
import { useMap } from '../map/map-content.ts';
import { MapGap } from '../map/map-gap.tsx';
import { useUnits } from '../metric-units.ts';
import { Badge, Copyable, Facts, SimulatedNote, Waiting } from '../parts.tsx';
import { SeriesSection } from '../place/series-section.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useClient } from '../session.ts';

/** Details of one anomaly: observed value, expected value, and the data from which they were computed. */
export function AnomalyPane({ id, areas }: { readonly id: string; readonly areas: readonly Aoi[] }) {
  const client = useClient();
  const { show } = useMap();
  const found = useAnswer((signal) => client.getAnomaly(id, {}, { signal }), [id]);
  const anomaly = found.value;
  const unit = useUnits()(anomaly?.metric ?? '');
  const area = areas.find((one) => one.id === anomaly?.aoi_id);
  useEffect(() => {
    if (area !== undefined) show({ chosenAreas: [area], focus: { geometries: [area.geometry] } });
  }, [area?.id]);
  // The map shows the images of the metric on the day of the most extreme value.
  useEffect(() => {
    const { collection } = (anomaly?.provenance ?? {}) as { readonly collection?: { readonly id: string } };
    if (anomaly !== undefined && !anomaly.station && collection !== undefined)
      show({ imagery: { collection: collection.id, since: anomaly.detected_at } });
  }, [anomaly?.id]);
  return (
    <>
      <p class="crumbs">
        <a href={routeHref({ pane: 'anomalies' })}>Incidents</a>
      </p>
      <Problem error={found.error} again={found.again} />
      {anomaly === undefined && found.waiting && <Waiting for="the anomaly" />}
      {anomaly && (
        <>
          <div class="heading">
            <h1>
              {metricName(anomaly.metric)} {anomaly.residual < 0 ? 'below' : 'above'} what was expected
            </h1>
            <Badge kind={anomaly.severity}>{anomaly.severity}</Badge>
          </div>
          <p class="headline">
            {area !== undefined && `${area.name}, `}
            {anomaly.ended_at === null
              ? `since ${day(anomaly.started_at)}`
              : `${day(anomaly.started_at)} to ${day(anomaly.ended_at)}`}
            , {rarityInWords(anomaly.severity)}
          </p>
          <MapGap />
          <Facts
            of={{
              Area: (
                <a href={routeHref({ pane: 'area', id: anomaly.aoi_id })}>{area?.name ?? anomaly.aoi_id}</a>
              ),
              Peril: words(anomaly.peril),
              State: anomaly.status === 'active' ? 'ongoing' : 'ended',
              Observed: number(anomaly.value) + unit,
              Expected: number(anomaly.expected) + unit,
              Difference: signed(anomaly.residual) + unit,
              Station: anomaly.station && (
                <a href={routeHref({ pane: 'place', at: anomaly.station, metric: anomaly.metric })}>
                  {anomaly.station.name}
                </a>
              ),
              Started: moment(anomaly.started_at),
              'Most extreme': moment(anomaly.detected_at),
              Ended: anomaly.ended_at === null ? 'not yet' : moment(anomaly.ended_at),
              Identifier: <Copyable text={anomaly.id} label="the identifier" />,
            }}
          />
          {anomaly.station && (
            <SeriesSection at={anomaly.station} first={anomaly.metric}>
              The values that {anomaly.station.name} reported before and since.
            </SeriesSection>
          )}
          <h2>Provenance</h2>
          {'simulated' in anomaly.provenance && <SimulatedNote />}
          <details>
            <summary>How the value and the expectation came about</summary>
            <pre tabIndex={0}>
              <code>{JSON.stringify(anomaly.provenance, null, 2)}</code>
            </pre>
          </details>
        </>
      )}
    </>
  );
}
