import type { AreaGeometry } from '../map/bounds.ts';

/** Result of reading a GeoJSON text: an outline and its name (undefined if it has no name), or the problem found. */
export type OutlineReading =
  | { readonly outline: AreaGeometry; readonly name: string | undefined }
  | { readonly problem: string };

/**
 * Reads an outline from a GeoJSON Polygon, MultiPolygon, Feature, FeatureCollection or GeometryCollection. Several
 * polygons become one MultiPolygon. The rings are not checked here: the service checks them and reports the position of
 * an error.
 */
export function readOutline(text: string): OutlineReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}` };
  }
  const names: string[] = [];
  const polygons: unknown[] = [];
  const problem = collect(value, polygons, names);
  if (problem !== undefined) return { problem };
  if (polygons.length === 0) return { problem: 'There is no polygon in it.' };
  const outline: AreaGeometry =
    polygons.length === 1
      ? { type: 'Polygon', coordinates: polygons[0] as unknown[] }
      : { type: 'MultiPolygon', coordinates: polygons };
  return { outline, name: names[0] };
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
