import { useCallback, useContext, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Aoi } from '../../src/client/index.ts';
import { RoundContext } from '../answer.ts';
import type { Route } from '../route.ts';
import { EMPTY_MAP, type MapContent } from './map-content.ts';

/** The pages with a map, and whether it shows the changes. The other pages have the whole width. */
const MAP_PANES: Readonly<Partial<Record<Route['pane'], 'changes' | 'no changes'>>> = {
  areas: 'changes',
  'new-area': 'no changes',
  area: 'changes',
  change: 'changes',
  place: 'no changes',
  watches: 'no changes',
  watch: 'no changes',
  anomalies: 'changes',
  anomaly: 'no changes',
  incident: 'changes',
  layers: 'no changes',
};

/** Lists with a map that shows all areas. */
const LISTS: ReadonlySet<Route['pane']> = new Set(['watches', 'anomalies', 'layers']);

/**
 * The content of the map of a page, and whether the page has a map.
 * @param areas undefined until they are known
 */
export function useMapOfPage(route: Route, areas: readonly Aoi[] | undefined) {
  const [content, setContent] = useState<MapContent>(EMPTY_MAP);
  const show = useCallback((part: Partial<MapContent>) => setContent((old) => ({ ...old, ...part })), []);
  const onMap = useMemo(() => ({ content, show }), [content]);
  useEffect(() => show({ areas: areas ?? [] }), [areas]);
  const shows = MAP_PANES[route.pane];
  // What another page showed does not stay on the map. A layout effect runs before the effects of the new page.
  useLayoutEffect(() => {
    show({
      hasChanges: shows === 'changes',
      chosenAreas: [],
      chosenChanges: [],
      place: undefined,
      riskMap: undefined,
      draft: undefined,
      imagery: undefined,
    });
  }, [route.pane, 'id' in route ? route.id : undefined]);
  const round = useContext(RoundContext);
  useEffect(() => show({ round }), [round]);
  // A list of what concerns the areas shows where they are.
  useEffect(() => {
    if (LISTS.has(route.pane) && areas !== undefined && areas.length > 0)
      show({ focus: { geometries: areas.map(({ geometry }) => geometry) } });
  }, [route.pane, areas]);
  return { onMap, hasMap: shows !== undefined };
}
