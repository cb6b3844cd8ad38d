import type { AreaGeometry } from '../map/bounds.ts';

/**
 * Result of reading a GeoJSON text: an outline with its name (undefined if it has no name) and the number of its
 * polygons, or the problem found.
 */
export type OutlineReading =
  | { readonly outline: AreaGeometry; readonly name: string | undefined; readonly polygons: number }
  | { readonly problem: string };

/**
 * Reads an outline from a GeoJSON Polygon, MultiPolygon, Feature, FeatureCollection or GeometryCollection. Several
 * polygons become one MultiPolygon. The rings are not checked here: the service checks them and reports the position of
 * an error. Only positions that no map can show are a problem.
 */
export function readOutline(text: string): OutlineReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const kind = OTHER_FORMATS.find(([, begins]) => text.trimStart().startsWith(begins))?.[0];
    if (kind !== undefined)
      return {
        problem: `This is ${kind}; this form reads GeoJSON in degrees. The command groundwatch aois import reads KML, KMZ, GeoPackage and shapefiles.`,
      };
    return { problem: `This is not JSON: ${(error as Error).message}` };
  }
  const names: string[] = [];
  const polygons: unknown[] = [];
  const problem = collect(value, polygons, names);
  if (problem !== undefined) return { problem };
  if (polygons.length === 0) return { problem: 'There is no polygon in it.' };
  const [x, y] = firstOutside(polygons) ?? [];
  if (x !== undefined)
    return {
      problem: `[${x}, ${y}] is not a longitude and a latitude in degrees (WGS 84). Save the file in EPSG:4326, longitude first.`,
    };
  const outline: AreaGeometry =
    polygons.length === 1
      ? { type: 'Polygon', coordinates: polygons[0] as unknown[] }
      : { type: 'MultiPolygon', coordinates: polygons };
  return { outline, name: names[0], polygons: polygons.length };
}

/** Formats that {@link readOutline} does not read, and how their files begin. */
const OTHER_FORMATS: readonly (readonly [name: string, begins: string])[] = [
  ['KML or other XML', '<'],
  ['a ZIP archive, such as a shapefile or KMZ', 'PK'],
  ['a GeoPackage', 'SQLite format 3'],
];

/** The first position in nested coordinates that lies outside the degrees of the Earth; undefined without one. */
function firstOutside(coordinates: readonly unknown[]): readonly [number, number] | undefined {
  const [x, y] = coordinates;
  if (typeof x === 'number' && typeof y === 'number')
    return Math.abs(x) <= 180 && Math.abs(y) <= 90 ? undefined : [x, y];
  for (const part of coordinates) {
    const found = Array.isArray(part) ? firstOutside(part as readonly unknown[]) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Adds every polygon of a GeoJSON object to `polygons`.
 * @returns the problem if a part of the object is not usable; otherwise undefined
 */
function collect(value: unknown, polygons: unknown[], names: string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return 'This is not a GeoJSON object.';
  const { type, coordinates, geometry, geometries, features, properties } = value as Readonly<
    Record<string, unknown>
  >;
  switch (type) {
    case 'Polygon':
      if (!Array.isArray(coordinates)) return 'A Polygon needs coordinates.';
      polygons.push(coordinates);
      return undefined;
    case 'MultiPolygon':
      if (!Array.isArray(coordinates)) return 'A MultiPolygon needs coordinates.';
      polygons.push(...(coordinates as readonly unknown[]));
      return undefined;
    case 'Feature': {
      const name = (properties as Readonly<Record<string, unknown>> | null)?.['name'];
      if (typeof name === 'string' && name !== '') names.push(name);
      return collect(geometry, polygons, names);
    }
    case 'FeatureCollection':
    case 'GeometryCollection':
      for (const part of (features ?? geometries ?? []) as readonly unknown[]) {
        const problem = collect(part, polygons, names);
        if (problem !== undefined) return problem;
      }
      return undefined;
    default:
      return `An area is a Polygon or MultiPolygon, not ${typeof type === 'string' ? `a ${type}` : 'this'}.`;
  }
}
