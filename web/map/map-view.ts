import type { Map as MapLibre, MapMouseEvent, PaddingOptions } from 'maplibre-gl';
import type { Place } from '../route.ts';
import type { MeasuringPlace } from '../stations/measuring-places.ts';
import { type AreaGeometry, type Bounds, boundsOf } from './bounds.ts';
import { townDot } from './base-layers.ts';
import { outlineOf, viewBounds, viewOutline } from './drawing.ts';
import {
  areaFeatures,
  areaNameFeatures,
  changeFeatures,
  draftFeatures,
  placeFeatures,
  stationFeatures,
} from './features.ts';
import type { BaseMap } from './base-map.ts';
import { GraticuleOverlay } from './graticule-overlay.ts';
import { library } from './library.ts';
import type { MapContent } from './map-content.ts';
import { CHANGE_LAYERS, mapStyle, SCENES_END } from './map-style.ts';
import { DARK, LIGHT } from './palette.ts';
import { type Omitted, omittedIn } from './omitted.ts';
import { Pins } from './pins.ts';
import { areaAt, changeAt, stationAt, textAt } from './pointer.ts';
import { RasterOverlay, type RasterTile, TILE_PROTOCOL, tileOf } from './raster-overlay.ts';
import { replaceData } from './source-data.ts';

const MARGIN_PX = 48; // margin between the focused geometries and the edge of the map
const SEARCH_PX = 24; // what the search box needs above that margin
const CLOSEST_ZOOM = 15; // highest zoom for a focus: a Sentinel-2 pixel is about three screen pixels wide
const REGION_ZOOM = 5; // maximum zoom after a jump to a place far out of view; shows a country or two
const NEARBY_VIEWS = 10; // minimum distance [widths or heights of the view] of a jump that may reduce the zoom
const ANIMATION_MS = 600;

export interface MapHandlers {
  readonly onPick: (at: Place) => void;
  readonly onArea: (id: string) => void;
  readonly onChange: (id: string) => void;
  readonly onStation: (at: MeasuringPlace) => void;
  /** Called with the visible part of the map when the map has loaded, and after every move. */
  readonly onView: (view: Bounds) => void;
  /** Loads a tile: of a raster, a PNG; of areas or changes, a vector tile. */
  readonly loadTile: (tile: RasterTile, signal: AbortSignal) => Promise<Uint8Array>;
  /** Called when everything in view has been loaded and drawn for the first time. */
  readonly onDrawn: () => void;
  /** Called with how many changes the tiles in view leave out, whenever the map has come to rest. */
  readonly onOmitted: (omitted: Omitted) => void;
}

/**
 * The map, drawn with MapLibre. Only this file and the files that it imports use the library, so that the library loads
 * only when the map is first shown.
 */
export class MapView {
  readonly #map: MapLibre;
  readonly #tip: HTMLElement;
  readonly #graticule: GraticuleOverlay;
  readonly #scene: RasterOverlay;
  readonly #riskMap: RasterOverlay;
  readonly #pins: Pins;
  readonly #handlers: MapHandlers;
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  readonly #base: BaseMap | undefined;
  #content: MapContent;
  #corners: [number, number][] = [];
  #styled = false;

  /** @param base base map of another host @throws Error when the browser has no WebGL 2 */
  constructor(container: HTMLElement, content: MapContent, handlers: MapHandlers, base: BaseMap | undefined) {
    this.#base = base;
    this.#content = content;
    this.#handlers = handlers;
    library.addProtocol(TILE_PROTOCOL, async ({ url }, { signal }) => {
      const { buffer, byteOffset, byteLength } = await this.#handlers.loadTile(tileOf(url), signal);
      return { data: buffer.slice(byteOffset, byteOffset + byteLength) };
    });
    const focus = boundsOf(content.focus?.geometries ?? []);
    this.#map = new library.Map({
      container,
      style: mapStyle(this.#dark.matches ? DARK : LIGHT, base),
      // What is in focus, if it is known already: then no tiles of the world are loaded.
      ...(focus === undefined
        ? { center: [10, 30], zoom: 1 } // degrees; all continents except Antarctica are visible
        : { bounds: [...focus], fitBoundsOptions: this.#fit(container) }),
      maxZoom: 18,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      attributionControl: false,
    });
    this.#map.touchZoomRotate.disableRotation();
    this.#map.addControl(new library.NavigationControl({ showCompass: false }), 'top-right');
    this.#map.addControl(new library.ScaleControl(), 'bottom-left');
    this.#map.addControl(new library.AttributionControl({ compact: false }));
    this.#tip = document.createElement('div');
    this.#tip.className = 'map-tip';
    this.#tip.hidden = true;
    container.append(this.#tip);
    this.#scene = new RasterOverlay(this.#map, 'scene', SCENES_END, false);
    this.#riskMap = new RasterOverlay(this.#map, 'risk', 'graticule', true);
    this.#graticule = new GraticuleOverlay(this.#map, container);
    this.#pins = new Pins(this.#map);
    this.#map.on('click', (event) => this.#click(event));
    this.#map.on('dblclick', (event) => {
      if (this.#content.onDrawn === undefined) return;
      event.preventDefault();
      this.finishDrawing();
    });
    this.#map.on('mousemove', (event) => this.#hover(event));
    this.#map.on('moveend', () => this.#handlers.onView(this.#view()));
    this.#map.on('mouseout', () => (this.#tip.hidden = true));
    this.#dark.addEventListener('change', this.#recolour);
    this.#map.once('idle', () => this.#handlers.onDrawn());
    this.#map.on('idle', () => this.#tellOmitted());
    this.#map.once('load', () => {
      this.#styled = true;
      this.#fill();
      this.#goToFocus(false);
      this.#goToPlace();
      this.#handlers.onView(this.#view());
    });
  }

  /** Sets the content and redraws the map. */
  update(content: MapContent): void {
    const before = this.#content;
    this.#content = content;
    if ((before.onDrawn === undefined) !== (content.onDrawn === undefined)) {
      this.#corners = [];
      this.#map.getCanvas().classList.toggle('drawing', content.onDrawn !== undefined);
      if (content.onDrawn === undefined) this.#map.doubleClickZoom.enable();
      else this.#map.doubleClickZoom.disable();
    }
    if (!this.#styled) return;
    this.#fillContent(before);
    if (content.round !== before.round) this.#refresh('changes');
    if (content.round !== before.round || content.areas !== before.areas) this.#refresh('areas');
    if (content.focus !== before.focus) this.#goToFocus(true);
    if (content.place !== before.place) this.#goToPlace();
  }

  /** Returns the middle of the view. */
  centre(): Place {
    const { lat, lng } = this.#map.getCenter().wrap();
    return { lat: Number(lat.toFixed(5)), lng: Number(lng.toFixed(5)) };
  }

  /** Returns the outline of the view. */
  outline(): AreaGeometry {
    const bounds = this.#map.getBounds();
    return viewOutline(bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth());
  }

  /** Removes the last corner that was drawn. */
  undoCorner(): void {
    this.#corners.pop();
    this.#draw();
  }

  /** Passes the outline drawn so far to `onDrawn`; passes undefined when there are too few corners. */
  finishDrawing(): void {
    this.#content.onDrawn?.(outlineOf(this.#corners));
  }

  remove(): void {
    this.#dark.removeEventListener('change', this.#recolour);
    this.#map.remove();
  }

  readonly #recolour = (): void => {
    this.#map.setStyle(mapStyle(this.#dark.matches ? DARK : LIGHT, this.#base), { diff: false });
    this.#map.once('style.load', () => this.#fill());
  };

  #fill(): void {
    this.#scene.restore();
    this.#riskMap.restore();
    this.#fillContent();
    this.#graticule.refresh();
    if (!this.#map.hasImage('town'))
      this.#map.addImage('town', townDot(this.#dark.matches ? DARK : LIGHT), { pixelRatio: 2 });
  }

  /** Fills the sources of the map: those whose content differs from that of before. */
  #fillContent(before?: MapContent): void {
    const now = this.#content;
    const isNew = (...fields: readonly (keyof MapContent)[]): boolean =>
      before === undefined || fields.some((field) => now[field] !== before[field]);
    this.#scene.show(now.scene);
    this.#riskMap.show(now.riskMap);
    if (isNew('hasChanges'))
      for (const layer of CHANGE_LAYERS)
        this.#map.setLayoutProperty(layer, 'visibility', now.hasChanges ? 'visible' : 'none');
    if (isNew('areas')) this.#set('area-names', areaNameFeatures(now.areas));
    if (isNew('chosenAreas')) this.#set('chosen-areas', areaFeatures(now.chosenAreas));
    if (isNew('chosenChanges')) this.#set('chosen-changes', changeFeatures(now.chosenChanges));
    if (isNew('stations')) this.#set('stations', stationFeatures(now.stations.places));
    if (isNew('draft', 'onDrawn')) this.#set('draft', draftFeatures(now.draft, this.#corners));
    if (isNew('pins')) this.#pins.show(now.pins);
    if (isNew('place')) this.#set('place', placeFeatures(now.place));
  }

  /** Loads the tiles of a source again, because its data have changed. */
  #refresh(source: 'areas' | 'changes'): void {
    if (this.#map.getSource(source) !== undefined) this.#map.refreshTiles(source);
  }

  #tellOmitted(): void {
    const notes = this.#content.hasChanges
      ? this.#map.querySourceFeatures('changes', { sourceLayer: 'omitted' })
      : [];
    this.#handlers.onOmitted(omittedIn(notes.map(({ properties }) => properties)));
  }

  #set(source: string, data: GeoJSON.FeatureCollection): void {
    replaceData(this.#map, source, data);
  }

  #click(event: MapMouseEvent): void {
    const { lng, lat } = event.lngLat;
    if (this.#content.onDrawn !== undefined) {
      const last = this.#corners.at(-1);
      // The second click of a double click is at the same position and adds no corner.
      if (last === undefined || last[0] !== lng || last[1] !== lat) this.#corners.push([lng, lat]);
      this.#draw();
      return;
    }
    const station = stationAt(this.#map, event.point, this.#content);
    if (station !== undefined) return this.#handlers.onStation(station);
    // The click on a pin follows its link.
    if (event.originalEvent.target instanceof HTMLAnchorElement) return;
    const change = changeAt(this.#map, event.point);
    if (change !== undefined) return this.#handlers.onChange(change.id);
    const area = areaAt(this.#map, event.point);
    if (area !== undefined) return this.#handlers.onArea(area);
    const at = event.lngLat.wrap();
    this.#handlers.onPick({ lat: Number(at.lat.toFixed(5)), lng: Number(at.lng.toFixed(5)) });
  }

  #draw(): void {
    this.#set('draft', draftFeatures(outlineOf(this.#corners), this.#corners));
  }

  #hover(event: MapMouseEvent): void {
    const { onDrawn } = this.#content;
    const text = textAt(this.#map, event.point, this.#content);
    this.#map.getCanvas().classList.toggle('over', text !== undefined && onDrawn === undefined);
    this.#tip.hidden = text === undefined || onDrawn !== undefined;
    this.#tip.textContent = text ?? '';
    this.#tip.style.translate = `${event.point.x + 12}px ${event.point.y + 12}px`;
  }

  /** Returns the bounds of the view, rounded to three decimals, so that a tiny move of the map loads no new data. */
  #view(): Bounds {
    const bounds = this.#map.getBounds();
    const rounded = (degrees: number): number => Number(degrees.toFixed(3));
    return viewBounds(
      rounded(bounds.getWest()),
      rounded(bounds.getSouth()),
      rounded(bounds.getEast()),
      rounded(bounds.getNorth()),
    );
  }

  /** Brings the chosen place into view if it is outside the view. */
  #goToPlace(): void {
    const { place } = this.#content;
    const bounds = this.#map.getBounds();
    if (place === undefined || bounds.contains([place.lng, place.lat])) return;
    const middle = bounds.getCenter();
    const away = Math.max(
      Math.abs(place.lng - middle.lng) / (bounds.getEast() - bounds.getWest()),
      Math.abs(place.lat - middle.lat) / (bounds.getNorth() - bounds.getSouth()),
    );
    const zoom = this.#map.getZoom();
    this.#map.jumpTo({
      center: [place.lng, place.lat],
      zoom: away < NEARBY_VIEWS ? zoom : Math.min(zoom, REGION_ZOOM),
    });
  }

  #goToFocus(animated: boolean): void {
    const bounds = boundsOf(this.#content.focus?.geometries ?? []);
    if (bounds === undefined) return;
    this.#map.fitBounds([...bounds], {
      ...this.#fit(this.#map.getContainer()),
      duration: animated && !this.#calm.matches ? ANIMATION_MS : 0,
    });
  }

  #fit({ clientHeight }: HTMLElement): { readonly padding: PaddingOptions; readonly maxZoom: number } {
    const margin = Math.min(MARGIN_PX, clientHeight / 6);
    const top = Math.min(MARGIN_PX + SEARCH_PX, clientHeight / 4);
    return { padding: { top, left: margin, right: margin, bottom: margin }, maxZoom: CLOSEST_ZOOM };
  }
}
