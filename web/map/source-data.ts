import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';

/** Replaces the data of a source of the map. */
export function replaceData(map: MapLibre, source: string, data: GeoJSON.FeatureCollection): void {
  map
    .getSource<GeoJSONSource>(source)
    ?.setData(data)
    // This fails only when the map or the style was removed, or newer data came, before these data were drawn.
    .catch(() => undefined);
}
