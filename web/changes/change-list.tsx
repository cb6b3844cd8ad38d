import { useEffect, useState } from 'preact/hooks';
import type { ChangeStatus, Groundwatch, ListedChangeFeature } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { changeName } from './change-name.ts';
import { area, day, percent, words } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { Badge, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { ExportButtons } from '../export/export-buttons.tsx';
import { NothingYet } from '../sandbox/nothing-yet.tsx';
import { useClient } from '../session.ts';

const FILTERS = ['confirmed', 'suspected', 'recovered', 'rejected', 'all'] as const satisfies readonly (
  | ChangeStatus
  | 'all'
)[];

/** Maximum number of changes drawn and listed. */
const SHOWN = 500;

/** A change as the list draws it: all but its provenance and its versions. */
type ListedChange = ListedChangeFeature['properties'] & Pick<ListedChangeFeature, 'geometry'>;

/** Requests one page of an area's changes, newest first, with their outlines. */
export async function changesOf(
  client: Groundwatch,
  query: { readonly aoi_id: string; readonly status?: ChangeStatus | 'all'; readonly limit: number },
  signal: AbortSignal,
): Promise<{
  readonly changes: readonly ListedChange[];
  readonly more: boolean;
  /** Number of suspected changes that the list leaves out; 0 when a status was asked for. */
  readonly omitted: number;
}> {
  const { features, next_cursor, suspected_omitted } = await client.listChanges(
    { ...query, f: 'geojson' },
    { signal },
  );
  const changes = features.map(({ geometry, properties }) => ({ ...properties, geometry }));
  return { changes, more: next_cursor !== undefined, omitted: suspected_omitted ?? 0 };
}

/** Shows the changes of one area, newest first, in a list and on the map. */
export function ChangeList({
  areaId,
  isObserved,
}: {
  readonly areaId: string;
  /** Whether any image covers the area. If not, an empty list does not mean that nothing has changed. */
  readonly isObserved: boolean;
}) {
  const client = useClient();
  const { show } = useMap();
  const [status, setStatus] = useState<(typeof FILTERS)[number]>('confirmed');
  const found = useAnswer(
    // Without a status, the answer also says how many suspected changes it leaves out.
    (signal) => {
      const query = { aoi_id: areaId, limit: SHOWN, ...(status !== 'confirmed' && { status }) };
      return changesOf(client, query, signal);
    },
    [areaId, status],
  );
  // The map draws all confirmed changes in any case; the others only when they are listed.
  useEffect(
    () => show({ chosenChanges: status === 'confirmed' ? [] : (found.value?.changes ?? []) }),
    [found.value, status],
  );
  const { changes = [], more = false, omitted = 0 } = found.value ?? {};
  return (
    <section aria-labelledby="changes-heading">
      <div class="heading">
        <h2 id="changes-heading">Changes</h2>
        <label class="inline">
          <span>Status</span>
          <select
            value={status}
            onChange={(event) => setStatus(event.currentTarget.value as (typeof FILTERS)[number])}
          >
            {FILTERS.map((name) => (
              <option key={name} value={name}>
                {words(name)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="changes" />}
      {found.value !== undefined && changes.length === 0 && (
        <NothingYet what="changes">
          <p class="empty">
            {isObserved
              ? `No ${status === 'all' ? '' : `${status} `}changes in this area.`
              : 'Changes are unknown here: no images of this area have been ingested.'}
          </p>
        </NothingYet>
      )}
      <ul class="cards">
        {changes.map((change) => (
          <li key={change.id}>
            <ChangeCard change={change} />
          </li>
        ))}
      </ul>
      {changes.length > 0 && (
        <>
          <ExportButtons list="/v1/changes" name="changes" query={{ aoi_id: areaId, status }} />
          {more && <p class="note">The newest {SHOWN} are shown; a file has all.</p>}
        </>
      )}
      {omitted > 0 && (
        <p class="note">
          {omitted} suspected {omitted === 1 ? 'change is' : 'changes are'} not listed: choose the status
          Suspected.
        </p>
      )}
    </section>
  );
}

function ChangeCard({ change }: { readonly change: ListedChange }) {
  return (
    <a href={routeHref({ pane: 'change', id: change.id })}>
      <span class="line">
        <strong class={`kind ${change.type}`}>{changeName(change.type)}</strong>
        <Badge kind={change.status}>{change.status}</Badge>
      </span>
      <span class="note">
        {area(change.area_m2)} · {percent(change.confidence)} confident · from {day(change.first_anomaly_at)}
        {change.confirmed_at === null
          ? `, flagged ${day(change.detected_at)}`
          : `, confirmed ${day(change.confirmed_at)}`}
        {change.recovered_at !== null && `, recovered ${day(change.recovered_at)}`}
      </span>
    </a>
  );
}
