import { type Grid, mapGrid } from '../../../geo/grid.ts';
import { type Position, wrapLongitude } from '../../../geo/position.ts';
import { heightAboveDrainage } from '../../../raster/hand.ts';
import type { Terrain } from '../../../raster/terrain.ts';
import { InvalidInput } from '../../../base/errors.ts';
import type { LayerEnvironment, RasterChoice } from '../layer-shelf.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../manage-layers.ts';

/** What height above nearest drainage is to be made from, and how it is to be kept. */
export interface HandRequest extends RasterChoice {
  readonly version: string;
  /** Upstream area from which a cell is part of a stream [km2]. */
  readonly streamAreaKm2: number;
  /** Whether the DEM's nodata is water, rather than unknown. */
  readonly nodataIsWater: boolean;
  readonly date?: string | undefined;
  readonly licence?: string | undefined;
  readonly source?: string | undefined;
  readonly replace?: boolean | undefined;
  readonly environment?: LayerEnvironment | undefined;
}

/** The Earth as a sphere of equal volume [m] (IUGG): lengths on it are right to 0.6 %. */
const EARTH_RADIUS_M = 6_371_008.8;
/** Cells at a pole have no width; slopes need some [m]. */
const LEAST_CELL_M = 1e-3;

function distanceM([lngA, latA]: Position, [lngB, latB]: Position): number {
  const radians = Math.PI / 180;
  const across = wrapLongitude(lngB - lngA) * Math.cos(((latA + latB) / 2) * radians);
  return Math.hypot(across, latB - latA) * radians * EARTH_RADIUS_M;
}

/** Size of cells on the ground, in the middle of each row: maps stretch it, Mercator's twofold at 60 degrees. */
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
 * Derives height above nearest drainage from a DEM, and the upstream area of that drainage, and installs both.
 * @throws InvalidInput when the DEM cannot be used, or all its water leaves it before any stream
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
  const name = request.path.split(/[\\/]/).at(-1)!;
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
