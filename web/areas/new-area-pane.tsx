import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../answer.ts';
import type { AreaGeometry } from '../map/bounds.ts';
import { useMap } from '../map/map-content.ts';
import { isAbout, Problem } from '../problem.tsx';
import { goTo, routeHref } from '../route.ts';
import { useClient } from '../session.ts';
import { readOutline } from './geojson-outline.ts';

/** Makes an area: from corners clicked on the map, from the view, or from GeoJSON. */
export function NewAreaPane({ onCreated }: { readonly onCreated: () => void }) {
  const client = useClient();
  const { content, show } = useMap();
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [unreadable, setUnreadable] = useState<string | undefined>(undefined);
  const outline = content.draft;
  const drawing = content.onDrawn !== undefined;

  const take = (taken: AreaGeometry | undefined): void => {
    show({ draft: taken, onDrawn: undefined });
    setText(taken === undefined ? '' : JSON.stringify(taken));
    setUnreadable(undefined);
  };
  const read = (given: string): void => {
    setText(given);
    const reading = given.trim() === '' ? undefined : readOutline(given);
    const read = reading !== undefined && 'outline' in reading ? reading : undefined;
    setUnreadable(reading !== undefined && 'problem' in reading ? reading.problem : undefined);
    show({
      draft: read?.outline,
      onDrawn: undefined,
      ...(read && { focus: { geometries: [read.outline] } }),
    });
    if (read?.name !== undefined && name === '') setName(read.name);
  };
  const readFile = (file: File | undefined): void => {
    file?.text().then(read, (error: unknown) => setUnreadable(String(error)));
  };
  useEffect(() => {
    show({ selectedArea: undefined, changes: [], selectedChange: undefined, place: undefined });
    return () => show({ draft: undefined, onDrawn: undefined });
  }, []);
  useEffect(() => {
    const stop = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') show({ onDrawn: undefined, draft: undefined });
    };
    addEventListener('keydown', stop);
    return () => removeEventListener('keydown', stop);
  }, []);

  const create = useAction(
    (geometry: AreaGeometry) => client.createAoi({ name: name.trim(), geometry }),
    (made) => {
      onCreated();
      goTo({ pane: 'area', id: made.id });
    },
  );
  const aboutName = isAbout(create.error, 'name');
  return (
    <form
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        readFile(event.dataTransfer?.files[0]);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (outline === undefined) setUnreadable('Draw an outline or give one first.');
        else create.run(outline);
      }}
    >
      <p class="crumbs">
        <a href={routeHref({ pane: 'areas' })}>Areas</a>
      </p>
      <h1>New area</h1>
      <label for="area-name">Name</label>
      <input
        id="area-name"
        required
        maxLength={200}
        value={name}
        aria-invalid={aboutName}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      {aboutName && <Problem error={create.error} />}
      <fieldset>
        <legend>Outline</legend>
        <div class="row">
          {drawing ? (
            <>
              <button type="button" onClick={() => content.tools?.undoCorner()}>
                Undo corner
              </button>
              <button type="button" onClick={() => content.tools?.finishDrawing()}>
                Finish
              </button>
            </>
          ) : (
            <>
              <button
                type="button"
                disabled={content.tools === undefined}
                onClick={() => {
                  show({ draft: undefined, onDrawn: take });
                  scrollTo({ top: 0 }); // where the map is on a narrow screen
                }}
              >
                Draw on the map
              </button>
              <button
                type="button"
                disabled={content.tools === undefined}
                onClick={() => take(content.tools?.outline())}
              >
                Take the visible map
              </button>
            </>
          )}
        </div>
        <p class="note" role="status">
          {drawing
            ? 'Click each corner; double-click the last one, or Finish. Esc starts over.'
            : 'The map moves with the arrow keys and + and − when it has the focus.'}
        </p>
        <label for="area-geojson">or GeoJSON: paste it, or drop a file anywhere on this form</label>
        <textarea
          id="area-geojson"
          rows={6}
          spellcheck={false}
          placeholder='{"type":"Polygon","coordinates":[[[14.46,46.04], …]]}'
          value={text}
          aria-invalid={unreadable !== undefined || isAbout(create.error, 'geometry')}
          onInput={(event) => read(event.currentTarget.value)}
        />
        <label class="file">
          <span class="note">or a file</span>
          <input
            type="file"
            accept=".json,.geojson,application/geo+json,application/json"
            onChange={(event) => readFile(event.currentTarget.files?.[0])}
          />
        </label>
        {unreadable !== undefined && (
          <p class="problem" role="alert">
            {unreadable}
          </p>
        )}
        {!aboutName && <Problem error={create.error} />}
      </fieldset>
      <div class="row">
        <button type="submit" class="primary" disabled={create.busy}>
          {create.busy ? 'Creating …' : 'Create area'}
        </button>
        <a class="button" href={routeHref({ pane: 'areas' })}>
          Cancel
        </a>
      </div>
    </form>
  );
}
