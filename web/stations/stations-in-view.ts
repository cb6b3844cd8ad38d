import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Station } from '../../src/client/index.ts';
import { useAnswer } from '../answer.ts';
import { useMap } from '../map/map-content.ts';
import { useClient } from '../session.ts';
import { measuringPlaces } from './measuring-places.ts';

const MOST = 1000; // maximum number of stations in one response

interface StationPage {
  readonly stations: readonly Station[];
  readonly more: boolean;
}

/** Shows stations on the map: all stations if they fit in one response, otherwise only the stations in view. */
export function useStationsInView(): void {
  const client = useClient();
  const { content, show } = useMap();
  const ask = async (bbox: string | undefined, signal: AbortSignal): Promise<StationPage> => {
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
  // While the stations of a new view load, those of the last view stay, because some of them are still visible.
  const last = useRef<StationPage | undefined>(undefined);
  if (inView.value !== undefined) last.current = inView.value;
  const page = view === undefined ? all.value : (last.current ?? all.value);
  const stations = useMemo(
    () => ({
      places: measuringPlaces(page?.stations ?? []),
      more: page?.more ?? false,
      // The map works without stations; only the list of stations shows the error.
      error: page === undefined ? all.error : undefined,
      waiting: page === undefined && all.waiting,
    }),
    [page, all.error, all.waiting],
  );
  useEffect(() => show({ stations }), [stations]);
}
