import { basename, relative } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { AlertReader, RasterStack } from '../../app/imagery/raster-stack.ts';
import { filesOfFolder } from './folder-files.ts';
import { fileDateMs } from './file-date.ts';
import { openFileStack } from './folder-stack.ts';
import { GeoTiffStackReader } from './geotiff-stack.ts';

/**
 * Names of the files of OPERA DIST-ALERT-HLS: product, tile, time of acquisition, time of production, satellite, pixel
 * size [m], version, layer.
 */
const DIST_ALERT =
  /^(OPERA_L3_DIST-ALERT-HLS_(T\d{2}[A-Z]{3})_(\d{8}T\d{6}Z)_(\d{8}T\d{6}Z)_([A-Z]\w{1,2})_30_v[\d.]+)_([A-Z-]+)\.tiff?$/i;
const EXAMPLE = 'OPERA_L3_DIST-ALERT-HLS_T10TEM_20220815T185931Z_20220817T153514Z_S2A_30_v1_VEG-ANOM.tif';
/** Loss of vegetation cover below the lowest cover at the same time of year in the three years before. */
const LOSS_LAYER = 'VEG-ANOM';
const VALID_LOSSES = [0, 100] as const; // [%]; the provider's software ignores larger values too
const NO_DATA = 255; // fill value of the provider's layers of 8 bits

/** Alert products that are known by their file names and are not supported. */
const OTHER_PRODUCTS: readonly (readonly [name: string, files: RegExp])[] = [
  ['RADD', /radd/i],
  ['OPERA DIST-ANN-HLS', /DIST-ANN-HLS/i],
  ['OPERA DIST-ALERT-S1', /DIST-ALERT-S1/i],
  ['GLAD', /glad/i],
];

interface Granule {
  readonly path: string;
  readonly tile: string;
  readonly acquired: string;
  readonly produced: string;
  readonly satellite: string;
}

/** Opens folders of granules of OPERA DIST-ALERT-HLS. The files must have their provider's names. */
export class AlertFolderReader implements AlertReader {
  readonly #geotiff = new GeoTiffStackReader();

  async openAlerts(folder: string): Promise<RasterStack> {
    const granules = await readGranules(folder);
    const paths = granules.map(({ path }) => relative(folder, path));
    const stack = await openFileStack(folder, paths, this.#geotiff);
    return {
      grid: stack.grid,
      bandCount: stack.bandCount,
      sampleType: stack.sampleType,
      nodata: NO_DATA,
      validRange: VALID_LOSSES,
      scale: stack.scale,
      offset: stack.offset,
      sha256: stack.sha256,
      files: paths.map((path) => basename(path)),
      dates: granules.map(({ tile, acquired, satellite }, i) => ({
        band: i + 1,
        timeMs: fileDateMs(acquired)!,
        scene: `DIST-ALERT-HLS_${tile}_${acquired}_${satellite}`,
      })),
      readBand: (band) => stack.readBand(band),
      close: () => stack.close(),
    };
  }
}

/**
 * Finds the loss layer of each granule, in order of time. Of granules of one acquisition, the one that was produced
 * last is used.
 */
async function readGranules(folder: string): Promise<readonly Granule[]> {
  const granules = new Map<string, Granule>();
  const others: string[] = [];
  const complete = new Set<string>();
  for await (const path of filesOfFolder(
    folder,
    'a folder of granules of OPERA DIST-ALERT-HLS, got a file',
  )) {
    const [, id, tile, acquired, produced, satellite, layer] = DIST_ALERT.exec(basename(path)) ?? [];
    if (layer?.toUpperCase() !== LOSS_LAYER) {
      others.push(basename(path));
      continue;
    }
    complete.add(id!);
    const granule = { path, tile: tile!, acquired: acquired!, produced: produced!, satellite: satellite! };
    const key = `${granule.tile} ${granule.acquired} ${granule.satellite}`;
    const known = granules.get(key);
    if (known === undefined || known.produced < granule.produced) granules.set(key, granule);
  }
  const found = [...granules.values()].toSorted((a, b) =>
    a.acquired === b.acquired ? (a.satellite < b.satellite ? -1 : 1) : a.acquired < b.acquired ? -1 : 1,
  );
  if (found.length === 0) throw noGranules(folder, others);
  checkTileAndTimes(folder, found);
  checkComplete(complete, others);
  return found;
}

function checkTileAndTimes(folder: string, granules: readonly Granule[]): void {
  const tiles = [...new Set(granules.map(({ tile }) => tile))].toSorted();
  if (tiles.length > 1)
    throw new InvalidInput(
      `${folder}: expected granules of one tile, because a collection has one grid; got ${tiles.join(', ')}`,
    );
  const undated = granules.find(({ acquired }) => fileDateMs(acquired) === null);
  if (undated !== undefined)
    throw new InvalidInput(
      `${basename(undated.path)}: expected a time of acquisition such as 20220815T185931Z, got ${undated.acquired}`,
    );
}

/** Refuses granules whose loss layer is missing, as after an interrupted download. */
function checkComplete(complete: ReadonlySet<string>, others: readonly string[]): void {
  for (const name of others) {
    const id = DIST_ALERT.exec(name)?.[1];
    if (id !== undefined && !complete.has(id))
      throw new InvalidInput(`${id}: expected its layer ${LOSS_LAYER} next to ${name}; it is missing`);
  }
}

function noGranules(folder: string, others: readonly string[]): InvalidInput {
  const expected = `expected granules of OPERA DIST-ALERT-HLS with their layer ${LOSS_LAYER}, such as ${EXAMPLE}`;
  const layers = others.find((name) => DIST_ALERT.test(name));
  if (layers !== undefined)
    return new InvalidInput(`${folder}: ${expected}; got only other layers, such as ${layers}`);
  for (const [product, files] of OTHER_PRODUCTS) {
    const file = others.find((name) => files.test(name));
    if (file !== undefined)
      return new InvalidInput(`${folder}: ${expected}; got ${product} (${file}), which is not supported`);
  }
  return new InvalidInput(`${folder}: ${expected}; found none`);
}
