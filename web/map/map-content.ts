import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Aoi, Change } from '../../src/client/index.ts';
import type { Place } from '../route.ts';
import type { MeasuringPlace } from '../stations/measuring-places.ts';
import type { AreaGeometry, Bounds } from './bounds.ts';

/** The fields of a change that the map draws and names. */
export type ChangeOnMap = Pick<Change, 'id' | 'type' | 'status' | 'geometry'>;

/** Stations for the map, and the state of their request. */
export interface StationsOnMap {
  readonly places: readonly MeasuringPlace[];
  /** Whether the view contains more stations than `places`. */
  readonly more: boolean;
  readonly error: unknown;
  readonly waiting: boolean;
}

/** Functions of the map that panes can call. */
export interface MapTools {
  /** Middle of the view. */
  readonly centre: () => Place;
  /** Outline of the view. */
  readonly outline: () => AreaGeometry;
  /** Removes the last corner drawn. */
  readonly undoCorner: () => void;
  /** Ends the drawing with the corners so far. */
  readonly finishDrawing: () => void;
}

/** What the panes show on the map. */
export interface MapContent {
  readonly areas: readonly Aoi[];
  readonly selectedArea: string | undefined;
  readonly changes: readonly ChangeOnMap[];
  readonly selectedChange: string | undefined;
  readonly place: Place | undefined;
  readonly stations: StationsOnMap;
  /** An outline that is not saved as an area yet. */
  readonly draft: AreaGeometry | undefined;
  /** Set while the user draws: a click on the map then adds a corner, and the finished outline is passed here. */
  readonly onDrawn: ((outline: AreaGeometry | undefined) => void) | undefined;
  /** Geometries to bring into view. A new object moves the map; the same object does not. */
  readonly focus: { readonly geometries: readonly AreaGeometry[] } | undefined;
  /** The visible part of the map; undefined until the map has loaded. */
  readonly view: Bounds | undefined;
  /** Undefined until the map has loaded. */
  readonly tools: MapTools | undefined;
}

export const EMPTY_MAP: MapContent = {
  areas: [],
  selectedArea: undefined,
  changes: [],
  selectedChange: undefined,
  place: undefined,
  stations: { places: [], more: false, error: undefined, waiting: true },
  draft: undefined,
  onDrawn: undefined,
  focus: undefined,
  view: undefined,
  tools: undefined,
};

export const MapContext = createContext<{
  readonly content: MapContent;
  /** Changes the given fields; the others stay. */
  readonly show: (part: Partial<MapContent>) => void;
}>({ content: EMPTY_MAP, show: () => undefined });

export function useMap() {
  return useContext(MapContext);
}
