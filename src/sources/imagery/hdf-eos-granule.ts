import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { WindowedRaster } from '../../app/imagery/scene-source.ts';
import type { GridWindow } from '../../geo/grid-window.ts';
import { eosFields } from '../../formats/hdf5/eos-grids.ts';
import { openHdf5 } from '../../formats/hdf5/file.ts';
import { MAX_BAND_PIXELS } from '../../formats/tiff/image.ts';

/** Name of a granule of HDF-EOS5. */
const GRANULE = /\.(?:h5|he5)$/i;

/** Whether a file has the name of HDF5, in which NASA hands out VIIRS. */
export function isGranule(path: string): boolean {
  return GRANULE.test(path);
}

/**
 * Paths of the fields of a granule, each as the path of the granule and, in it, the name that its GeoTIFF would have:
 * that of the granule with the field behind it.
 * @throws InvalidInput when the granule is damaged, or has no grids
 */
export async function fieldsOfGranule(path: string): Promise<readonly string[]> {
  const file = await openHdf5(path);
  try {
    const fields = await eosFields(file);
    if (fields === undefined || fields.length === 0)
      throw new InvalidInput(`${basename(path)}: expected HDF-EOS5 with grids, found none`, {
        param: 'file',
      });
    return fields.map(({ name }) => `${path}/${basename(path).replace(GRANULE, '')}_${layerName(name)}.h5`);
  } finally {
    await file.close();
  }
}

/** Names of fields have spaces, for which the names of GeoTIFFs have underscores. */
const layerName = (field: string): string => field.replaceAll(' ', '_');

/** Opens a field of a granule by its path; undefined for another path. @throws InvalidInput */
export async function openGranuleField(path: string): Promise<WindowedRaster | undefined> {
  const [, granule, name] = /^(.*\.(?:h5|he5))[/\\]([^/\\]+)\.h5$/i.exec(path) ?? [];
  if (granule === undefined) return undefined;
  const file = await openHdf5(granule);
  try {
    const stem = `${basename(granule).replace(GRANULE, '')}_`;
    const field = (await eosFields(file))?.find((one) => `${stem}${layerName(one.name)}` === name);
    if (field === undefined) throw new InvalidInput(`${granule} has no field ${name}`);
    const { grid } = field;
    const variable = file.find(field.variable)!;
    return {
      grid,
      nodata: null,
      scale: 1,
      offset: 0,
      async read(band: number, { col, row, width, height }: GridWindow) {
        if (band !== 0) throw new InvalidInput(`${path} has one band; there is no band ${band + 1}`);
        if (!(width * height <= MAX_BAND_PIXELS))
          throw new InvalidInput(`${path}: expected a window of at most ${MAX_BAND_PIXELS} pixels`);
        const samples = new Float32Array(width * height).fill(Number.NaN);
        const [top, bottom] = [Math.max(0, row), Math.min(grid.height, row + height)];
        const [left, right] = [Math.max(0, col), Math.min(grid.width, col + width)];
        if (bottom <= top || right <= left) return samples;
        const values = await file.readRows(variable, [], top, bottom);
        for (let at = top; at < bottom; at++) {
          const line = values.subarray((at - top) * grid.width + left, (at - top) * grid.width + right);
          samples.set(line, (at - row) * width + left - col);
        }
        return samples;
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
