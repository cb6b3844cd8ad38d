import { EARTH_RADIUS_M } from '../../../geo/earth.ts';
import { type Grid, mapGrid } from '../../../geo/grid.ts';
import { type Position, wrapLongitude } from '../../../geo/position.ts';
import { heightAboveDrainage } from '../../../raster/hand.ts';
import type { Terrain } from '../../../raster/terrain.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { fileName } from '../file-name.ts';
import type { VersionRequest } from '../layer-checks.ts';
import type { RasterChoice } from '../layer-shelf.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../add-layer.ts';

/**
 * Input of a derivation of height above nearest drainage (HAND), and the version under which the layers are installed.
 */
export interface HandRequest extends RasterChoice, VersionRequest {
  /** Minimum upstream area of a stream cell [km2]. */
  readonly streamAreaKm2: number;
  /** Whether nodata in the DEM means water; otherwise it means unknown height. */
  readonly nodataIsWater: boolean;
}

/** Lower bound for the width and height of a cell [m]. At a pole the width is 0, and slopes are divided by it. */
const LEAST_CELL_M = 1e-3;

function distanceM([lngA, latA]: Position, [lngB, latB]: Position): number {
  const radians = Math.PI / 180;
  const across = wrapLongitude(lngB - lngA) * Math.cos(((latA + latB) / 2) * radians);
  return Math.hypot(across, latB - latA) * radians * EARTH_RADIUS_M;
}

/**
 * Returns the width and height on the ground [m] of the cell in the middle of each row. They differ from the size on
 * the map, because projections distort lengths: Mercator doubles them at 60 degrees of latitude.
 */
export function cellSizes(grid: Grid): Pick<Terrain, 'cellWidthM' | 'cellHeightM'> {
  const map = mapGrid(grid);
  const col = grid.width / 2;
  const sizes = (toCol: number, toRow: number): Float64Array =>
    Float64Array.from({ length: grid.height }, (_, row) =>
      Math.max(
        distanceM(
          map.toLngLat(col - toCol / 2, row + 0.5 - toRow / 2),
          map.toLngLat(col + toCol / 2, row + 0.5 + toRow / 2),
        ),
        LEAST_CELL_M,
      ),
    );
  return { cellWidthM: sizes(1, 0), cellHeightM: sizes(0, 1) };
}

/**
 * Derives the height above nearest drainage and the upstream area of that drainage from a DEM, and installs both as
 * layers.
 * @throws InvalidInput when the DEM cannot be used, or no cell has the minimum upstream area
 */
export async function deriveHand(deps: LayerDeps, request: HandRequest): Promise<readonly AddedLayer[]> {
  if (!(request.streamAreaKm2 > 0)) {
    throw new InvalidInput(`threshold ${request.streamAreaKm2}: expected an area above 0 km2`, {
      param: 'threshold',
    });
  }
  const { unit } = await deps.shelf.inspect(request);
  if (unit !== null && !/^(m|met(re|er)s?)$/i.test(unit)) {
    throw new InvalidInput(`${request.path} is in ${unit}; expected heights in metres`, { param: 'dem' });
  }
  const dem = await deps.shelf.read(request);
  const { handM, streamAreaKm2 } = heightAboveDrainage(
    { heights: dem.samples, width: dem.grid.width, height: dem.grid.height, ...cellSizes(dem.grid) },
    request,
  );
  if (handM.every(Number.isNaN)) {
    throw new InvalidInput(
      `no place in ${request.path} has ${request.streamAreaKm2} km2 upstream: give a smaller --threshold or a larger DEM`,
      { param: 'threshold' },
    );
  }
  const name = fileName(request.path);
  const shared = {
    version: request.version,
    date: request.date,
    licence: request.licence,
    source: request.source ?? `derived from ${name}; streams from ${request.streamAreaKm2} km2`,
    from: name,
    replace: request.replace,
    environment: request.environment,
  };
  const added: AddedLayer[] = [];
  for (const [layer, samples] of [
    ['hand', handM],
    ['upstream-area', streamAreaKm2],
  ] as const) {
    added.push(await addMadeLayer(deps, { ...shared, layer, raster: { grid: dem.grid, samples } }));
  }
  return added;
}
