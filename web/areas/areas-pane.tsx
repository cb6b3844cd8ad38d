import { useEffect } from 'preact/hooks';
import type { Aoi } from '../../src/client/index.ts';
import { type Answer, useAnswer } from '../answer.ts';
import { ExportButtons } from '../export/export-buttons.tsx';
import { area, count, day } from '../format.ts';
import { IncidentNews } from '../incidents/incident-news.tsx';
import { useMap } from '../map/map-content.ts';
import { Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { NothingYet } from '../sandbox/nothing-yet.tsx';
import { useClient, useRecordDates } from '../session.ts';
import { Needs } from '../people/needs.tsx';

/** Maximum number of areas whose changes are counted, newest areas first; each area needs one request. */
const FEW = 20;
/** Maximum number of changes that are counted of each area. */
const COUNTED = 100;

/** The first view: what is new, and the areas of interest. */
export function AreasPane({ areas }: { readonly areas: Answer<readonly Aoi[]> }) {
  const client = useClient();
  const hasDates = useRecordDates();
  const { show } = useMap();
  const newest = areas.value?.slice(0, FEW).map(({ id }) => id) ?? [];
  // With a key that lacks the scope to read changes, this request fails and the pane shows only the areas.
  const found = useAnswer(async (signal) => {
    const of = async (id: string) => {
      const { changes, next_cursor: more } = await client.listChanges(
        { aoi_id: id, limit: COUNTED },
        { signal },
      );
      return [id, { changes: changes.length, more: more !== undefined }] as const;
    };
    return Object.fromEntries(await Promise.all(newest.map(of)));
  }, newest);
  useEffect(() => {
    if (areas.value !== undefined && areas.value.length > 0)
      show({ focus: { geometries: areas.value.map(({ geometry }) => geometry) } });
  }, [areas.value]);
  return (
    <>
      <h1>Overview</h1>
      <IncidentNews />
      <div class="heading">
        <h2>Areas of interest</h2>
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
      {areas.value !== undefined && areas.value.length > 0 && <ExportButtons list="/v1/aois" name="areas" />}
    </>
  );
}

function ChangeCount({
  of,
}: {
  readonly of: { readonly changes: number; readonly more: boolean } | undefined;
}) {
  if (of === undefined || of.changes === 0) return null;
  return (
    <span class="note">
      {of.more && 'more than '}
      {count(of.changes, 'confirmed change')}
    </span>
  );
}
