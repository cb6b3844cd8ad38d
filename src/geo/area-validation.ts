import { cutAtAntimeridian, type CylinderPolygon } from './antimeridian.ts';
import type { AreaGeometry, Ring } from './polygon.ts';
import { type CylinderRing, cylinderRing, doubtfulCrossing, enclosedPole } from './cylinder-ring.ts';
import { type AreaProblem, parseGeometry } from './geometry-syntax.ts';
import { findDisconnection, findMisnesting, type PlacedRing, ringRegion } from './nesting.ts';
import type { Position } from './position.ts';
import { type Conflict, findRingMeetings } from './ring-conflict.ts';
import { writtenBox } from './written-box.ts';

export type { AreaProblem } from './geometry-syntax.ts';

/** An area in normal form, or the reason why the geometry is not valid. */
export type AreaValidation =
  | { readonly ok: true; readonly area: AreaGeometry }
  | { readonly ok: false; readonly problem: AreaProblem };

function show(position: Position): string {
  const [lng, lat] = position.map((value) => Math.round(value * 1e7) / 1e7); // 1e-7 degrees: about 1 cm
  return `[${lng}, ${lat}]`;
}

function describeConflict(rings: readonly { path: string; ring: CylinderRing }[], c: Conflict): AreaProblem {
  const [a, b] = [c.first, c.second].map(({ ring, edge }) => {
    const placed = rings[ring]!;
    const { positions, origins } = placed.ring;
    const [from, to] = [positions[edge]!, positions[(edge + 1) % positions.length]!];
    const path = `${placed.path}[${origins[edge]}]`;
    return { path, text: `segment ${origins[edge]} (${show(from)} to ${show(to)})`, of: placed.path };
  }) as [{ path: string; text: string; of: string }, { path: string; text: string; of: string }];
  const verb = { cross: 'crosses', overlap: 'runs along', touch: 'touches' }[c.kind];
  const expected =
    c.first.ring === c.second.ring
      ? 'expected a ring that neither crosses nor touches itself'
      : 'expected rings that meet at single points at most';
  const of = a.of === b.of ? '' : ` of ${b.of}`;
  return { path: a.path, message: `${expected}; ${a.text} ${verb} ${b.text}${of} at ${show(c.at)}` };
}

function checkRing(ring: CylinderRing, path: string): AreaProblem | null {
  if (ring.positions.length < 3) {
    return { path, message: 'expected a ring that encloses an area, got one without any' };
  }
  if (Math.abs(ring.winding) > 1) {
    return {
      path,
      message: `expected a ring that runs round the axis once at most, got ${Math.abs(ring.winding)} times`,
    };
  }
  return null;
}

/** The problem of a shell with an edge of which it is doubtful on which side of the Earth it goes; null if there is none. */
function checkCrossing(ring: CylinderRing, path: string): AreaProblem | null {
  const edge = doubtfulCrossing(ring);
  if (edge === undefined) return null;
  const [from, to] = [ring.positions[edge]!, ring.positions[(edge + 1) % ring.positions.length]!];
  const degrees = Math.round(Math.abs(to[0] - from[0]) * 1e7) / 1e7;
  return {
    path: `${path}[${ring.origins[edge]}]`,
    message:
      `expected edges of at most 180 degrees of longitude, got one of ${degrees} (${show(from)} to ${show(to)}); ` +
      `for the long way, add positions between; for the narrow strip across the antimeridian, cut the polygon in two ` +
      `there (RFC 7946, section 3.1.9)`,
  };
}

/** The shell of a polygon: a wide box as it is written, other rings the short way across the antimeridian. */
function shellOf(closed: readonly Position[]): CylinderRing {
  const box = writtenBox(closed);
  if (box === undefined) return cylinderRing(closed);
  const ring = cylinderRing(box.positions);
  return { ...ring, origins: ring.origins.map((i) => box.origins[i]!) };
}

/**
 * Validates polygons of correct syntax and brings them to normal form.
 * @param pathOf returns the path of a ring in the caller's geometry, for the description of a problem
 * @returns the polygons cut at the antimeridian, or the first problem found
 */
export function normalisePolygons(
  polygons: readonly (readonly (readonly Position[])[])[],
  pathOf: (polygon: number, ring: number) => string,
): Ring[][] | AreaProblem {
  const plain: { path: string; polygon: number; isHole: boolean; ring: CylinderRing }[] = [];
  for (const [p, rings] of polygons.entries()) {
    for (const [r, positions] of rings.entries()) {
      const path = pathOf(p, r);
      const ring = r === 0 ? shellOf(positions) : cylinderRing(positions);
      const problem = checkRing(ring, path);
      if (problem !== null) return problem;
      plain.push({ path, polygon: p, isHole: r > 0, ring });
    }
  }
  const { conflict, touches } = findRingMeetings(plain.map(({ ring }) => ring));
  if (conflict !== null) return describeConflict(plain, conflict);
  for (const { ring, path, isHole } of plain) {
    const doubt = isHole ? null : checkCrossing(ring, path);
    if (doubt !== null) return doubt;
  }
  const placed = plain.map((part): PlacedRing => Object.assign(part, { region: ringRegion(part.ring) }));
  const problem = findMisnesting(placed, touches) ?? findDisconnection(placed, touches);
  if (problem !== null) return problem;
  const result: Ring[][] = [];
  for (const shell of placed) {
    if (shell.isHole) continue;
    const holes = placed.filter((part) => part.isHole && part.polygon === shell.polygon);
    const polygon: CylinderPolygon = { shell: shell.ring, holes: holes.map((hole) => hole.ring) };
    const stray = holes.find(
      ({ ring }) =>
        ring.winding !== 0 && (shell.ring.winding === 0 || enclosedPole(ring) !== enclosedPole(shell.ring)),
    );
    if (stray !== undefined) {
      return {
        path: stray.path,
        message: `expected a hole inside its shell ${shell.path}, got one round a pole`,
      };
    }
    try {
      result.push(...cutAtAntimeridian(polygon));
    } catch (error) {
      if (error instanceof RangeError) return { path: shell.path, message: error.message };
      throw error;
    }
  }
  return result;
}

/**
 * Validates a GeoJSON Polygon or MultiPolygon (WGS84) from untrusted input and brings it to normal form (see
 * `AreaGeometry`). Checks the syntax, the number of vertices and validity in the sense of OGC Simple Features. Never
 * throws. A box of four corners, up to 350 degrees wide, that runs counter-clockwise as written is
 * read as written, with a position in the middle of its long edges. Any other edge of more than 180 degrees of longitude
 * goes the short way across the antimeridian; a shell with such an
 * edge is refused if it would be a narrow strip (2 times as tall as wide where clockwise, else 10 times), since the long
 * way may be meant. A ring round the Earth's axis encloses the pole that is nearer to the ring. Any winding order is
 * accepted; repeated vertices, spikes and altitudes are dropped.
 * @see https://www.rfc-editor.org/rfc/rfc7946 sections 3.1.6 and 3.1.9
 */
export function validateArea(geometry: unknown): AreaValidation {
  const parsed = parseGeometry(geometry);
  if ('path' in parsed) return { ok: false, problem: parsed };
  const rings = normalisePolygons(parsed.polygons, (p, r) =>
    parsed.isMulti ? `coordinates[${p}][${r}]` : `coordinates[${r}]`,
  );
  if ('path' in rings) return { ok: false, problem: rings };
  const [only] = rings;
  return !parsed.isMulti && rings.length === 1 && only !== undefined
    ? { ok: true, area: { type: 'Polygon', coordinates: only } }
    : { ok: true, area: { type: 'MultiPolygon', coordinates: rings } };
}
