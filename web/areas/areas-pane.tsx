import { useEffect } from 'preact/hooks';
import type { Aoi } from '../../src/client/index.ts';
import { type Answer, useAnswer } from '../answer.ts';
import { changesOf } from '../changes/change-list.tsx';
import { area, day } from '../format.ts';
import { IncidentNews } from '../incidents/incident-news.tsx';
import { useMap } from '../map/map-content.ts';
import { Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { NothingYet } from '../sandbox/nothing-yet.tsx';
import { useClient, useRecordDates } from '../session.ts';
import { Needs } from '../people/needs.tsx';

/** Maximum number of areas whose changes are loaded, newest areas first; each area needs one request. */
const FEW = 20;
/** Maximum number of changes drawn for each area. */
const DRAWN = 100;

/** Lists the areas of interest, and the changes in the newest areas. */
export function AreasPane({ areas }: { readonly areas: Answer<readonly Aoi[]> }) {
  const client = useClient();
  const hasDates = useRecordDates();
  const { show } = useMap();
  const newest = areas.value?.slice(0, FEW).map(({ id }) => id) ?? [];
  // With a key that lacks the scope to read changes, this request fails and the pane shows only the areas.
  const found = useAnswer(async (signal) => {
    const of = async (id: string) =>
      [id, await changesOf(client, { aoi_id: id, limit: DRAWN }, signal)] as const;
    return Object.fromEntries(await Promise.all(newest.map(of)));
  }, newest);
  useEffect(() => {
    show({ selectedArea: undefined, changes: [], selectedChange: undefined, place: undefined });
    if (areas.value !== undefined && areas.value.length > 0)
      show({ focus: { geometries: areas.value.map(({ geometry }) => geometry) } });
  }, [areas.value]);
  useEffect(() => {
    if (found.value === undefined) return;
    const changes = Object.values(found.value).flatMap((of) => of.changes);
    // A change that lies in two areas is drawn once.
    show({ changes: [...new Map(changes.map((change) => [change.id, change])).values()] });
  }, [found.value]);
  return (
    <>
      <IncidentNews />
      <div class="heading">
        <h1>Areas of interest</h1>
        <Needs to="createAoi" quiet>
          <a class="button primary" href={routeHref({ pane: 'new-area' })}>
            New area
          </a>
        </Needs>
      </div>
      <Problem error={areas.error} again={areas.again} />
      {areas.value === undefined && areas.waiting && <Waiting for="areas" />}
      {areas.value?.length === 0 && (
        <NothingYet what="areas">
          <div class="empty">
            <p>No areas yet.</p>
            <Needs to="createAoi">
              <p>
                An area is a place to watch. <a href={routeHref({ pane: 'new-area' })}>Draw one on the map</a>
                , or enter its outline as GeoJSON. Changes already found inside it appear at once.
              </p>
            </Needs>
          </div>
        </NothingYet>
      )}
      <ul class="cards">
        {areas.value?.map(({ id, name, area_m2, created_at }) => (
          <li key={id}>
            <a href={routeHref({ pane: 'area', id })}>
              <strong>{name}</strong>
              <span class="note">
                {area(area_m2)}
                {hasDates && ` · since ${day(created_at)}`}
              </span>
              <ChangeCount of={found.value?.[id]} />
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function ChangeCount({ of }: { readonly of: Awaited<ReturnType<typeof changesOf>> | undefined }) {
  if (of === undefined || of.changes.length === 0) return null;
  const { length } = of.changes;
  return (
    <span class="note">
      {of.more ? `more than ${length}` : length} confirmed {length === 1 ? 'change' : 'changes'}, the last of{' '}
      {day(of.changes[0]!.detected_at)}
    </span>
  );
}
