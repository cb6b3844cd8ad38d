import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { BandDate, RasterStack, StackChoice } from '../../app/imagery/raster-stack.ts';
import type { Samples } from '../../app/series/cube-store.ts';
import { InvalidInput } from '../../base/errors.ts';
import { checkAlike, LikeFirst } from './folder-stack.ts';
import { openNetcdfStack } from './netcdf-stack.ts';

/** Names of files of NetCDF and HDF5. */
const ARRAYS = /\.(nc4?|cdf|h5|hdf5|he5)$/i;

/** One band of the folder: a file, and the band in it, from 0. */
interface Place {
  readonly file: string;
  readonly band: number;
}

/** Returns those of some file names that are NetCDF or HDF5, in order of name. */
export function arrayFiles(files: readonly string[]): readonly string[] {
  return files.filter((file) => ARRAYS.test(file)).toSorted();
}

/**
 * Opens files of NetCDF or HDF5 with maps of one variable on one grid as an image stack: a map a file, such as level 3
 * maps of PACE, or several, such as a file a year. Its bands are those of the files in order of name.
 * @param files names of the files, relative to the folder `path`; at least one
 * @throws InvalidInput when a file cannot be read, is not like the first, or has a time that another one has
 */
export async function openArrayFolder(
  path: string,
  files: readonly string[],
  choice: StackChoice,
): Promise<RasterStack> {
  const hash = createHash('sha256');
  const places: Place[] = [];
  const dates: BandDate[] = [];
  const seen = new Map<number, string>();
  let first: RasterStack | undefined;
  for (const file of files) {
    const stack = await openNetcdfStack(join(path, file), choice);
    await stack.close(); // there may be many files: only the one being read is open
    first ??= stack;
    checkAlike(first, stack, files[0]!, file);
    if (first.unit !== stack.unit)
      throw new InvalidInput(
        `${file} is in ${stack.unit ?? 'no unit'}, ${files[0]} in ${first.unit ?? 'none'}; expected one unit in all files of the folder`,
      );
    for (const { timeMs } of stack.dates!) {
      const twin = seen.get(timeMs);
      if (twin !== undefined)
        throw new InvalidInput(
          `${twin} and ${file} both have ${new Date(timeMs).toISOString()}; expected each time once in the folder ${basename(path)}`,
        );
      seen.set(timeMs, file);
      const scene = stack.bandCount === 1 ? file.replace(ARRAYS, '') : null;
      dates.push({ band: dates.length + 1, timeMs, scene });
    }
    for (let band = 0; band < stack.bandCount; band++) places.push({ file, band });
    hash.update(stack.sha256);
  }
  return new ArrayFolder(path, { places, dates, choice }, first!, hash.digest('hex'));
}

class ArrayFolder extends LikeFirst implements RasterStack {
  readonly bandCount: number;
  readonly sha256: string;
  readonly dates: readonly BandDate[];
  /** The file of each band. */
  readonly files: readonly string[];
  readonly #path: string;
  readonly #places: readonly Place[];
  readonly #choice: StackChoice;
  #open: { readonly file: string; readonly stack: RasterStack } | undefined;

  constructor(
    path: string,
    {
      places,
      dates,
      choice,
    }: {
      readonly places: readonly Place[];
      readonly dates: readonly BandDate[];
      readonly choice: StackChoice;
    },
    first: RasterStack,
    sha256: string,
  ) {
    super(first);
    this.bandCount = places.length;
    this.sha256 = sha256;
    this.dates = dates;
    this.files = places.map(({ file }) => file);
    this.#path = path;
    this.#places = places;
    this.#choice = choice;
  }

  async readBand(at: number): Promise<Samples> {
    const { file, band } = this.#places[at]!;
    if (this.#open?.file !== file) {
      await this.close();
      this.#open = { file, stack: await openNetcdfStack(join(this.#path, file), this.#choice) };
    }
    return await this.#open.stack.readBand(band);
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.stack.close();
  }
}
