import type { Incident } from '../../src/client/index.ts';
import { moment } from '../format.ts';
import { Badge } from '../parts.tsx';
import { routeHref } from '../route.ts';
import { useRecordDates } from '../session.ts';
import { membersInWords } from './incident-words.ts';

/** Incidents as cards: the title, the severity, and what each consists of. */
export function IncidentCards({ incidents }: { readonly incidents: readonly Incident[] }) {
  const hasDates = useRecordDates();
  return (
    <ul class="cards">
      {incidents.map((incident) => (
        <li key={incident.id}>
          <a href={routeHref({ pane: 'incident', id: incident.id })}>
            <span class="line">
              <strong>{incident.title}</strong>
              <Badge kind={incident.severity}>{incident.severity}</Badge>
            </span>
            <span class="note">
              {incident.status === 'open' && 'ongoing · '}
              {membersInWords(incident)}
              {hasDates && ` · noticed ${moment(incident.opened_at)}`}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
