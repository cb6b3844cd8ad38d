import { validateArea } from './area-validation.ts';
import { type Bbox, bboxOf, coverArcs } from './bbox.ts';
import { type AreaGeometry, polygonsOf } from './polygon.ts';

type Position = readonly [lng: number, lat: number];
type Segment = readonly [Position, Position];

/** A geometry that is searched with: its points, the segments of its lines, and its areas. */
export interface SearchGeometry {
  readonly points: readonly Position[];
  readonly segments: readonly Segment[];
  readonly areas: readonly AreaGeometry[];
}

/** Why a geometry cannot be searched with: where in it, and a message. */
export interface GeometryProblem {
  readonly path: string;
  readonly message: string;
}

/** Maximum number of positions of a geometry that is searched with. Each is compared with each footprint. */
const MOST_POSITIONS = 1000;
/** Maximum depth of collections within collections. */
const MOST_DEPTH = 3;

class Refused extends Error {
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/**
 * Reads any GeoJSON geometry (RFC 7946) from untrusted input. Never throws.
 * @returns the geometry, or the first problem found
 */
export function readSearchGeometry(value: unknown): SearchGeometry | GeometryProblem {
  const found = { points: [] as Position[], segments: [] as Segment[], areas: [] as AreaGeometry[] };
  let left = MOST_POSITIONS;
  const take = (path: string, count: number): void => {
    left -= count;
    if (left < 0) throw new Refused(path, `expected at most ${MOST_POSITIONS} positions in all, got more`);
  };
  const positionOf = (value: unknown, path: string): Position => {
    const [lng, lat] = Array.isArray(value) ? (value as readonly unknown[]) : [];
    const isNumber = (part: unknown, most: number): part is number =>
      typeof part === 'number' && Math.abs(part) <= most;
    if (!isNumber(lng, 180) || !isNumber(lat, 90))
      throw new Refused(path, 'expected [lng, lat] within -180 to 180 and -90 to 90');
    take(path, 1);
    return [lng, lat];
  };
  const listOf = (value: unknown, path: string, least: number, what: string): readonly unknown[] => {
    if (!Array.isArray(value) || value.length < least)
      throw new Refused(path, `expected a list of at least ${least} ${what}`);
    return value;
  };
  const addLine = (value: unknown, path: string): void => {
    const line = listOf(value, path, 2, 'positions').map((one, i) => positionOf(one, `${path}[${i}]`));
    for (let i = 1; i < line.length; i++) found.segments.push(...shortWay(line[i - 1]!, line[i]!));
  };
  const add = (value: unknown, path: string, depth: number): void => {
    const { type, coordinates, geometries } = (value ?? {}) as Readonly<Record<string, unknown>>;
    const at = path === '' ? 'coordinates' : `${path}.coordinates`;
    if (type === 'Point') found.points.push(positionOf(coordinates, at));
    else if (type === 'MultiPoint')
      for (const [i, one] of listOf(coordinates, at, 1, 'positions').entries())
        found.points.push(positionOf(one, `${at}[${i}]`));
    else if (type === 'LineString') addLine(coordinates, at);
    else if (type === 'MultiLineString')
      for (const [i, one] of listOf(coordinates, at, 1, 'lines').entries()) addLine(one, `${at}[${i}]`);
    else if (type === 'Polygon' || type === 'MultiPolygon') {
      const validation = validateArea({ type, coordinates });
      if (!validation.ok) {
        const { path: within, message } = validation.problem;
        throw new Refused(path === '' ? within : `${path}.${within}`, message);
      }
      for (const rings of polygonsOf(validation.area)) for (const ring of rings) take(at, ring.length);
      found.areas.push(validation.area);
    } else if (type === 'GeometryCollection' && depth < MOST_DEPTH) {
      const within = path === '' ? 'geometries' : `${path}.geometries`;
      for (const [i, one] of listOf(geometries, within, 1, 'geometries').entries())
        add(one, `${within}[${i}]`, depth + 1);
    } else
      throw new Refused(path === '' ? 'type' : `${path}.type`, 'expected the type of a GeoJSON geometry');
  };
  try {
    add(value, '', 0);
  } catch (error) {
    if (error instanceof Refused) return { path: error.path, message: error.message };
    throw error;
  }
  return found;
}

/** The segments between two positions, the short way round the Earth: two where it crosses the antimeridian. */
function shortWay([x1, y1]: Position, [x2, y2]: Position): readonly Segment[] {
  if (Math.abs(x2 - x1) <= 180)
    return [
      [
        [x1, y1],
        [x2, y2],
      ],
    ];
  const turn = x1 > 0 ? 360 : -360;
  const edge = turn / 2;
  const lat = y1 + ((edge - x1) / (x2 + turn - x1)) * (y2 - y1);
  return [
    [
      [x1, y1],
      [edge, lat],
    ],
    [
      [-edge, lat],
      [x2, y2],
    ],
  ];
}

/** The smallest box around a geometry. */
export function boundsOfSearch({ points, segments, areas }: SearchGeometry): Bbox {
  const boxes = areas.map(bboxOf);
  const lats = [...points, ...segments.flat()].map(([, lat]) => lat);
  const arcs = [
    ...points.map(([lng]): [number, number] => [lng, lng]),
    ...segments.map(([[a], [b]]): [number, number] => [Math.min(a, b), Math.max(a, b)]),
    // A box over the antimeridian is two arcs.
    ...boxes.flatMap(([west, , east]): [number, number][] =>
      east > 180
        ? [
            [west, 180],
            [-180, east - 360],
          ]
        : [[west, east]],
    ),
  ];
  const [west, east] = coverArcs(arcs);
  const south = Math.min(...lats, ...boxes.map((box) => box[1]));
  return [west, south, east, Math.max(...lats, ...boxes.map((box) => box[3]))];
}

/** Whether an area shares a point with a geometry: an edge or a corner is enough. */
export function meetsSearch(area: AreaGeometry, { points, segments, areas }: SearchGeometry): boolean {
  const edges = edgesOf(area);
  const cuts = (one: Segment): boolean => edges.some((edge) => segmentsMeet(edge, one));
  return (
    points.some((point) => encloses(area, point) || cuts([point, point])) ||
    segments.some((segment) => encloses(area, segment[0]) || cuts(segment)) ||
    areas.some((other) => {
      const outline = edgesOf(other);
      return (
        outline.some(([from]) => encloses(area, from)) ||
        edges.some(([from]) => encloses(other, from)) ||
        outline.some(cuts)
      );
    })
  );
}

function edgesOf(area: AreaGeometry): readonly Segment[] {
  return polygonsOf(area).flatMap((rings) =>
    rings.flatMap((ring) => ring.slice(1).map((end, i): Segment => [ring[i]!, end])),
  );
}

/** Whether a position lies inside an area, by the number of edges that a ray to the east crosses. */
function encloses(area: AreaGeometry, [x, y]: Position): boolean {
  let isInside = false;
  for (const [[x1, y1], [x2, y2]] of edgesOf(area))
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) isInside = !isInside;
  return isInside;
}

/** Whether two segments share a point. A segment may be a point. */
function segmentsMeet([a, b]: Segment, [c, d]: Segment): boolean {
  const [abc, abd, cda, cdb] = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (
    (abc === 0 && within(a, b, c)) ||
    (abd === 0 && within(a, b, d)) ||
    (cda === 0 && within(c, d, a)) ||
    (cdb === 0 && within(c, d, b))
  );
}

const turn = (a: Position, b: Position, c: Position): number =>
  Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));

/** Whether a position lies in the box around a segment. */
const within = (a: Position, b: Position, c: Position): boolean =>
  [0, 1].every((i) => Math.min(a[i]!, b[i]!) <= c[i]! && c[i]! <= Math.max(a[i]!, b[i]!));
