import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';

/** Replaces the data of a source of the map. */
export function replaceData(map: MapLibre, source: string, data: GeoJSON.FeatureCollection): void {
  map
    .getSource<GeoJSONSource>(source)
    ?.setData(data)
    // This fails only if the map or style was removed, or newer data were set, before the data were drawn.
    .catch(() => undefined);
}
