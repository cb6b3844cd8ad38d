import { count } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';

const SHOWN = 100; // maximum number of stations in the list; the map shows all stations

/** The stations on the map, as a list. */
export function StationList() {
  const { places, more, error, waiting } = useMap().content.stations;
  return (
    <section aria-labelledby="stations-heading">
      <h2 id="stations-heading">Stations</h2>
      <Problem error={error} />
      {waiting && <Waiting for="stations" />}
      {!waiting && error === undefined && places.length === 0 && (
        <p class="empty">
          No stations. <code>groundwatch ingest points</code> ingests measurements at points.
        </p>
      )}
      <ul class="rows">
        {places.slice(0, SHOWN).map(({ name, lat, lng, metrics }) => (
          <li key={`${name} ${lat} ${lng}`}>
            <strong>{name}</strong>
            <span class="links">
              {metrics.map((metric) => (
                <a key={metric} href={routeHref({ pane: 'place', at: { lat, lng }, metric })}>
                  {metric}
                </a>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {(more || places.length > SHOWN) && (
        <p class="note">
          {count(Math.min(places.length, SHOWN), 'station')} of those in view. Zoom in on the map for others.
        </p>
      )}
    </section>
  );
}
