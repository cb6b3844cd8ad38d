/**
 * A regular raster grid in a projected or geographic reference system.
 * Pixel index `i` is row-major: `row * width + col`; row 0 is the first row stored.
 */
export interface Grid {
  readonly width: number;
  readonly height: number;
  /** Authority code such as `EPSG:32633`, or `custom` when the file only gives parameters. */
  readonly crs: string;
  /** PROJ definition of the reference system, as proj4js takes it. */
  readonly proj4: string;
  /** Affine map in GDAL order: x = t0 + col t1 + row t2; y = t3 + col t4 + row t5, at pixel corners, in CRS units. */
  readonly transform: readonly [number, number, number, number, number, number];
}
