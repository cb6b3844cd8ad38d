import type { Bbox } from '../../../geo/bbox.ts';

/** Reads the land polygons of a shapefile in a ZIP archive, whatever its size. */
export interface LandReader {
  /**
   * Returns the sides of the polygons between the southern and the northern edge of a box, four numbers each: x0, y0,
   * x1, y1 [degrees]. Those east of the box are left out, and those west of it are there, so that a row of the box is
   * inside the land behind an odd number of crossings. Longitudes continue those of the box beyond 180.
   * Lakes within the polygons are land.
   * @param member file name of the .shp in the archive
   * @throws InvalidInput when the archive has no such file, it is damaged, or it is not in longitude and latitude
   */
  readLand(path: string, member: string, bounds: Bbox): Promise<Float64Array>;
}
