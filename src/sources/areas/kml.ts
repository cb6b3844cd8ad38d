import { InvalidInput } from '../../base/errors.ts';
import type { FileArea } from '../../app/areas/area-file-reader.ts';

const TAG =
  /<!\[CDATA\[([^]*?)\]\]>|<!--[^]*?-->|<\?[^]*?\?>|<!([^>]*)>|<(\/?)(?:[\w.-]+:)?([\w.-]+)[^>]*?(\/?)>|([^<]+)/g;
const MOST_DEPTH = 100; // maximum depth of elements
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface Placemark {
  name: string | undefined;
  readonly polygons: string[][];
  /** Element of a geometry that is no polygon. */
  other: string | undefined;
}

/**
 * Reads the areas of a KML document: one for each placemark with polygons.
 * @param name name of the file, for messages
 * @throws InvalidInput when it is no KML
 * @see OGC 12-007r2
 */
export function readKml(text: string, name: string): readonly FileArea[] {
  const path: string[] = [];
  const placemarks: Placemark[] = [];
  let isKml = false;
  let own: Placemark | undefined;
  let rings: string[] | undefined;
  let said = '';
  for (const { 0: whole, 1: data, 2: declared, 3: closes, 4: tag, 5: isEmpty, 6: words } of text.matchAll(
    TAG,
  )) {
    if (declared !== undefined && /^(DOCTYPE|ENTITY)/i.test(declared))
      throw new InvalidInput(`${name}: expected KML without document type and entities`);
    if (data !== undefined) said += data;
    else if (words !== undefined) said += unescaped(words);
    if (tag === undefined || whole.startsWith('<!--')) continue;
    if (closes === '') {
      said = '';
      if (isEmpty !== '') continue;
      isKml ||= path.length === 0 && /^(kml|Document|Placemark)$/i.test(tag);
      if (path.push(tag) > MOST_DEPTH)
        throw new InvalidInput(`${name}: expected at most ${MOST_DEPTH} levels of elements`);
      if (tag === 'Placemark') placemarks.push((own = { name: undefined, polygons: [], other: undefined }));
      else if (tag === 'Polygon' && own !== undefined) own.polygons.push((rings = []));
      else if (own !== undefined && /^(Point|LineString|Track|Model)$/.test(tag)) own.other ??= tag;
      continue;
    }
    if (path.pop() !== tag)
      throw new InvalidInput(`${name} is no sound XML: </${tag}> closes what is not open`);
    if (tag === 'name' && path.at(-1) === 'Placemark' && own !== undefined) own.name = said.trim();
    else if (tag === 'coordinates') rings?.push(said);
    else if (tag === 'Polygon') rings = undefined;
    else if (tag === 'Placemark') own = undefined;
  }
  if (!isKml || path.length > 0)
    throw new InvalidInput(`${name}: expected KML${isKml ? `, which ends within <${path.at(-1)}>` : ''}`);
  return placemarks.map((one) => areaOf(one));
}

function areaOf({ name, polygons, other }: Placemark): FileArea {
  if (polygons.length === 0)
    return { name, problem: `expected a polygon, got ${other === undefined ? 'no geometry' : `a ${other}`}` };
  try {
    let hadHeights = false;
    const coordinates = polygons.map((rings) =>
      rings.map((ring) =>
        ring
          .trim()
          .split(/\s+/)
          .map((tuple) => {
            const numbers = tuple.split(',').map((part) => (part === '' ? Number.NaN : Number(part)));
            if (
              numbers.length < 2 ||
              numbers.length > 3 ||
              numbers.some((number) => !Number.isFinite(number))
            )
              throw new RangeError(
                `coordinates: expected longitude,latitude, got ${JSON.stringify(tuple.slice(0, 60))}`,
              );
            hadHeights ||= numbers.length === 3;
            return [numbers[0]!, numbers[1]!];
          }),
      ),
    );
    const shape =
      coordinates.length === 1
        ? { type: 'Polygon', coordinates: coordinates[0]! }
        : { type: 'MultiPolygon', coordinates };
    return { name, geometry: shape, hadHeights };
  } catch (error) {
    return { name, problem: (error as Error).message };
  }
}

function unescaped(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex: string, decimal: string, named: string) => {
      const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
      return named === undefined
        ? code <= 0x10_ffff
          ? String.fromCodePoint(code)
          : whole
        : (ENTITIES[named] ?? whole);
    },
  );
}
