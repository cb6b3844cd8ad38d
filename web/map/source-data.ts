import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';

/** Gives a source of the map new data. */
export function replaceData(map: MapLibre, source: string, data: GeoJSON.FeatureCollection): void {
  map
    .getSource<GeoJSONSource>(source)
    ?.setData(data)
    // Refused only when the map or the style went away, or newer data came, before these were drawn.
    .catch(() => undefined);
}
