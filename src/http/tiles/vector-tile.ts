import type { GeoJSONVTFeature, GeoJSONVTTile } from '@maplibre/geojson-vt';
import type { Feature as GeoJsonFeature } from 'geojson';
import { middleInTile, middleOf } from '../../app/pictures/tile-features.ts';
import type { Picked } from '../../app/picked.ts';
import { TILE_ZOOM } from '../../contract/limits.ts';

/** Media type of a Mapbox Vector Tile. @see https://www.iana.org/assignments/media-types/application/vnd.mapbox-vector-tile */
export const VECTOR_TILE_TYPE = 'application/vnd.mapbox-vector-tile';

type Tile = Parameters<typeof middleInTile>[1];
type AreaGeometry = Parameters<typeof middleInTile>[0];

/** An item of a vector tile. */
export interface TileItem {
  readonly id: string;
  /** GeoJSON Polygon or MultiPolygon, as text. */
  readonly geometryText: string;
  /** Properties of the feature. Lists and objects become JSON text; null is left out. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Side of a tile in its own units, and how far shapes go beyond its edges. */
const [EXTENT, BUFFER] = [4096, 64];

/** The layers of the tiles of a kind: what is too small to be drawn is in the second one, as points. */
export const layersOf = (kind: string) => [kind, `${kind}_points`, 'omitted'] as const;

/**
 * Makes a Mapbox Vector Tile 2.1 of items that meet it. Each is in one of two layers: as polygons, simplified to a pixel
 * of 1,024 a side, or where nothing is left of it, as a point.
 * A third layer states how many are left out, unless none is.
 */
export async function vectorTile(
  kind: string,
  tile: Tile,
  { items, omitted, isWhole }: Picked<TileItem>,
): Promise<Buffer> {
  const [{ geoJSONToTile }, { fromGeojsonVt }] = await Promise.all([
    import('@maplibre/geojson-vt'),
    import('@maplibre/vt-pbf'),
  ]);
  const slice = (features: GeoJsonFeature[]): GeoJSONVTTile =>
    geoJSONToTile({ type: 'FeatureCollection', features }, tile.z, tile.x, tile.y, {
      extent: EXTENT,
      buffer: BUFFER,
      maxZoom: TILE_ZOOM,
      clip: true,
    });
  const shapes = items.map(({ geometryText, properties }): GeoJsonFeature & { geometry: AreaGeometry } => ({
    type: 'Feature',
    geometry: JSON.parse(geometryText) as AreaGeometry,
    properties: { ...properties },
  }));
  const polygons = slice(shapes);
  const drawn = new Set(polygons.features.map((feature: GeoJSONVTFeature) => feature.tags?.['id'] as string));
  const small = shapes.filter(({ properties }) => !drawn.has(properties?.['id'] as string));
  const points = slice(
    small.map(({ geometry, properties }) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [...middleInTile(geometry, tile)] },
      properties,
    })),
  );
  const note =
    omitted === 0 && isWhole
      ? undefined
      : slice([
          {
            type: 'Feature',
            geometry: { type: 'Point', coordinates: [...middleOf(tile)] },
            properties: { features: omitted, ...(!isWhole && { more: true }) },
          },
        ]);
  const layers = [polygons, points, note];
  const filled = layersOf(kind).flatMap((name, i) =>
    layers[i] !== undefined && layers[i].features.length > 0 ? [[name, layers[i]] as const] : [],
  );
  return Buffer.from(fromGeojsonVt(Object.fromEntries(filled), { version: 2, extent: EXTENT }));
}
