import { useEffect, useState } from 'preact/hooks';
import type { Aoi } from '../../src/client/index.ts';
import { SubscribeForm } from '../anomalies/subscribe-form.tsx';
import { useAction, useAnswer } from '../answer.ts';
import { ChangeList } from '../changes/change-list.tsx';
import { area, day } from '../format.ts';
import { useMap } from '../map/map-content.ts';
import { MapGap } from '../map/map-gap.tsx';
import { ConfirmButton, Copyable, Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { byCollection } from './imagery.ts';
import { goTo, routeHref } from '../route.ts';
import { useClient, useRecordDates } from '../session.ts';
import { useShownName } from '../shown-name.ts';
import { WatchForm } from '../watches/watch-form.tsx';
import { Needs } from '../people/needs.tsx';

/** Details of one area: its changes, and actions. `onChanged` is called after the area was renamed or deleted. */
export function AreaPane({ id, onChanged }: { readonly id: string; readonly onChanged: () => void }) {
  const client = useClient();
  const hasDates = useRecordDates();
  const { show } = useMap();
  const found = useAnswer((signal) => client.getAoi(id, {}, { signal }), [id]);
  const geometry = found.value?.geometry;
  useEffect(() => {
    if (found.value !== undefined && geometry !== undefined)
      show({ chosenAreas: [found.value], focus: { geometries: [geometry] } });
  }, [JSON.stringify(geometry)]);
  const remove = useAction(
    () => client.deleteAoi(id),
    () => {
      onChanged();
      goTo({ pane: 'areas' });
    },
  );
  return (
    <>
      <p class="crumbs">
        <a href={routeHref({ pane: 'areas' })}>Areas</a>
      </p>
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="the area" />}
      {found.value && (
        <>
          <AreaName
            area={found.value}
            onRenamed={() => {
              found.again();
              onChanged();
            }}
          />
          <p class="note">
            {area(found.value.area_m2)}
            {hasDates && ` · since ${day(found.value.created_at)}`}
          </p>
          <MapGap />
          {byCollection(found.value.imagery).map(({ collection, metrics, scenes, lastAt }) => (
            <p class="note" key={collection}>
              Images: {collection} ({metrics.join(', ')}) · {scenes} scenes, the last of {day(lastAt)}
            </p>
          ))}
          <ChangeList areaId={id} isObserved={found.value.imagery.length > 0} />
          <details>
            <summary>Watch this area for anomalies</summary>
            <Needs to="subscribeToAnomalies">
              <SubscribeForm areas={[found.value]} />
            </Needs>
          </details>
          <details>
            <summary>Watch a risk of this area</summary>
            <Needs to="createRiskWatch">
              <WatchForm areas={[found.value]} />
            </Needs>
          </details>
          <details>
            <summary>Identifier and deletion</summary>
            <p>
              <Copyable text={id} label="the identifier" />
            </p>
            <Needs to="deleteAoi">
              <ConfirmButton
                label="Delete area"
                question="Its subscriptions and watches end with it."
                busy={remove.busy}
                onConfirm={() => remove.run()}
              />
            </Needs>
            <Problem error={remove.error} />
          </details>
        </>
      )}
    </>
  );
}

function AreaName({ area, onRenamed }: { readonly area: Aoi; readonly onRenamed: () => void }) {
  const client = useClient();
  const shownName = useShownName();
  const [name, setName] = useState<string | undefined>(undefined);
  const rename = useAction(
    (to: string) => client.renameAoi(area.id, { name: to }),
    () => {
      setName(undefined);
      onRenamed();
    },
  );
  if (name === undefined)
    return (
      <div class="heading">
        <h1>{shownName(area.name)}</h1>
        <Needs to="renameAoi" quiet>
          <button type="button" class="quiet" onClick={() => setName(area.name)}>
            Rename
          </button>
        </Needs>
      </div>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rename.run(name.trim());
      }}
    >
      <label for="rename">Name</label>
      <input
        id="rename"
        autofocus
        required
        maxLength={200}
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <Problem error={rename.error} />
      <div class="row">
        <button type="submit" class="primary" disabled={rename.busy}>
          Rename
        </button>
        <button type="button" onClick={() => setName(undefined)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
