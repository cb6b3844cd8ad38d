import { type Bbox, fromGeoJsonBbox } from '../../../geo/bbox.ts';
import { type DegreeLattice, fireHistory, firesOfDetections } from '../../../risk/wildfire/fire-history.ts';
import { InvalidInput } from '../../../base/errors.ts';
import type { FireRecordReader } from './fire-record-reader.ts';
import type { LayerEnvironment, MadeRaster } from '../layer-shelf.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../manage-layers.ts';
import { DAY_MS } from '../../../base/time.ts';

/** What a history of fires is to be made from, and how it is to be kept. */
export interface FireHistoryRequest {
  readonly path: string;
  /** Where the record is whole: west, south, east, north [degrees]; east is less than west across the antimeridian. */
  readonly bbox: readonly number[];
  readonly version: string;
  /** Years that the record covers, both whole; those of the first and last fire when they are not given. */
  readonly fromYear?: number | undefined;
  readonly toYear?: number | undefined;
  readonly date?: string | undefined;
  readonly licence?: string | undefined;
  readonly source?: string | undefined;
  readonly replace?: boolean | undefined;
  readonly environment?: LayerEnvironment | undefined;
}

export interface FireHistoryDeps extends LayerDeps {
  readonly fires: FireRecordReader;
}

/** What was made, and from how much. */
export interface DerivedFireHistory {
  readonly added: readonly AddedLayer[];
  readonly fires: number;
  readonly fromYear: number;
  readonly toYear: number;
}

/** Spacing [degrees]: half of the reach that fires are counted in. */
const STEP = 0.025;
/** Cells narrow towards the poles, where nothing burns [degrees]. */
const FARTHEST = 80;
/** Cells made at once: 64 MB of them for each layer. */
const MOST_CELLS = 2 ** 24;
/** A shorter record says little, and one wet or dry spell fills it. */
const LEAST_YEARS = 10;
/** Smaller fires are recorded unevenly [ha] (docs/methods/wildfire.md). */
const LEAST_HA = 1;

/**
 * Derives the fires of 1 ha or more, and the land that they burned where areas are known, within 5 km of every cell, and
 * installs both, and the years that they are of. Detections of satellites are first joined to fires.
 * @throws InvalidInput when the record, the years or the box cannot be used
 */
export async function deriveFireHistory(
  deps: FireHistoryDeps,
  request: FireHistoryRequest,
): Promise<DerivedFireHistory> {
  const lattice = latticeOf(request.bbox);
  const record = await deps.fires.readFires(request.path);
  const name = request.path.split(/[\\/]/).at(-1)!;
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
  const { west, north, step, width, height } = lattice;
  const raster = (samples: Float32Array): MadeRaster => ({
    grid: {
      width,
      height,
      crs: 'EPSG:4326',
      proj4: '+proj=longlat +datum=WGS84 +no_defs',
      transform: [west - step / 2, step, 0, north + step / 2, 0, -step],
    },
    samples,
  });
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
  const years = new Float32Array(width * height).fill(to - from + 1);
  added.push(await addMadeLayer(deps, { ...shared, layer: 'fire-record-years', raster: raster(years) }));
  return { added, fires: fires.length, fromYear: from, toYear: to };
}

function latticeOf(values: readonly number[]): DegreeLattice {
  let box: Bbox;
  try {
    box = fromGeoJsonBbox(values);
  } catch (error) {
    throw new InvalidInput(`box ${values.join()}: ${(error as Error).message}`, {
      param: 'bbox',
      cause: error,
    });
  }
  const [west, south, east, north] = box;
  const width = Math.min(Math.round((east - west) / STEP) + 1, Math.round(360 / STEP));
  const height = Math.round((north - south) / STEP) + 1;
  if (!(south >= -FARTHEST && north <= FARTHEST && width > 1 && height > 1 && width * height <= MOST_CELLS))
    throw new InvalidInput(
      `box ${values.join()}: expected more than ${STEP} degrees each way, within ${FARTHEST} degrees of the equator, and at most ${MOST_CELLS} cells`,
      { param: 'bbox' },
    );
  return { west, north, step: STEP, width, height };
}
