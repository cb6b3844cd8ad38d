import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Aoi, Change } from '../../src/client/index.ts';
import type { Place } from '../route.ts';
import type { MeasuringPlace } from '../stations/measuring-places.ts';
import type { AreaGeometry, Bounds } from './bounds.ts';

/** What a change on the map needs to be drawn and told. */
export type ChangeOnMap = Pick<Change, 'id' | 'type' | 'status' | 'geometry'>;

/** Where something is measured, as far as it is known. */
export interface StationsOnMap {
  readonly places: readonly MeasuringPlace[];
  /** There are others in view. */
  readonly more: boolean;
  readonly error: unknown;
  readonly waiting: boolean;
}

/** What the panes can ask of the map. */
export interface MapTools {
  /** Middle of the view. */
  readonly centre: () => Place;
  /** Outline of the view. */
  readonly outline: () => AreaGeometry;
  /** Takes back the last corner drawn. */
  readonly undoCorner: () => void;
  /** Ends the drawing with the corners so far. */
  readonly finishDrawing: () => void;
}

/** What the map shows beside its ground; the panes set it. */
export interface MapContent {
  readonly areas: readonly Aoi[];
  readonly selectedArea: string | undefined;
  readonly changes: readonly ChangeOnMap[];
  readonly selectedChange: string | undefined;
  readonly place: Place | undefined;
  readonly stations: StationsOnMap;
  /** A shape that is not an area yet. */
  readonly draft: AreaGeometry | undefined;
  /** Told of the outline when the user is drawing one; a click on the map is then a corner. */
  readonly onDrawn: ((outline: AreaGeometry | undefined) => void) | undefined;
  /** What to bring into view; a new object moves the map, the same one does not. */
  readonly focus: { readonly geometries: readonly AreaGeometry[] } | undefined;
  /** What the map has in view; undefined until it is there. */
  readonly view: Bounds | undefined;
  /** Undefined until the map is there. */
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
  /** Changes what the map shows; what is not named stays. */
  readonly show: (part: Partial<MapContent>) => void;
}>({ content: EMPTY_MAP, show: () => undefined });

export function useMap() {
  return useContext(MapContext);
}
