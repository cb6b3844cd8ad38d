/** A closed ring of `[lng, lat]` positions: at least four, and the last equals the first. */
export type Ring = [lng: number, lat: number][];

/** One shell followed by its holes, as in RFC 7946. */
export interface Polygon {
  type: 'Polygon';
  coordinates: Ring[];
}

/** Several polygons that may touch at points but share no interior. */
export interface MultiPolygon {
  type: 'MultiPolygon';
  coordinates: Ring[][];
}

/**
 * A region of the WGS84 ellipsoid in normal form, as in RFC 7946: longitudes in [-180, 180], cut at the
 * antimeridian, edges straight in longitude and latitude, shells counter-clockwise, holes clockwise. `validateArea`
 * creates it from a caller's geometry, `outlineArea` from pixels.
 */
export type AreaGeometry = Polygon | MultiPolygon;

/** The polygons of an area, each a shell followed by its holes. */
export function polygonsOf(area: AreaGeometry): readonly Ring[][] {
  return area.type === 'Polygon' ? [area.coordinates] : area.coordinates;
}

/** Geometry of a list of polygons: a Polygon when there is one, otherwise a MultiPolygon. */
export function areaGeometryOf(polygons: Ring[][]): AreaGeometry {
  const [only] = polygons;
  return polygons.length === 1 && only !== undefined
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: polygons };
}

/** Number of positions in all rings, including the closing positions. */
export function countVertices(area: AreaGeometry): number {
  let count = 0;
  for (const rings of polygonsOf(area)) for (const ring of rings) count += ring.length;
  return count;
}
