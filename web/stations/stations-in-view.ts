import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Station } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { useMap } from '../map/map-content.ts';
import { useClient } from '../session.ts';
import { measuringPlaces } from './measuring-places.ts';

const MOST = 1000; // stations of one answer

interface Told {
  readonly stations: readonly Station[];
  readonly more: boolean;
}

/** Shows the stations on the map: all of them where one answer holds them, else those in view. */
export function useStationsInView(): void {
  const client = useClient();
  const { content, show } = useMap();
  const ask = async (bbox: string | undefined, signal: AbortSignal): Promise<Told> => {
    const { stations, next_cursor } = await client.listStations(
      { limit: MOST, ...(bbox && { bbox }) },
      { signal },
    );
    return { stations, more: next_cursor !== undefined };
  };
  const all = useAnswer((signal) => ask(undefined, signal), []);
  const view = all.value?.more === true ? content.view?.join(',') : undefined;
  const inView = useAnswer(
    (signal) => (view === undefined ? Promise.resolve(undefined) : ask(view, signal)),
    [view],
  );
  // While the next view is asked for, the last one's stay: some of them are still in sight.
  const last = useRef<Told | undefined>(undefined);
  if (inView.value !== undefined) last.current = inView.value;
  const told = view === undefined ? all.value : (last.current ?? all.value);
  const stations = useMemo(
    () => ({
      places: measuringPlaces(told?.stations ?? []),
      more: told?.more ?? false,
      // Without them the map is what it was: only their list says why there are none.
      error: told === undefined ? all.error : undefined,
      waiting: told === undefined && all.waiting,
    }),
    [told, all.error, all.waiting],
  );
  useEffect(() => show({ stations }), [stations]);
}
