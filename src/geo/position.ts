/** A position on the WGS84 ellipsoid: `[lng, lat]` in decimal degrees, longitude first (RFC 7946). */
export type Position = readonly [lng: number, lat: number];

/** Wraps a longitude into [-180, 180). */
export function wrapLongitude(lng: number): number {
  if (lng >= -180 && lng < 180) return lng;
  return ((((lng + 180) % 360) + 360) % 360) - 180;
}
