import { type Bbox, fromGeoJsonBbox } from '../../../geo/bbox.ts';
import type { Grid } from '../../../geo/grid.ts';
import type { DegreeLattice } from '../../../risk/wildfire/fire-history.ts';
import { InvalidInput } from '../../../base/errors.ts';

/** Reads the `bbox` of a request: west, south, east, north [degrees]. @throws InvalidInput */
export function requestedBox(values: readonly number[]): Bbox {
  try {
    return fromGeoJsonBbox(values);
  } catch (error) {
    throw new InvalidInput(`box ${values.join()}: ${(error as Error).message}`, {
      param: 'bbox',
      cause: error,
    });
  }
}

/** Raster grid whose pixel centres are the points of a lattice. */
export function latticeGrid({ west, north, step, width, height }: DegreeLattice): Grid {
  return {
    width,
    height,
    crs: 'EPSG:4326',
    proj4: '+proj=longlat +datum=WGS84 +no_defs',
    transform: [west - step / 2, step, 0, north + step / 2, 0, -step],
  };
}
