import { GeoJSONVT } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';

/** A layer of vector tiles. */
export interface TileLayer {
  readonly name: string;
  readonly features: readonly {
    readonly geometry: GeoJSON.Point | GeoJSON.LineString | GeoJSON.Polygon;
    readonly properties: GeoJSON.GeoJsonProperties;
    /** Lowest zoom of the feature. */
    readonly from: number;
  }[];
}

/** A vector tile in the Mapbox encoding 2.1. */
export interface CutTile {
  readonly z: number;
  readonly x: number;
  readonly y: number;
  readonly bytes: Uint8Array;
}

/** Coordinates of a tile on a side, and how far lines and polygons reach beyond its edge. */
const EXTENT = 4096;
const BUFFER = 64;
/**
 * Tolerance of the simplification [units]: three quarters of a pixel, and less at the highest zoom, whose tiles are also
 * drawn larger.
 */
const TOLERANCE = 6;
const FINEST_TOLERANCE = 4;

/** Cuts layers into vector tiles of the zooms 0 to `maxZoom`; a tile without any feature is left out. */
export function cutTiles(layers: readonly TileLayer[], maxZoom: number): readonly CutTile[] {
  const tiles: CutTile[] = [];
  for (let z = 0; z <= maxZoom; z++) {
    const indexes = layers.map(({ name, features }) => {
      const isPoints = features[0]?.geometry.type === 'Point';
      const options = {
        maxZoom: z + 1, // at its highest zoom, the library does not simplify
        indexMaxZoom: z,
        indexMaxPoints: 0,
        extent: EXTENT,
        buffer: isPoints ? 0 : BUFFER,
        tolerance: z < maxZoom ? TOLERANCE : FINEST_TOLERANCE,
      };
      const shown = features
        .filter(({ from }) => from <= z)
        .map(({ geometry, properties }) => ({ type: 'Feature' as const, geometry, properties }));
      return { name, index: new GeoJSONVT({ type: 'FeatureCollection', features: shown }, options) };
    });
    for (let x = 0; x < 2 ** z; x++)
      for (let y = 0; y < 2 ** z; y++) {
        const cut = indexes.flatMap(({ name, index }) => {
          const tile = index.getTile(z, x, y);
          return tile && tile.features.length > 0 ? [[name, tile] as const] : [];
        });
        if (cut.length > 0)
          tiles.push({
            z,
            x,
            y,
            bytes: fromGeojsonVt(Object.fromEntries(cut), { version: 2, extent: EXTENT }),
          });
      }
  }
  return tiles;
}
