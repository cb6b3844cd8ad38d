import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { loadBaseMap } from './base-map.ts';
import { beyondText } from './beyond.ts';
import type { AreaGeometry } from './bounds.ts';
import { type MapTools, useMap } from './map-content.ts';
import { MapLegend } from './map-legend.tsx';
import { useStationsInView } from '../stations/stations-in-view.ts';
import { ImageryPanel } from '../imagery/imagery-panel.tsx';
import type { Peril } from '../../src/client/index.ts';
import { type Session, useSession } from '../session.ts';
import { PlaceSearch } from '../search/place-search.tsx';
import type { MapHandlers, MapView } from './map-view.ts';
import { type Omitted, omittedText } from './omitted.ts';
import type { RasterTile } from './raster-overlay.ts';

/** A vector tile in which nothing lies. */
const EMPTY_TILE = new Uint8Array();

/** The map next to the panes. The map library loads when the map is first shown. */
export function MapPane(handlers: Omit<MapHandlers, 'onView' | 'onDrawn' | 'onOmitted' | 'loadTile'>) {
  const session = useSession();
  const { content, show } = useMap();
  useStationsInView();
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<MapView | undefined>(undefined);
  const latest = useRef({ content, handlers });
  latest.current = { content, handlers };
  const [isDrawn, setDrawn] = useState(false);
  const [omitted, setOmitted] = useState<Omitted | undefined>(undefined);
  const [failure, setFailure] = useState<string | undefined>(undefined);

  useEffect(() => {
    let gone = false;
    const open = async (): Promise<void> => {
      const [{ MapView }, base] = await Promise.all([import('./map-view.ts'), loadBaseMap()]);
      if (gone) return;
      const handle: MapHandlers = {
        onPick: (at) => latest.current.handlers.onPick(at),
        onArea: (id) => latest.current.handlers.onArea(id),
        onChange: (id) => latest.current.handlers.onChange(id),
        onStation: (at) => latest.current.handlers.onStation(at),
        onView: (view) => show({ view }),
        onDrawn: () => setDrawn(true),
        onOmitted: setOmitted,
        loadTile: (tile, signal) => loadTile(session, tile, signal),
      };
      const made = new MapView(container.current!, latest.current.content, handle, base);
      view.current = made;
      const tools: MapTools = {
        centre: () => made.centre(),
        outline: () => made.outline(),
        undoCorner: () => made.undoCorner(),
        finishDrawing: () => made.finishDrawing(),
      };
      show({ tools });
    };
    open().catch((error: unknown) => setFailure(String(error instanceof Error ? error.message : error)));
    return () => {
      gone = true;
      view.current?.remove();
      view.current = undefined;
      show({ tools: undefined });
    };
  }, []);
  // A layout effect runs before the next event, so that a click is never handled with the old content.
  useLayoutEffect(() => view.current?.update(content), [content]);

  const { chosenAreas, chosenChanges, draft, place } = content;
  const shown: AreaGeometry[] = [...chosenAreas, ...chosenChanges].map(({ geometry }) => geometry);
  if (draft !== undefined) shown.push(draft);
  if (place !== undefined) shown.push({ type: 'Polygon', coordinates: [[[place.lng, place.lat]]] });
  const notDrawn = [omitted && omittedText(omitted), beyondText(shown)].filter(Boolean).join(' ');

  return (
    <section class="map" aria-label="Map with images" data-drawn={isDrawn}>
      <div ref={container} class="map-canvas" />
      <PlaceSearch areas={content.areas} />
      <ImageryPanel />
      <MapLegend />
      {notDrawn !== '' && (
        <p class="map-omitted" role="status">
          {notDrawn}
        </p>
      )}
      {failure !== undefined && (
        <p class="map-failure">
          No map can be drawn here ({failure}). Lists, charts and scores work without it.
        </p>
      )}
    </section>
  );
}

/** Loads a tile. Without the scope that reads areas or changes, there are none. */
function loadTile(
  { client, scopes }: Session,
  { path, z, x, y }: RasterTile,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const empty = Promise.resolve(EMPTY_TILE);
  const [kind, id] = path.split('/');
  if (kind === 'areas') return scopes.includes('aois:read') ? client.getAreaTile(z, x, y, { signal }) : empty;
  if (kind === 'changes')
    return scopes.includes('changes:read') ? client.getChangeTile(z, x, y, { signal }) : empty;
  if (kind === 'layers') return client.getLayerTile(id!, z, x, y, {}, { signal });
  return kind === 'risk'
    ? client.getRiskTile(id as Peril, z, x, y, { signal })
    : client.getSceneTile(id!, z, x, y, {
        signal,
        colours: kind === 'colours' ? 'true' : 'metric',
        f: 'webp',
      });
}
