import { useState } from 'preact/hooks';
import type { Aoi, Peril } from '../../src/client/index.ts';
import { useAction } from '../answer.ts';
import { words } from '../format.ts';
import { PERILS } from '../place/perils.ts';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { useClient } from '../session.ts';

/** Form that subscribes to the anomalies of one of the given areas. */
export function SubscribeForm(props: { readonly areas: readonly Aoi[]; readonly onSubscribed?: () => void }) {
  const client = useClient();
  const { areas } = props;
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [perils, setPerils] = useState<readonly Peril[]>([]);
  const [done, setDone] = useState<string | undefined>(undefined);
  const areaId = chosen ?? areas[0]?.id;
  const subscribe = useAction(
    (id: string) => client.subscribeToAnomalies({ aoi_id: id, perils: [...perils] }),
    ({ status }) => {
      setDone(`Subscribed; the subscription is ${status}.`);
      props.onSubscribed?.();
    },
  );
  if (areaId === undefined)
    return (
      <p class="empty">
        There is no area to watch yet. <a href={routeHref({ pane: 'new-area' })}>Make one first.</a>
      </p>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setDone(undefined);
        subscribe.run(areaId);
      }}
    >
      {areas.length > 1 && (
        <>
          <label for="subscribe-area">Area</label>
          <select
            id="subscribe-area"
            value={areaId}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            {areas.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </>
      )}
      <fieldset>
        <legend>Perils</legend>
        <div class="choices">
          {PERILS.map((peril) => (
            <label key={peril}>
              <input
                type="checkbox"
                checked={perils.includes(peril)}
                onChange={(event) =>
                  setPerils(
                    event.currentTarget.checked
                      ? [...perils, peril]
                      : perils.filter((other) => other !== peril),
                  )
                }
              />
              {words(peril)}
            </label>
          ))}
        </div>
      </fieldset>
      <Problem error={subscribe.error} />
      {done !== undefined && <p role="status">{done}</p>}
      <button type="submit" class="primary" disabled={subscribe.busy || perils.length === 0}>
        Subscribe
      </button>
    </form>
  );
}
