import { useEffect, useMemo } from 'preact/hooks';
import type { Incident } from '../../src/client/index.ts';
import { SEVERITIES } from '../../src/contract/vocabulary.ts';
import { useAnswer } from '../answer.ts';
import { moment } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useSession } from '../session.ts';
import { IncidentCards } from './incident-card.tsx';
import { incidentPins } from './incident-pins.ts';
import { lastVisit } from './last-visit.ts';

/** Number of incidents in the news. The page of all incidents is a link away. */
const NEWS = 5;

/** The newest day first; of one day the most severe first. */
function byDayThenSeverity(a: Incident, b: Incident): number {
  const rank = ({ severity }: Incident): number => SEVERITIES.indexOf(severity);
  return b.started_at.slice(0, 10).localeCompare(a.started_at.slice(0, 10)) || rank(b) - rank(a);
}

/** What is new since the last visit, in words. At the first visit: the newest incidents. */
export function IncidentNews() {
  const { client, account, environment, scopes } = useSession();
  const since = useMemo(
    () => lastVisit(`${account.id} ${environment}`, Date.now(), localStorage, sessionStorage),
    [],
  );
  const mayRead = scopes.includes('anomalies:read');
  const found = useAnswer(
    async (signal) => {
      if (!mayRead) return undefined;
      const limited = { limit: NEWS, ...(since !== undefined && { updated_since: since }) };
      const { incidents, next_cursor: more } = await client.listIncidents(limited, { signal });
      return { incidents: incidents.toSorted(byDayThenSeverity), more: more !== undefined };
    },
    [since],
  );
  const { show, content } = useMap();
  const { areas } = content;
  useEffect(() => {
    show({ pins: incidentPins(found.value?.incidents ?? [], areas) });
    return () => show({ pins: [] });
  }, [found.value, areas]);
  if (!mayRead) return null;
  const { value } = found;
  return (
    <section aria-labelledby="news-heading">
      <h2 id="news-heading">{since === undefined ? 'Newest incidents' : 'New since your last visit'}</h2>
      <Problem error={found.error} again={found.again} />
      {value === undefined && found.waiting && <Waiting for="incidents" />}
      {value?.incidents.length === 0 && (
        <p class="note">
          {since === undefined ? 'No incidents yet.' : `No incident began or changed since ${moment(since)}.`}
        </p>
      )}
      {value && value.incidents.length > 0 && <IncidentCards incidents={value.incidents} numbered />}
      <p class="note">
        {value?.more === true && 'There are more. '}
        <a href={routeHref({ pane: 'anomalies' })}>All incidents</a>
      </p>
    </section>
  );
}
