import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Collection, Legend, Scene } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { day, percent } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { useClient, useSession } from '../session.ts';
import { metricName } from './metric-names.ts';
import { choiceFor, choicesIn, sceneToShow } from './shown-collections.ts';
import { RampLegend } from './ramp-legend.tsx';

/** Scenes that are loaded at first: the last ones. All others are loaded when somebody turns to the time slider. */
const FIRST_SCENES = 12;
/** Most scenes of the slider, the last ones. */
const MOST_SCENES = 1000;
/** Least clear share of a scene for which nothing is said of it. */
const WHOLE = 0.9;
/** Value of the choice of no images. */
const NONE = 'none';

/** Shows scenes on the map: a choice of collections in view, a slider through their scenes, and the legend. */
export function ImageryPanel() {
  const { scopes } = useSession();
  return scopes.includes('feeds:read') && scopes.includes('changes:read') ? <Imagery /> : null;
}

function Imagery() {
  const client = useClient();
  const { content, show } = useMap();
  const { view, imagery } = content;
  const all = useAnswer((signal) => client.listCollections({ limit: MOST_SCENES }, { signal }), []);
  const [wanted, setWanted] = useState<string | undefined>(undefined);
  useEffect(() => setWanted(undefined), [imagery]);
  const offered = useMemo(
    () => (view === undefined ? [] : choicesIn(view, all.value?.collections ?? [])),
    [view, all.value],
  );
  const suggested = imagery && choiceFor(imagery.collection, offered);
  const chosen =
    offered.find(({ key }) => key === wanted) ?? (wanted === NONE ? undefined : (suggested ?? offered[0]));
  useEffect(() => {
    if (chosen === undefined) show({ scene: undefined });
  }, [chosen === undefined]);
  if (offered.length === 0) return null;
  return (
    <div class="imagery" role="group" aria-label="Images of the ground">
      <label class="inline">
        <span>Images</span>
        <select value={chosen?.key ?? NONE} onChange={(event) => setWanted(event.currentTarget.value)}>
          {offered.map(({ key, colours, collection: { name, metric, simulated } }) => (
            <option key={key} value={key}>
              {colours === 'true' ? 'True colour' : metricName(metric)}
              {simulated === true ? '' : `, ${name}`}
            </option>
          ))}
          <option value={NONE}>None</option>
        </select>
      </label>
      {chosen && (
        <Scenes
          key={chosen.key}
          collection={chosen.collection}
          colours={chosen.colours}
          since={chosen.collection.name === suggested?.collection.name ? imagery?.since : undefined}
        />
      )}
    </div>
  );
}

/** The slider through the scenes of a collection. */
function Scenes({
  collection,
  colours,
  since,
}: {
  readonly collection: Collection;
  readonly colours: 'metric' | 'true';
  readonly since: string | undefined;
}) {
  const client = useClient();
  const [isWhole, setWhole] = useState(since !== undefined);
  useEffect(() => {
    if (since !== undefined) setWhole(true);
  }, [since]);
  const found = useAnswer(
    (signal) => client.listScenes(collection.id, { limit: isWhole ? MOST_SCENES : FIRST_SCENES }, { signal }),
    [collection.id, isWhole],
  );
  const [last, setLast] = useState<readonly Scene[]>([]);
  const scenes = useMemo(
    () => found.value?.scenes.filter((one) => colours === 'metric' || one.true_colour).toReversed() ?? last,
    [found.value, last],
  );
  useEffect(() => setLast(scenes), [scenes]);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  useEffect(() => setChosen(undefined), [since]);
  const own = scenes.findIndex(({ id }) => id === chosen);
  const at = own >= 0 ? own : sceneToShow(scenes, since);
  const scene = scenes[at];
  const legend = useShownScene(scene, collection, colours);
  if (scene === undefined) return null;
  const go = (to: number): void => {
    setWhole(true);
    setChosen(scenes[Math.min(scenes.length - 1, Math.max(0, to))]!.id);
  };
  return (
    <>
      <div class="time">
        <button type="button" aria-label="Earlier scene" disabled={at === 0} onClick={() => go(at - 1)}>
          ‹
        </button>
        <input
          type="range"
          min="0"
          max={scenes.length - 1}
          value={at}
          aria-label="Date of the images"
          aria-valuetext={day(scene.datetime)}
          onPointerEnter={() => setWhole(true)}
          onFocus={() => setWhole(true)}
          onInput={(event) => go(Number(event.currentTarget.value))}
        />
        <button
          type="button"
          aria-label="Later scene"
          disabled={at === scenes.length - 1}
          onClick={() => go(at + 1)}
        >
          ›
        </button>
        <time dateTime={scene.datetime}>{day(scene.datetime)}</time>
      </div>
      {colours === 'metric' && scene.clear_fraction < WHOLE && (
        <p class="note">{percent(1 - scene.clear_fraction)} of this scene was not seen, mostly for clouds.</p>
      )}
      {legend && <RampLegend legend={legend} metric={collection.metric} unit={collection.unit} />}
    </>
  );
}

/** Shows a scene on the map. Returns what its colours mean; undefined in true colour, and until it is known. */
function useShownScene(
  scene: Scene | undefined,
  collection: Collection,
  colours: 'metric' | 'true',
): Legend | undefined {
  const client = useClient();
  const { show } = useMap();
  const described = useAnswer(
    (signal) =>
      scene === undefined ? Promise.resolve(undefined) : client.getSceneTiles(scene.id, { signal, colours }),
    [collection.id, scene === undefined],
  );
  useEffect(() => {
    if (described.value === undefined || scene === undefined) return;
    const { bounds, minzoom, maxzoom } = described.value;
    const [west, south, east, north] = bounds as [number, number, number, number];
    const path = `${colours === 'true' ? 'colours' : 'scenes'}/${scene.id}`;
    show({ scene: { path, bounds: [west, south, east, north], minzoom, maxzoom } });
  }, [scene?.id, described.value]);
  return described.value?.legend;
}
