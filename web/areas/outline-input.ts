import { useEffect, useState } from 'preact/hooks';
import type { AreaGeometry } from '../map/bounds.ts';
import { useMap } from '../map/map-content.ts';
import { readOutline } from './geojson-outline.ts';

/** The outline of a new area and the functions that set it. */
export interface OutlineInput {
  /** The outline, which the map also shows; undefined while there is none. */
  readonly outline: AreaGeometry | undefined;
  /** GeoJSON of the outline, or the text that the user entered. */
  readonly text: string;
  /** Message that explains why there is no usable outline; undefined if there is no problem to show. */
  readonly unreadable: string | undefined;
  /** Number of polygons of the text that was read; they become one area. */
  readonly polygons: number;
  /** Sets the outline to an outline that was drawn on the map or taken from it. */
  readonly take: (taken: AreaGeometry | undefined) => void;
  /** Reads the outline from a GeoJSON text. */
  readonly read: (given: string) => void;
  readonly readFile: (file: File | undefined) => void;
  /** Sets `unreadable`. */
  readonly refuse: (reason: string) => void;
}

/** Manages the outline of a new area. `onName` is called with the name if a GeoJSON text contains a name. */
export function useOutlineInput(onName: (name: string) => void): OutlineInput {
  const { content, show } = useMap();
  const [text, setText] = useState('');
  const [unreadable, setUnreadable] = useState<string | undefined>(undefined);
  const [polygons, setPolygons] = useState(0);

  const take = (taken: AreaGeometry | undefined): void => {
    show({ draft: taken, onDrawn: undefined });
    setText(taken === undefined ? '' : JSON.stringify(taken));
    setUnreadable(undefined);
    setPolygons(0);
  };
  const read = (given: string): void => {
    setText(given);
    const reading = given.trim() === '' ? undefined : readOutline(given);
    const read = reading !== undefined && 'outline' in reading ? reading : undefined;
    setUnreadable(reading !== undefined && 'problem' in reading ? reading.problem : undefined);
    setPolygons(read?.polygons ?? 0);
    show({
      draft: read?.outline,
      onDrawn: undefined,
      ...(read && { focus: { geometries: [read.outline] } }),
    });
    if (read?.name !== undefined) onName(read.name);
  };
  const readFile = (file: File | undefined): void => {
    file?.text().then(read, (error: unknown) => setUnreadable(String(error)));
  };
  useEffect(() => {
    return () => show({ draft: undefined, onDrawn: undefined });
  }, []);
  useEffect(() => {
    const stop = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') show({ onDrawn: undefined, draft: undefined });
    };
    addEventListener('keydown', stop);
    return () => removeEventListener('keydown', stop);
  }, []);
  return { outline: content.draft, text, unreadable, polygons, take, read, readFile, refuse: setUnreadable };
}
