import { useEffect, useState } from 'preact/hooks';
import { position } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { goTo, type Place, parsePlace } from '../route.ts';
import { StationList } from '../stations/station-list.tsx';
import { WatchForm } from '../watches/watch-form.tsx';
import { RiskMapChoice } from './risk-map-choice.tsx';
import { RiskScores } from './risk-scores.tsx';
import { SeriesSection } from './series-section.tsx';
import { Needs } from '../people/needs.tsx';

/** Details of one place: its risk for each peril, and the series that were observed there. */
export function PlacePane(props: { readonly at: Place | undefined; readonly metric?: string | undefined }) {
  const { at, metric } = props;
  const { content, show } = useMap();
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState(false);
  useEffect(() => {
    show({ place: at });
    setText(at === undefined ? '' : `${at.lat}, ${at.lng}`);
    setWrong(false);
    return () => show({ place: undefined });
  }, [at?.lat, at?.lng]);
  return (
    <>
      <h1>Place</h1>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          const place = parsePlace(text);
          setWrong(place === undefined);
          if (place !== undefined) goTo({ pane: 'place', at: place });
        }}
      >
        <label for="place">Latitude, longitude</label>
        <div class="row">
          <input
            id="place"
            inputMode="text"
            placeholder="52.37, 4.90"
            required
            value={text}
            aria-invalid={wrong}
            aria-describedby={wrong ? 'place-problem' : undefined}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit">Show</button>
          <button
            type="button"
            disabled={content.tools === undefined}
            onClick={() => goTo({ pane: 'place', at: content.tools?.centre() })}
          >
            Map centre
          </button>
        </div>
        {wrong && (
          <p id="place-problem" class="problem" role="alert">
            Enter two decimal numbers: a latitude from −90 to 90, then a longitude from −180 to 180.
          </p>
        )}
      </form>
      <RiskMapChoice />
      {at === undefined ? (
        <>
          <p class="empty">Click anywhere on the map, or enter a position.</p>
          <StationList />
        </>
      ) : (
        <>
          <p class="note">{position(at.lat, at.lng)}</p>
          <RiskScores at={at} />
          <details>
            <summary>Watch a risk here</summary>
            <Needs to="createRiskWatch">
              <WatchForm at={at} />
            </Needs>
          </details>
          <SeriesSection key={metric} at={at} first={metric} />
        </>
      )}
    </>
  );
}
