import type { Aoi } from '../../src/client/index.ts';
import type { Place } from '../route.ts';
import { type AreaGeometry, boundsOf } from './bounds.ts';
import type { MeasuringPlace } from '../stations/measuring-places.ts';
import type { AreaOnMap, ChangeOnMap } from './map-content.ts';

/** Number of areas whose names the map shows, the largest. */
const NAMED_AREAS = 300;

/** Creates the GeoJSON features of the names of areas: each at the north-west corner of its area. */
export function areaNameFeatures(areas: readonly Aoi[]): GeoJSON.FeatureCollection {
  return collection(
    areas
      .toSorted((a, b) => b.area_m2 - a.area_m2)
      .slice(0, NAMED_AREAS)
      .flatMap(({ id, name, geometry }) => {
        const bounds = boundsOf([geometry]);
        return bounds === undefined ? [] : [point(bounds[0], bounds[3], { id, name })];
      }),
  );
}

/** Creates the GeoJSON features of the outlines of areas. */
export function areaFeatures(areas: readonly AreaOnMap[]): GeoJSON.FeatureCollection {
  return collection(areas.map(({ id, name, geometry }) => polygon(geometry, { id, name })));
}

/**
 * Creates the GeoJSON features of changes for the map: for each change its outline, and a dot in the middle of its
 * bounding box for low zooms.
 */
export function changeFeatures(changes: readonly ChangeOnMap[]): GeoJSON.FeatureCollection {
  return collection(
    changes.flatMap(({ geometry, ...properties }) => {
      const bounds = boundsOf([geometry]);
      if (bounds === undefined) return [];
      const [west, south, east, north] = bounds;
      return [polygon(geometry, properties), point((west + east) / 2, (south + north) / 2, properties)];
    }),
  );
}

/**
 * Creates the GeoJSON features of an outline that is being drawn: the polygon if there are enough corners for it,
 * otherwise the line so far; and the corners.
 */
export function draftFeatures(
  outline: AreaGeometry | undefined,
  corners: readonly (readonly [number, number])[],
): GeoJSON.FeatureCollection {
  const line = corners.map(([lng, lat]) => [lng, lat]);
  return collection([
    ...(outline === undefined ? [] : [polygon(outline, {})]),
    ...(outline === undefined && line.length > 1
      ? [
          {
            type: 'Feature' as const,
            geometry: { type: 'LineString' as const, coordinates: line },
            properties: {},
          },
        ]
      : []),
    ...corners.map(([lng, lat]) => point(lng, lat, {})),
  ]);
}

/** Creates the GeoJSON features of stations for the map. The `id` of a feature is its index in `places`. */
export function stationFeatures(places: readonly MeasuringPlace[]): GeoJSON.FeatureCollection {
  return collection(places.map(({ lat, lng }, i) => point(lng, lat, { id: String(i) })));
}

export function placeFeatures(place: Place | undefined): GeoJSON.FeatureCollection {
  return collection(place === undefined ? [] : [point(place.lng, place.lat, {})]);
}

function collection(features: GeoJSON.Feature[]): GeoJSON.FeatureCollection {
  return { type: 'FeatureCollection', features };
}

function polygon(geometry: AreaGeometry, properties: GeoJSON.GeoJsonProperties): GeoJSON.Feature {
  return { type: 'Feature', geometry: geometry as GeoJSON.Polygon, properties };
}

function point(lng: number, lat: number, properties: GeoJSON.GeoJsonProperties): GeoJSON.Feature {
  return { type: 'Feature', geometry: { type: 'Point', coordinates: [lng, lat] }, properties };
}
