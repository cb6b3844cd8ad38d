import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { BandDate, RasterStack, StackReader } from '../../app/imagery/raster-stack.ts';
import type { Samples, SampleType } from '../../app/series/cube-store.ts';
import type { Grid } from '../../geo/grid.ts';

/** Maximum number of files listed in a message about names without a date. */
const MAX_NAMED = 5;

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

class FolderStack implements RasterStack {
  readonly grid: Grid;
  readonly bandCount: number;
  readonly sampleType: SampleType;
  readonly nodata: number | null;
  readonly scale: number;
  readonly offset: number;
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
    this.grid = first.grid;
    this.bandCount = files.length;
    this.sampleType = first.sampleType;
    this.nodata = first.nodata;
    this.scale = first.scale;
    this.offset = first.offset;
    this.sha256 = sha256;
    this.files = files;
    this.#path = path;
    this.#reader = reader;
  }

  /** @throws InvalidInput naming the files that have no date in their names, or two files with the same date */
  get dates(): readonly BandDate[] {
    const times = this.files.map(fileDateMs);
    const undated = this.files.filter((_, i) => times[i] === null);
    if (undated.length > 0)
      throw new InvalidInput(
        `${some(undated)}: expected a date in the name, such as NDVI_2020-06-01.tif, 20200601 or A2020153; or give --dates, ` +
          'whose bands are the files in order of name',
      );
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

function some(files: readonly string[]): string {
  const more = files.length - MAX_NAMED;
  return `${files.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** @throws InvalidInput that says in what a file of a folder differs from the first one */
export function checkAlike(first: RasterStack, other: RasterStack, firstFile: string, file: string): void {
  const traits = ({ grid, sampleType, nodata, scale, offset }: RasterStack) => ({
    grid: `${grid.width} x ${grid.height} pixels from ${grid.transform.join(' ')} in ${grid.crs} ${grid.proj4}`,
    'sample type': sampleType,
    nodata: String(nodata),
    'scale and offset': `${scale} and ${offset}`,
  });
  const [a, b] = [traits(first), traits(other)];
  for (const trait of Object.keys(a) as (keyof typeof a)[]) {
    if (a[trait] !== b[trait])
      throw new InvalidInput(
        `${file} has another ${trait} than ${firstFile}: ${b[trait]} instead of ${a[trait]}; expected it to be the same in all files of the folder`,
      );
  }
}

/**
 * The first date in a file's name [ms since the Unix epoch]; null when there is none. Forms: `2020-06-01`,
 * `2020_06_01` or `20200601`, optionally with a time such as `T101530`, or year and day of the year after a letter
 * (`A2020153`).
 */
export function fileDateMs(file: string): number | null {
  const name = file.replace(/\.tiff?$/i, '');
  const calendar = /(?<!\d)(\d{4})([-_.]?)(\d\d)\2(\d\d)(?:T?(\d\d):?(\d\d)(?::?(\d\d))?Z?)?(?!\d)/gi;
  for (const [, year, , month, day, hour, minute, second] of name.matchAll(calendar)) {
    const fields = [year, month, day, hour ?? 0, minute ?? 0, second ?? 0].map(Number);
    const [y, m, d, h, min, s] = fields as [number, number, number, number, number, number];
    const date = new Date(Date.UTC(y, m - 1, d, h, min, s));
    const real = date.getUTCMonth() === m - 1 && date.getUTCDate() === d && h < 24 && min < 60 && s < 60;
    if (real && isLikely(y)) return date.getTime();
  }
  const [, year, day] = /[a-z](\d{4})(\d{3})(?!\d)/i.exec(name) ?? [];
  if (year === undefined || !isLikely(Number(year))) return null;
  const date = new Date(Date.UTC(Number(year), 0, Number(day)));
  return date.getUTCFullYear() === Number(year) && Number(day) > 0 ? date.getTime() : null;
}

/** Whether an aerial or satellite image may be from this year. Otherwise the digits in the file name are no date. */
function isLikely(year: number): boolean {
  return year >= 1900 && year < 2200;
}
