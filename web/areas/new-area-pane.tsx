import { useState } from 'preact/hooks';
import type { AreaGeometry as ApiGeometry } from '../../src/client/index.ts';
import { useAction } from '../answer.ts';
import { whole } from '../format.ts';
import type { AreaGeometry } from '../map/bounds.ts';
import { isAbout, Problem } from '../problem.tsx';
import { goTo, routeHref } from '../route.ts';
import { useClient } from '../session.ts';
import { Needs } from '../people/needs.tsx';
import { OutlineField } from './outline-field.tsx';
import { useOutlineInput } from './outline-input.ts';

/** Creates an area from corners clicked on the map, from the visible map or from GeoJSON. */
export function NewAreaPane({ onCreated }: { readonly onCreated: () => void }) {
  const client = useClient();
  const [name, setName] = useState('');
  const { text, outline, unreadable, polygons, take, read, readFile, refuse } = useOutlineInput((given) => {
    if (name === '') setName(given);
  });
  const create = useAction(
    (geometry: AreaGeometry) => client.createAoi({ name: name.trim(), geometry: geometry as ApiGeometry }),
    (made) => {
      onCreated();
      goTo({ pane: 'area', id: made.id });
    },
  );
  const aboutName = isAbout(create.error, 'name');
  return (
    <>
      <p class="crumbs">
        <a href={routeHref({ pane: 'areas' })}>Areas</a>
      </p>
      <h1>New area</h1>
      <Needs to="createAoi">
        <form
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            readFile(event.dataTransfer?.files[0]);
          }}
          onSubmit={(event) => {
            event.preventDefault();
            if (outline === undefined) refuse('Draw or enter an outline first.');
            else create.run(outline);
          }}
        >
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
          <OutlineField
            text={text}
            invalid={unreadable !== undefined || isAbout(create.error, 'geometry')}
            onOutline={take}
            onText={read}
            onFile={readFile}
          >
            {polygons > 1 && (
              <p class="note" role="status">
                Its {whole(polygons)} polygons become one area. The command{' '}
                <code>groundwatch aois import</code> makes one area of each feature.
              </p>
            )}
            {unreadable !== undefined && (
              <p class="problem" role="alert">
                {unreadable}
              </p>
            )}
            {!aboutName && <Problem error={create.error} />}
          </OutlineField>
          <div class="row">
            <button type="submit" class="primary" disabled={create.busy}>
              {create.busy ? 'Creating …' : 'Create area'}
            </button>
            <a class="button" href={routeHref({ pane: 'areas' })}>
              Cancel
            </a>
          </div>
        </form>
      </Needs>
    </>
  );
}
