import { InvalidInput } from '../../base/errors.ts';
import { repeatedMember } from '../../base/repeated-member.ts';
import type { FileArea } from '../../app/areas/area-file-reader.ts';
import { referenceSystem, shapeInDegrees } from './reference-system.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the areas of a GeoJSON text: a FeatureCollection, a Feature or a geometry, or a feature on each line (RFC 8142,
 * with or without record separators). A reference system in the member
 * `crs`, which newer GeoJSON lacks, is used.
 * @param nameField property with the names; undefined: `name`, if there is one
 * @throws InvalidInput when it is no GeoJSON
 */
export function readGeoJsonAreas(
  text: string,
  name: string,
  nameField: string | undefined,
): readonly FileArea[] {
  let json: Json;
  try {
    json = linesOf(text) ?? (JSON.parse(text) as Json);
    const repeated = repeatedMember(text);
    if (repeated !== undefined) throw new RangeError(`${repeated} comes twice in the same object`);
  } catch (error) {
    throw new InvalidInput(`${name}: expected GeoJSON: ${(error as Error).message}`, {
      param: 'file',
      cause: error,
    });
  }
  const features: readonly unknown[] =
    json['type'] === 'FeatureCollection' && Array.isArray(json['features']) ? json['features'] : [json];
  const projection = projectionOfCrs(name, json['crs']);
  return features.map((feature) => areaOf(feature, projection, nameField));
}

/** Character before each text of a sequence (RFC 8142). */
export const RECORD_SEPARATOR = '\u001E';

/** The features of a text that has one on each line; undefined for another text. @throws SyntaxError for a damaged line */
function linesOf(text: string): Json | undefined {
  const lines = text
    .split('\n')
    .map((line) => (line.startsWith(RECORD_SEPARATOR) ? line.slice(1) : line).trim())
    .filter((line) => line !== '');
  if (lines.length < 2 || !lines.every((line) => line.startsWith('{') && line.endsWith('}')))
    return undefined;
  return { type: 'FeatureCollection', features: lines.map((line) => JSON.parse(line) as unknown) };
}

/** The area of a GeoJSON feature or geometry, or why it cannot be used. */
export function areaOf(
  feature: unknown,
  projection: ReturnType<typeof referenceSystem>,
  nameField: string | undefined,
): FileArea {
  const { type, geometry, properties } = (feature ?? {}) as {
    readonly type?: unknown;
    readonly geometry?: unknown;
    readonly properties?: Json | null;
  };
  const wanted = (nameField ?? 'name').toLowerCase();
  const [, title] = Object.entries(properties ?? {}).find(([key]) => key.toLowerCase() === wanted) ?? [];
  const name = /^(string|number|bigint)$/.test(typeof title) ? String(title) : undefined;
  const shape = (type === 'Feature' ? geometry : feature) as Json | null | undefined;
  const { coordinates } = shape ?? {};
  if (!/^(Multi)?Polygon$/.test(String(shape?.['type'])))
    return {
      name,
      problem: `expected a Polygon or MultiPolygon, got ${JSON.stringify(shape?.['type'])?.slice(0, 60) ?? 'no geometry'}`,
    };
  if (!Array.isArray(coordinates))
    return {
      name,
      problem: `coordinates: expected an array, got ${JSON.stringify(coordinates)?.slice(0, 60) ?? 'nothing'}`,
    };
  try {
    const hadHeights = hasHeights(coordinates);
    if (projection === undefined && !hadHeights) return { name, geometry: shape, hadHeights };
    const typed = { type: shape!['type'] as 'Polygon', coordinates, hadHeights };
    return { name, ...shapeInDegrees(typed, projection) };
  } catch (error) {
    return { name, problem: (error as Error).message };
  }
}

/** Whether the first position has a height. */
function hasHeights(coordinates: readonly unknown[]): boolean {
  let [value] = coordinates;
  while (Array.isArray(value) && Array.isArray(value[0])) [value] = value;
  return Array.isArray(value) && value.length === 3;
}

function projectionOfCrs(name: string, crs: unknown): ReturnType<typeof referenceSystem> {
  const named = (crs as { readonly properties?: { readonly name?: unknown } } | null | undefined)?.properties
    ?.name;
  if (typeof named !== 'string' || /CRS84$/i.test(named)) return undefined;
  const code = /EPSG:+(?:[\d.]*:)?(\d+)$/i.exec(named)?.[1];
  return referenceSystem(name, code === undefined ? named : `EPSG:${code}`, undefined);
}
