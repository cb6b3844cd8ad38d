import { useState } from 'preact/hooks';
import type { Incident } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { ExportButtons } from '../export/export-buttons.tsx';
import { Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { NothingYet } from '../sandbox/nothing-yet.tsx';
import { useClient } from '../session.ts';
import { IncidentCards } from './incident-card.tsx';

/** Number of incidents that each step of the list adds. */
const STEP = 20;

/** All incidents, those that began last first, some at a time. */
export function IncidentList({ isWatching }: { readonly isWatching: boolean }) {
  const client = useClient();
  const [wanted, setWanted] = useState(STEP);
  const found = useAnswer(
    async (signal) => {
      const incidents: Incident[] = [];
      for await (const incident of client.incidents({ limit: wanted + 1 }, { signal })) {
        incidents.push(incident);
        if (incidents.length > wanted) break;
      }
      return { incidents: incidents.slice(0, wanted), more: incidents.length > wanted };
    },
    [wanted],
  );
  // While more are loaded, those that are there stay.
  const [shown, setShown] = useState(found.value);
  if (found.value !== undefined && found.value !== shown) setShown(found.value);
  return (
    <>
      <Problem error={found.error} again={found.again} />
      {shown === undefined && found.waiting && <Waiting for="incidents" />}
      {shown?.incidents.length === 0 && (
        <NothingYet what="incidents">
          <p class="empty">
            {isWatching
              ? 'Nothing unusual in the areas that are watched.'
              : 'No area is watched yet: subscribe below.'}
          </p>
        </NothingYet>
      )}
      {shown && <IncidentCards incidents={shown.incidents} />}
      {shown?.more === true && (
        <button type="button" class="quiet" disabled={found.waiting} onClick={() => setWanted(wanted + STEP)}>
          Show more
        </button>
      )}
      {shown !== undefined && shown.incidents.length > 0 && (
        <>
          <ExportButtons list="/v1/incidents" name="incidents" />
          <ExportButtons list="/v1/anomalies" name="anomalies" />
        </>
      )}
    </>
  );
}
