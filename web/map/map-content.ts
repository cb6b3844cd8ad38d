import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Aoi, Change } from '../../src/client/index.ts';
import type { Place } from '../route.ts';
import type { MeasuringPlace } from '../stations/measuring-places.ts';
import type { AreaGeometry, Bounds } from './bounds.ts';
import type { RasterOnMap } from './raster-overlay.ts';

/** The fields of a change that the map needs to draw the change and to say what it is. */
export type ChangeOnMap = Pick<
  Change,
  'id' | 'type' | 'geometry' | 'area_m2' | 'confidence' | 'first_anomaly_at'
>;

/** The fields of an area that the map needs to draw the area. */
export type AreaOnMap = Pick<Aoi, 'id' | 'name' | 'geometry'>;

/** A numbered pin on the map: a link to a page. */
export interface PinOnMap {
  readonly label: string;
  readonly title: string;
  /** Severity, which gives its colour. */
  readonly kind: string;
  readonly href: string;
  readonly at: Place;
  /** Set where `at` is the south-east corner of an area, somewhere in which it is: the pin stands on the edge. */
  readonly onEdge?: true;
}

/** Stations for the map, and the state of the request for stations. */
export interface StationsOnMap {
  readonly places: readonly MeasuringPlace[];
  /** Whether the view may contain more stations than those in `places`. */
  readonly more: boolean;
  readonly error: unknown;
  readonly waiting: boolean;
}

/** Functions of the map that panes can call. */
export interface MapTools {
  /** Returns the middle of the view. */
  readonly centre: () => Place;
  /** Returns the outline of the view. */
  readonly outline: () => AreaGeometry;
  /** Removes the last corner that was drawn. */
  readonly undoCorner: () => void;
  /** Ends the drawing and passes the outline of the corners so far to `onDrawn`. */
  readonly finishDrawing: () => void;
}

/** State that the panes and the map share, mainly the objects that the map shows. */
export interface MapContent {
  /** All areas. The map draws their outlines from tiles, and has their names from here. */
  readonly areas: readonly Aoi[];
  /** Whether the map draws all confirmed changes, from tiles. */
  readonly hasChanges: boolean;
  /** Number of times that data have changed; with another number, the tiles are loaded again. */
  readonly round: number;
  /** The areas that the page is about; drawn bold. */
  readonly chosenAreas: readonly AreaOnMap[];
  /** The changes that the page is about; drawn bold, also when they are not confirmed. */
  readonly chosenChanges: readonly ChangeOnMap[];
  readonly pins: readonly PinOnMap[];
  readonly place: Place | undefined;
  readonly stations: StationsOnMap;
  /** The scene below the areas. */
  readonly scene: RasterOnMap | undefined;
  /** The collection whose scenes are shown, and the time since which; undefined: those of the view, the last one. */
  readonly imagery: { readonly collection: string; readonly since: string } | undefined;
  /** The map of a risk below the areas. */
  readonly riskMap: RasterOnMap | undefined;
  /** An outline that is not saved as an area yet. */
  readonly draft: AreaGeometry | undefined;
  /** Called with the finished outline. Set only while the user draws: then a click on the map adds a corner. */
  readonly onDrawn: ((outline: AreaGeometry | undefined) => void) | undefined;
  /** Geometries that the map brings into view. The map moves only when this is a new object. */
  readonly focus: { readonly geometries: readonly AreaGeometry[] } | undefined;
  /** The visible part of the map; undefined until the map has loaded. */
  readonly view: Bounds | undefined;
  /** Functions of the map; undefined until the map has been created. */
  readonly tools: MapTools | undefined;
}

export const EMPTY_MAP: MapContent = {
  areas: [],
  hasChanges: false,
  round: 0,
  chosenAreas: [],
  chosenChanges: [],
  pins: [],
  place: undefined,
  stations: { places: [], more: false, error: undefined, waiting: true },
  scene: undefined,
  imagery: undefined,
  riskMap: undefined,
  draft: undefined,
  onDrawn: undefined,
  focus: undefined,
  view: undefined,
  tools: undefined,
};

export const MapContext = createContext<{
  readonly content: MapContent;
  /** Changes the given fields of the content; the other fields stay. */
  readonly show: (part: Partial<MapContent>) => void;
}>({ content: EMPTY_MAP, show: () => undefined });

export function useMap() {
  return useContext(MapContext);
}
