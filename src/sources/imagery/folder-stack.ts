import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { BandDate, RasterStack, StackReader } from '../../app/imagery/raster-stack.ts';
import type { Samples, SampleType } from '../../app/series/cube-store.ts';
import type { Grid } from '../../geo/grid.ts';
import { fileDates } from './file-date.ts';

/**
 * Opens a folder of single-band GeoTIFFs, one file per date, as an image stack. Its bands are the files in order of
 * name.
 * @param there names of all files in the folder
 */
export function openFolderStack(
  path: string,
  there: readonly string[],
  reader: StackReader,
): Promise<RasterStack> {
  const files = there.filter((file) => /\.tiff?$/i.test(file)).toSorted();
  if (files.length === 0)
    throw new InvalidInput(
      `${basename(path)}: expected a folder of GeoTIFFs (.tif), one a date, or of NetCDF (.nc) or HDF5 (.h5); found none`,
    );
  return openFileStack(path, files, reader);
}

/**
 * Opens single-band GeoTIFFs as an image stack, one band per file.
 * @param files names of the files, relative to the folder `path`; at least one
 * @throws InvalidInput when a file has several bands, or another grid or sample type than the first
 */
export async function openFileStack(
  path: string,
  files: readonly string[],
  reader: StackReader,
): Promise<RasterStack> {
  const name = basename(path);
  const hash = createHash('sha256');
  let first: RasterStack | undefined;
  for (const file of files) {
    const stack = await reader.open(join(path, file));
    await stack.close(); // there may be many files: only the one being read is open
    if (stack.bandCount !== 1)
      throw new InvalidInput(
        `${file} has ${stack.bandCount} bands; expected one, as all files of the folder ${name}`,
      );
    first ??= stack;
    checkAlike(first, stack, files[0]!, file);
    hash.update(stack.sha256);
  }
  return new FolderStack(path, files, first!, hash.digest('hex'), reader);
}

/** What the first file of a folder says of all of them. */
export class LikeFirst {
  readonly grid: Grid;
  readonly sampleType: SampleType;
  readonly nodata: number | null;
  readonly validRange?: readonly [lowest: number, highest: number];
  readonly scale: number;
  readonly offset: number;
  readonly unit: string | undefined;

  constructor({ grid, sampleType, nodata, validRange, scale, offset, unit }: RasterStack) {
    this.grid = grid;
    this.sampleType = sampleType;
    this.nodata = nodata;
    if (validRange !== undefined) this.validRange = validRange;
    this.scale = scale;
    this.offset = offset;
    this.unit = unit;
  }
}

class FolderStack extends LikeFirst implements RasterStack {
  readonly bandCount: number;
  readonly sha256: string;
  readonly files: readonly string[];
  readonly #path: string;
  readonly #reader: StackReader;

  constructor(
    path: string,
    files: readonly string[],
    first: RasterStack,
    sha256: string,
    reader: StackReader,
  ) {
    super(first);
    this.bandCount = files.length;
    this.sha256 = sha256;
    this.files = files;
    this.#path = path;
    this.#reader = reader;
  }

  /** @throws InvalidInput naming the files that have no date in their names, or two files with the same date */
  get dates(): readonly BandDate[] {
    const times = fileDates(this.files);
    const twin = times.findIndex((time, i) => times.indexOf(time) !== i);
    if (twin !== -1)
      throw new InvalidInput(
        `${this.files[times.indexOf(times[twin]!)]!} and ${this.files[twin]!} are of one date; expected a folder of one ` +
          'metric, one file a date; or give --dates, whose bands are the files in order of name',
      );
    return this.files.map((file, i) => ({
      band: i + 1,
      timeMs: times[i]!,
      scene: file.replace(/\.tiff?$/i, ''),
    }));
  }

  async readBand(band: number): Promise<Samples> {
    const stack = await this.#reader.open(join(this.#path, this.files[band]!));
    try {
      return await stack.readBand(0);
    } finally {
      await stack.close();
    }
  }

  async close(): Promise<void> {}
}

/** @throws InvalidInput that says in what a file of a folder differs from the first one */
export function checkAlike(first: RasterStack, other: RasterStack, firstFile: string, file: string): void {
  // Nodata and scale decide how integers are held, so they are named before the type.
  const traits = ({ grid, sampleType, nodata, scale, offset, validRange }: RasterStack) => ({
    grid: `${grid.width} x ${grid.height} pixels from ${grid.transform.join(' ')} in ${grid.crs} ${grid.proj4}`,
    'nodata value': String(nodata ?? 'none'),
    'scale and offset': `${scale} and ${offset}`,
    'valid range': validRange?.join(' to ') ?? 'none',
    'sample type': sampleType,
  });
  const [a, b] = [traits(first), traits(other)];
  for (const trait of Object.keys(a) as (keyof typeof a)[]) {
    if (a[trait] !== b[trait])
      throw new InvalidInput(
        `${file} has another ${trait} than ${firstFile}: ${b[trait]} instead of ${a[trait]}; expected it to be the same in all files of the folder`,
      );
  }
}
