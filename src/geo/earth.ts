/** Mean radius of the Earth [m] (IUGG R1): distances on this sphere are within 0.6 % of those on the ellipsoid. */
export const EARTH_RADIUS_M = 6_371_008.8;

/** Length of a degree of latitude on the sphere of radius `EARTH_RADIUS_M` [km]: 6371.0088 pi / 180. */
export const KM_PER_DEGREE = 111.195;

/** Length of a degree of longitude at the equator of WGS84 [m]: 6378137 pi / 180. */
export const METRES_PER_EQUATOR_DEGREE = 111_319.490_793;
