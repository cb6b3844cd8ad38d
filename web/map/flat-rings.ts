type Ring = readonly GeoJSON.Position[];

/**
 * Converts a ring on the globe to a ring on a flat map. Where the ring on the globe crosses the antimeridian, from
 * longitude 179 to -179, the ring on the map continues beyond 180. A ring around a pole is closed along latitude 90
 * or -90.
 */
export function flatRing(ring: Ring): GeoJSON.Position[] {
  const flat: GeoJSON.Position[] = [];
  let turns = 0;
  for (const [i, position] of ring.entries()) {
    const [lng, lat] = [position[0]!, position[1]!];
    if (i > 0) turns -= Math.round((lng - ring[i - 1]![0]!) / 360);
    flat.push([lng + turns * 360, lat]);
  }
  if (turns === 0) return flat;
  const [first, last] = [flat[0]!, flat.at(-1)!];
  const pole = first[1]! < 0 ? -90 : 90;
  return [...flat, [last[0]!, pole], [first[0]!, pole], first];
}

/** Converts land polygons on the globe to polygons on a flat map. */
export function flatLand({ features, ...rest }: GeoJSON.FeatureCollection): GeoJSON.FeatureCollection {
  return {
    ...rest,
    features: features.map(({ geometry, ...feature }) => ({ ...feature, geometry: flatGeometry(geometry) })),
  };
}

function flatGeometry(geometry: GeoJSON.Geometry): GeoJSON.Geometry {
  if (geometry.type === 'Polygon') return { ...geometry, coordinates: geometry.coordinates.map(flatRing) };
  if (geometry.type === 'MultiPolygon')
    return { ...geometry, coordinates: geometry.coordinates.map((polygon) => polygon.map(flatRing)) };
  return geometry;
}
