import type { ComponentChildren } from 'preact';
import type { AreaGeometry } from '../map/bounds.ts';
import { useMap } from '../map/map-content.ts';

/** Form field for an outline. The user can draw it, take the visible map, paste GeoJSON or choose a file. */
export function OutlineField(props: {
  /** Content of the text area for GeoJSON. */
  readonly text: string;
  readonly invalid: boolean;
  /** Called with an outline from the map; undefined when too few corners were drawn. */
  readonly onOutline: (outline: AreaGeometry | undefined) => void;
  readonly onText: (text: string) => void;
  readonly onFile: (file: File | undefined) => void;
  /** Error messages about the outline. */
  readonly children: ComponentChildren;
}) {
  const drawing = useMap().content.onDrawn !== undefined;
  return (
    <fieldset>
      <legend>Outline</legend>
      <div class="row">{drawing ? <CornerButtons /> : <StartButtons onOutline={props.onOutline} />}</div>
      <p class="note" role="status">
        {drawing
          ? 'Click each corner; double-click the last one, or Finish. Esc starts over.'
          : 'The map moves with the arrow keys and + and − when it has the focus.'}
      </p>
      <label for="area-geojson">or GeoJSON: paste it, or drop a file anywhere on this form</label>
      <textarea
        id="area-geojson"
        rows={6}
        spellcheck={false}
        placeholder='{"type":"Polygon","coordinates":[[[14.46,46.04], …]]}'
        value={props.text}
        aria-invalid={props.invalid}
        onInput={(event) => props.onText(event.currentTarget.value)}
      />
      <label class="file">
        <span class="note">or a file</span>
        <input
          type="file"
          accept=".json,.geojson,application/geo+json,application/json"
          onChange={(event) => props.onFile(event.currentTarget.files?.[0])}
        />
      </label>
      {props.children}
    </fieldset>
  );
}

/** Buttons that are shown while the user draws an outline. */
function CornerButtons() {
  const { content } = useMap();
  return (
    <>
      <button type="button" onClick={() => content.tools?.undoCorner()}>
        Undo corner
      </button>
      <button type="button" onClick={() => content.tools?.finishDrawing()}>
        Finish
      </button>
    </>
  );
}

/** Buttons that start a drawing, or take the visible part of the map as the outline. */
function StartButtons({ onOutline }: { readonly onOutline: (outline: AreaGeometry | undefined) => void }) {
  const { content, show } = useMap();
  return (
    <>
      <button
        type="button"
        disabled={content.tools === undefined}
        onClick={() => {
          show({ draft: undefined, onDrawn: onOutline });
          scrollTo({ top: 0 }); // the map is at the top on a narrow screen
        }}
      >
        Draw on the map
      </button>
      <button
        type="button"
        disabled={content.tools === undefined}
        onClick={() => onOutline(content.tools?.outline())}
      >
        Use the visible map
      </button>
    </>
  );
}
