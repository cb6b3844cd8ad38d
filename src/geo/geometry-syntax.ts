import type { Position } from './position.ts';
import { AREA_VERTICES } from '../contract/limits.ts';

/** Description of why a geometry is not valid. */
export interface AreaProblem {
  /** Place in the geometry, such as `coordinates[0][3]`. */
  readonly path: string;
  /** Message that states what was expected at `path` and what was found. */
  readonly message: string;
}

/** Polygons of a geometry with correct syntax: closed rings of finite positions in range. */
export interface ParsedGeometry {
  readonly isMulti: boolean;
  readonly polygons: readonly (readonly (readonly Position[])[])[];
}

/** Ends the parsing with a problem; `parseGeometry` catches it. */
class SyntaxProblem extends Error {
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Formats a value for a message, shortened. */
function show(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

function arrayAt(value: unknown, path: string, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new SyntaxProblem(path, `expected ${what}, got ${show(value)}`);
  if (value.length === 0) throw new SyntaxProblem(path, `expected ${what}, got an empty array`);
  return value;
}

function parsePosition(value: unknown, path: string): Position {
  if (!Array.isArray(value)) throw new SyntaxProblem(path, `expected [lng, lat], got ${show(value)}`);
  const position: readonly unknown[] = value;
  if (position.length < 2 || position.length > 3) {
    throw new SyntaxProblem(path, `expected [lng, lat], got an array of ${position.length}`);
  }
  for (const [i, number] of position.entries()) {
    if (typeof number !== 'number' || !Number.isFinite(number)) {
      throw new SyntaxProblem(`${path}[${i}]`, `expected a finite number, got ${show(number)}`);
    }
  }
  const [lng, lat] = position as readonly [number, number];
  if (Math.abs(lng) > 180) {
    throw new SyntaxProblem(`${path}[0]`, `expected a longitude in [-180, 180], got ${lng}`);
  }
  if (Math.abs(lat) > 90) {
    throw new SyntaxProblem(`${path}[1]`, `expected a latitude in [-90, 90], got ${lat}`);
  }
  return [lng + 0, lat + 0];
}

function parseRing(value: unknown, path: string): Position[] {
  const ring = arrayAt(value, path, 'a ring of positions');
  parsePosition(ring[0], `${path}[0]`); // checked first, so that a missing level of brackets gets its own message
  if (ring.length < 4) {
    throw new SyntaxProblem(
      path,
      `expected at least 4 positions, the last equal to the first, got ${ring.length}`,
    );
  }
  const positions = ring.map((position, i) => parsePosition(position, `${path}[${i}]`));
  const [first, last] = [positions[0]!, positions.at(-1)!];
  if (first[0] !== last[0] || first[1] !== last[1]) {
    throw new SyntaxProblem(
      `${path}[${ring.length - 1}]`,
      `expected the ring to close with its first position [${first.join(', ')}], got [${last.join(', ')}]`,
    );
  }
  return positions;
}

/** Rejects a geometry with too many positions before reading any of them. */
function checkSize(polygons: readonly unknown[]): void {
  let count = 0;
  for (const rings of polygons) {
    if (!Array.isArray(rings)) continue;
    for (const ring of rings as readonly unknown[]) if (Array.isArray(ring)) count += ring.length - 1;
  }
  if (count > AREA_VERTICES) {
    throw new SyntaxProblem(
      'coordinates',
      `expected at most ${AREA_VERTICES} vertices in all, those that close a ring counted once, got ${count}`,
    );
  }
}

function parse(geometry: unknown): ParsedGeometry {
  if (typeof geometry !== 'object' || geometry === null || Array.isArray(geometry)) {
    throw new SyntaxProblem('', `expected a GeoJSON Polygon or MultiPolygon, got ${show(geometry)}`);
  }
  const { type, coordinates } = geometry as { readonly type?: unknown; readonly coordinates?: unknown };
  if (type !== 'Polygon' && type !== 'MultiPolygon') {
    throw new SyntaxProblem('type', `expected "Polygon" or "MultiPolygon", got ${show(type)}`);
  }
  const isMulti = type === 'MultiPolygon';
  const outer = arrayAt(coordinates, 'coordinates', isMulti ? 'an array of polygons' : 'an array of rings');
  const members = isMulti ? outer : [outer];
  checkSize(members);
  const polygons = members.map((member, p) => {
    const path = isMulti ? `coordinates[${p}]` : 'coordinates';
    return arrayAt(member, path, 'an array of rings').map((ring, r) => parseRing(ring, `${path}[${r}]`));
  });
  return { isMulti, polygons };
}

/** Parses a GeoJSON Polygon or MultiPolygon from untrusted input; altitudes are dropped. */
export function parseGeometry(geometry: unknown): ParsedGeometry | AreaProblem {
  try {
    return parse(geometry);
  } catch (error) {
    if (error instanceof SyntaxProblem) return { path: error.path, message: error.message };
    throw error;
  }
}
