import type { Aoi, Incident } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { moment } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { Badge } from '../parts.tsx';
import { routeHref } from '../route.ts';
import { useClient, useRecordDates } from '../session.ts';
import { useShownName } from '../shown-name.ts';
import { areasOf, membersInWords, sizeInWords, stateInWords, sureInWords } from './incident-words.ts';

/** Incidents as cards: the title, the severity, how large and how sure it is, and what each consists of. */
export function IncidentCards(props: {
  readonly incidents: readonly Incident[];
  /** Whether the cards have the numbers of the pins on the map. */
  readonly numbered?: boolean;
}) {
  const { content } = useMap();
  return (
    <ul class="cards">
      {props.incidents.map((incident, i) => (
        <li key={incident.id}>
          <Card
            incident={incident}
            number={props.numbered === true ? i + 1 : undefined}
            areas={content.areas}
          />
        </li>
      ))}
    </ul>
  );
}

function Card(props: {
  readonly incident: Incident;
  readonly number: number | undefined;
  readonly areas: readonly Aoi[];
}) {
  const { incident, number, areas } = props;
  const { id, severity, change_count: changeCount } = incident;
  const client = useClient();
  const hasDates = useRecordDates();
  const shownName = useShownName();
  // The list says nothing of the confidence of changes.
  const whole = useAnswer(
    (signal) => (changeCount > 0 ? client.getIncident(id, {}, { signal }) : Promise.resolve(undefined)),
    [id, incident.updated_at],
  );
  const changes = whole.value?.changes ?? [];
  const isKnown = changeCount === 0 || changes.length > 0;
  const own = areasOf(incident, areas).map((one) => ({ ...one, name: shownName(one.name) }));
  return (
    <a href={routeHref({ pane: 'incident', id })} class={`incident ${severity}`}>
      <span class="line">
        <strong>
          {number !== undefined && (
            <span class={`pin ${severity}`} aria-hidden="true">
              {number}
            </span>
          )}
          {shownName(incident.title)}
        </strong>
        <Badge kind={severity}>{severity}</Badge>
      </span>
      <span class="figures">
        {isKnown ? `${sizeInWords(incident, own)} · ${sureInWords(incident, changes)}` : '\u00a0'}
      </span>
      <span class="note">
        {stateInWords(incident, hasDates ? Date.now() : undefined)} · {membersInWords(incident)}
        {hasDates && ` · noticed ${moment(incident.opened_at)}`}
      </span>
    </a>
  );
}
