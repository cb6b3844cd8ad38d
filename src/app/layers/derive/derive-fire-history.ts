import { type DegreeLattice, fireHistory, firesOfDetections } from '../../../risk/wildfire/fire-history.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { latticeGrid, requestedBox } from './degree-lattice.ts';
import type { FireRecordReader } from './fire-record-reader.ts';
import { fileName } from '../file-name.ts';
import type { VersionRequest } from '../layer-checks.ts';
import type { MadeRaster } from '../layer-shelf.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../add-layer.ts';
import { DAY_MS } from '../../../base/time.ts';

/** Input of a derivation of fire history, and the version under which the layers are installed. */
export interface FireHistoryRequest extends VersionRequest {
  readonly path: string;
  /**
   * Box in which the record is complete: west, south, east, north [degrees]; east is less than west across the
   * antimeridian.
   */
  readonly bbox: readonly number[];
  /** First and last complete year of the record. Default: the years of the first and last fire. */
  readonly fromYear?: number | undefined;
  readonly toYear?: number | undefined;
}

export interface FireHistoryDeps extends LayerDeps {
  readonly fires: FireRecordReader;
}

/** Result of a derivation of fire history. */
export interface DerivedFireHistory {
  readonly added: readonly AddedLayer[];
  readonly fires: number;
  readonly fromYear: number;
  readonly toYear: number;
}

/** Cell size [degrees]: about half of the radius in which fires are counted. */
const STEP = 0.025;
/** Maximum latitude, north or south [degrees]. Closer to the poles, cells are too narrow, and nothing burns. */
const FARTHEST = 80;
/** Maximum number of cells: 64 MB for each layer. */
const MOST_CELLS = 2 ** 24;
/** Minimum length of a record [years]. A shorter record may cover only a single wet or dry period. */
const LEAST_YEARS = 10;
/** Minimum area of a fire [ha]. Smaller fires are recorded unevenly (docs/methods/wildfire.md). */
const LEAST_HA = 1;

/**
 * Derives layers from a record of fires and installs them: the frequency of fires of 1 ha or more within 5 km
 * of every cell, the share of land that they burned (if areas are known), and the number of years of the record.
 * Satellite detections are first grouped into fires.
 * @throws InvalidInput when the record, the years or the box cannot be used
 */
export async function deriveFireHistory(
  deps: FireHistoryDeps,
  request: FireHistoryRequest,
): Promise<DerivedFireHistory> {
  const lattice = latticeOf(request.bbox);
  const record = await deps.fires.readFires(request.path);
  const name = fileName(request.path);
  if (record.fires.length === 0) throw new InvalidInput(`${name} has no fires`, { param: 'fires' });
  const large = record.areDetections
    ? firesOfDetections(record.fires)
    : record.fires.filter(({ areaHa }) => !(areaHa < LEAST_HA));
  const yearOf = (day: number): number => new Date(day * DAY_MS).getUTCFullYear();
  const found = large.map(({ day }) => yearOf(day));
  const from = request.fromYear ?? found.reduce((a, b) => Math.min(a, b), Infinity);
  const to = request.toYear ?? found.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!(to - from + 1 >= LEAST_YEARS))
    throw new InvalidInput(`${name} covers ${from} to ${to}; at least ${LEAST_YEARS} years are needed`, {
      param: 'from',
    });
  const fires = large.filter((_, i) => found[i]! >= from && found[i]! <= to);
  const { frequency, burned } = fireHistory(fires, lattice, to - from + 1);
  const grid = latticeGrid(lattice);
  const raster = (samples: Float32Array): MadeRaster => ({ grid, samples });
  const shared = {
    version: request.version,
    date: request.date ?? `${to}-12-31`,
    licence: request.licence,
    source: request.source ?? `fires within 5 km, ${from}-${to}, from ${name}`,
    from: name,
    replace: request.replace,
    environment: request.environment,
  };
  const added = [await addMadeLayer(deps, { ...shared, layer: 'fire-frequency', raster: raster(frequency) })];
  if (burned !== null)
    added.push(await addMadeLayer(deps, { ...shared, layer: 'burn-history', raster: raster(burned) }));
  const years = new Float32Array(grid.width * grid.height).fill(to - from + 1);
  added.push(await addMadeLayer(deps, { ...shared, layer: 'fire-record-years', raster: raster(years) }));
  return { added, fires: fires.length, fromYear: from, toYear: to };
}

function latticeOf(values: readonly number[]): DegreeLattice {
  const [west, south, east, north] = requestedBox(values);
  const width = Math.min(Math.round((east - west) / STEP) + 1, Math.round(360 / STEP));
  const height = Math.round((north - south) / STEP) + 1;
  if (!(south >= -FARTHEST && north <= FARTHEST && width > 1 && height > 1 && width * height <= MOST_CELLS))
    throw new InvalidInput(
      `box ${values.join()}: expected more than ${STEP} degrees each way, within ${FARTHEST} degrees of the equator, and at most ${MOST_CELLS} cells`,
      { param: 'bbox' },
    );
  return { west, north, step: STEP, width, height };
}
