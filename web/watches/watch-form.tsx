import { useState } from 'preact/hooks';
import type { Aoi, Peril } from '../../src/client/index.ts';
import { useAction } from '../answer.ts';
import { words } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { PERILS } from '../place/perils.ts';
import { isAbout, Problem } from '../problem.tsx';
import { goTo, type Place, parsePlace } from '../route.ts';
import { useClient } from '../session.ts';

const FIRST_THRESHOLD = '0.7'; // what an anomaly subscription watches its area at
const POSITION = ''; // in the choice of where

/** Watches the risk of a place that is given, else of one of some areas, or of a position yet to be told. */
export function WatchForm(props: { readonly at: Place } | { readonly areas: readonly Aoi[] }) {
  const client = useClient();
  const { content } = useMap();
  const areas = 'areas' in props ? props.areas : [];
  const [areaId, setAreaId] = useState(areas[0]?.id ?? POSITION);
  const [position, setPosition] = useState('');
  const [peril, setPeril] = useState<Peril>(PERILS[0]!);
  const [threshold, setThreshold] = useState(FIRST_THRESHOLD);
  const create = useAction(
    () => {
      const rule = { peril, threshold: Number(threshold) };
      if ('areas' in props && areaId !== POSITION) return client.createRiskWatch({ aoi_id: areaId, ...rule });
      const at = 'at' in props ? props.at : parsePlace(position);
      if (at === undefined)
        throw new Error(
          'Two decimal numbers are needed: a latitude from −90 to 90, then a longitude from −180 to 180.',
        );
      return client.createRiskWatch({ lat: at.lat, lng: at.lng, ...rule });
    },
    ({ id }) => goTo({ pane: 'watch', id }),
  );
  const takeCentre = (): void => {
    const at = content.tools?.centre();
    if (at !== undefined) setPosition(`${at.lat}, ${at.lng}`);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.run();
      }}
    >
      {'areas' in props && areas.length !== 1 && (
        <>
          <label for="watch-where">Where</label>
          <select id="watch-where" value={areaId} onChange={(event) => setAreaId(event.currentTarget.value)}>
            {areas.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            <option value={POSITION}>A position</option>
          </select>
        </>
      )}
      {'areas' in props && areaId === POSITION && (
        <>
          <label for="watch-position">Latitude, longitude</label>
          <div class="row">
            <input
              id="watch-position"
              placeholder="52.37, 4.90"
              required
              value={position}
              aria-invalid={isAbout(create.error, 'lat') || isAbout(create.error, 'lng')}
              onInput={(event) => setPosition(event.currentTarget.value)}
            />
            <button type="button" disabled={content.tools === undefined} onClick={takeCentre}>
              Map centre
            </button>
          </div>
        </>
      )}
      <div class="fields">
        <div>
          <label for="watch-peril">Peril</label>
          <select
            id="watch-peril"
            value={peril}
            onChange={(event) => setPeril(event.currentTarget.value as Peril)}
          >
            {PERILS.map((name) => (
              <option key={name} value={name}>
                {words(name)}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label for="watch-threshold">Threshold, 0 to 1</label>
          <input
            id="watch-threshold"
            type="number"
            inputMode="decimal"
            required
            min={0}
            max={1}
            step="any"
            value={threshold}
            aria-invalid={isAbout(create.error, 'threshold')}
            aria-describedby="watch-note"
            onInput={(event) => setThreshold(event.currentTarget.value)}
          />
        </div>
      </div>
      <p id="watch-note" class="note">
        Each time a score rises to the threshold, <code>risk.threshold_exceeded</code> is sent: 0.6 is an
        expected damage of 1 % of a building’s value a year, 0.8 is 5 %.
      </p>
      <Problem error={create.error} />
      <button type="submit" class="primary" disabled={create.busy}>
        {create.busy ? 'Looking …' : 'Watch'}
      </button>
    </form>
  );
}
