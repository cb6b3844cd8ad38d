import { useEffect } from 'preact/hooks';
import type { Aoi } from '../../src/client/index.ts';
import type { Answer } from '../answer.ts';
import { area, day } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { NothingYet } from '../sandbox/nothing-yet.tsx';

/** Every area of interest. */
export function AreasPane({ areas }: { readonly areas: Answer<readonly Aoi[]> }) {
  const { show } = useMap();
  useEffect(() => {
    show({ selectedArea: undefined, changes: [], selectedChange: undefined, place: undefined });
    if (areas.value !== undefined && areas.value.length > 0)
      show({ focus: { geometries: areas.value.map(({ geometry }) => geometry) } });
  }, [areas.value]);
  return (
    <>
      <div class="heading">
        <h1>Areas of interest</h1>
        <a class="button primary" href={routeHref({ pane: 'new-area' })}>
          New area
        </a>
      </div>
      <Problem error={areas.error} again={areas.again} />
      {areas.value === undefined && areas.waiting && <Waiting for="areas" />}
      {areas.value?.length === 0 && (
        <NothingYet what="areas">
          <div class="empty">
            <p>No areas yet.</p>
            <p>
              An area says what to watch. <a href={routeHref({ pane: 'new-area' })}>Draw one on the map</a>,
              or give its outline as GeoJSON. Changes already found inside it appear at once.
            </p>
          </div>
        </NothingYet>
      )}
      <ul class="cards">
        {areas.value?.map(({ id, name, area_m2, created_at }) => (
          <li key={id}>
            <a href={routeHref({ pane: 'area', id })}>
              <strong>{name}</strong>
              <span class="note">
                {area(area_m2)} · since {day(created_at)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
