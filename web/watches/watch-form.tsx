import { useState } from 'preact/hooks';
import type { Aoi, Peril } from '../../src/client/index.ts';
import { useAction } from '../answer.ts';
import { words } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { PERILS } from '../place/perils.ts';
import { isAbout, Problem } from '../problem.tsx';
import { goTo, type Place, parsePlace } from '../route.ts';
import { useClient } from '../session.ts';

const FIRST_THRESHOLD = '0.7'; // preselected threshold; the same as the default of anomaly subscriptions
const POSITION = ''; // value of the option "A position"; the other options have area identifiers as values

/**
 * Form that creates a risk watch: at the given place, or for one of the given areas, or at a position that the user
 * enters.
 */
export function WatchForm(props: { readonly at: Place } | { readonly areas: readonly Aoi[] }) {
  const client = useClient();
  const areas = 'areas' in props ? props.areas : [];
  const [areaId, setAreaId] = useState(areas[0]?.id ?? POSITION);
  const [position, setPosition] = useState('');
  const [peril, setPeril] = useState<Peril>(PERILS[0]);
  const [threshold, setThreshold] = useState(FIRST_THRESHOLD);
  const create = useAction(
    () => {
      const rule = { peril, threshold: Number(threshold) };
      if ('areas' in props && areaId !== POSITION) return client.createRiskWatch({ aoi_id: areaId, ...rule });
      const at = 'at' in props ? props.at : parsePlace(position);
      if (at === undefined)
        throw new Error(
          'Enter two decimal numbers: a latitude from −90 to 90, then a longitude from −180 to 180.',
        );
      return client.createRiskWatch({ lat: at.lat, lng: at.lng, ...rule });
    },
    ({ id }) => goTo({ pane: 'watch', id }),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.run();
      }}
    >
      {'areas' in props && (
        <LocationFields
          areas={areas}
          areaId={areaId}
          onArea={setAreaId}
          position={position}
          onPosition={setPosition}
          invalid={isAbout(create.error, 'lat') || isAbout(create.error, 'lng')}
        />
      )}
      <RuleFields
        peril={peril}
        onPeril={setPeril}
        threshold={threshold}
        onThreshold={setThreshold}
        invalid={isAbout(create.error, 'threshold')}
      />
      <p id="watch-note" class="note">
        <code>risk.threshold_exceeded</code> is sent each time the score rises to the threshold. A score of
        0.6 is an expected damage of 1 % of a building’s value per year, 0.8 is 5 %.
      </p>
      <Problem error={create.error} />
      <button type="submit" class="primary" disabled={create.busy}>
        {create.busy ? 'Looking …' : 'Watch'}
      </button>
    </form>
  );
}

/** Fields for the choice of an area or a position. With a single area, there is no choice and nothing is shown. */
function LocationFields(props: {
  readonly areas: readonly Aoi[];
  readonly areaId: string;
  readonly onArea: (id: string) => void;
  readonly position: string;
  readonly onPosition: (text: string) => void;
  readonly invalid: boolean;
}) {
  const { content } = useMap();
  const takeCentre = (): void => {
    const at = content.tools?.centre();
    if (at !== undefined) props.onPosition(`${at.lat}, ${at.lng}`);
  };
  return (
    <>
      {props.areas.length !== 1 && (
        <>
          <label for="watch-where">Where</label>
          <select
            id="watch-where"
            value={props.areaId}
            onChange={(event) => props.onArea(event.currentTarget.value)}
          >
            {props.areas.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            <option value={POSITION}>A position</option>
          </select>
        </>
      )}
      {props.areaId === POSITION && (
        <>
          <label for="watch-position">Latitude, longitude</label>
          <div class="row">
            <input
              id="watch-position"
              placeholder="52.37, 4.90"
              required
              value={props.position}
              aria-invalid={props.invalid}
              onInput={(event) => props.onPosition(event.currentTarget.value)}
            />
            <button type="button" disabled={content.tools === undefined} onClick={takeCentre}>
              Map centre
            </button>
          </div>
        </>
      )}
    </>
  );
}

/** Fields for the peril and the threshold. */
function RuleFields(props: {
  readonly peril: Peril;
  readonly onPeril: (peril: Peril) => void;
  readonly threshold: string;
  readonly onThreshold: (text: string) => void;
  readonly invalid: boolean;
}) {
  return (
    <div class="fields">
      <div>
        <label for="watch-peril">Peril</label>
        <select
          id="watch-peril"
          value={props.peril}
          onChange={(event) => props.onPeril(event.currentTarget.value as Peril)}
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
          value={props.threshold}
          aria-invalid={props.invalid}
          aria-describedby="watch-note"
          onInput={(event) => props.onThreshold(event.currentTarget.value)}
        />
      </div>
    </div>
  );
}
