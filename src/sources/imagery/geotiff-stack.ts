import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { InvalidInput } from '../../base/errors.ts';
import type { BandDate, RasterStack, StackChoice, StackReader } from '../../app/imagery/raster-stack.ts';
import type { SampleType, Samples } from '../../app/series/cube-store.ts';
import type { Grid } from '../../geo/grid.ts';
import { fileDateMs } from './file-date.ts';
import { checkBlocks, readBlocks, storedRows } from '../../formats/tiff/block.ts';
import type { BlockSamples } from '../../formats/tiff/block.ts';
import { readTiffFile } from '../../formats/tiff/directory.ts';
import { readGdalBands, readGdalNodata, readGdalScale } from '../../formats/tiff/gdal-tags.ts';
import { readGrid } from '../../formats/tiff/georeference.ts';
import { alphaBand, describeImage, MAX_BAND_PIXELS } from '../../formats/tiff/image.ts';
import type { SampleKind, TiffImage } from '../../formats/tiff/image.ts';
import { refuseMaskBeside } from '../../formats/tiff/mask-beside.ts';

/** Maximum memory for the bands of an interleaved file that are decoded in one pass [bytes]. */
const GROUP_BYTES = 256 * 1024 * 1024;
const STACK_BYTES: Readonly<Record<SampleType, number>> = { int16: 2, float32: 4, float64: 8 };

/** The smallest cube type that stores every sample of a file's type. */
const EXACT_TYPES: Readonly<Record<SampleKind, SampleType>> = {
  uint8: 'int16',
  int8: 'int16',
  int16: 'int16',
  uint16: 'float32',
  float32: 'float32',
  uint32: 'float64',
  int32: 'float64',
  float64: 'float64',
};

/**
 * The cube type that stores every sample exactly. A cube marks missing int16 samples by -32768. An int16 file that
 * declares another nodata value may use -32768 as a value, so it is read as float32.
 */
function stackType(kind: SampleKind, nodata: number | null): SampleType {
  const marksMissing = nodata === null || nodata === -32768;
  return kind === 'int16' && !marksMissing ? 'float32' : EXACT_TYPES[kind];
}

function emptyBand(type: SampleType, length: number): Samples {
  if (type === 'int16') return new Int16Array(length);
  return type === 'float32' ? new Float32Array(length) : new Float64Array(length);
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** Opens GeoTIFFs, one band per date, as image stacks. Truncated files are refused before any pixel is read. */
export class GeoTiffStackReader implements StackReader {
  async open(path: string, choice?: StackChoice): Promise<RasterStack> {
    let file: FileHandle;
    try {
      file = await open(path, 'r');
    } catch (error) {
      throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
    }
    try {
      const name = basename(path);
      if (!(await file.stat()).isFile()) throw new InvalidInput(`${path} is not a file`);
      await refuseMaskBeside(path, name);
      const image = describeImage(await readTiffFile(file, name), name, MAX_BAND_PIXELS);
      const grid = readGrid(name, image.directory, image.width, image.height);
      const alpha = choice?.alphaIsDate === true ? null : maskingBand(image);
      return new GeoTiffStack(file, image, { grid, alpha, sha256: await digest(path) });
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}

/**
 * Index of the band that masks the others by its alpha, from 0; null when there is none. GDAL marks the fourth band of a
 * byte file as alpha by itself, so a band that is named by a date is a date.
 * @throws InvalidInput when it is the only band, or not the last one
 */
function maskingBand(image: TiffImage): number | null {
  const alpha = alphaBand(image);
  const name = alpha === null ? null : readGdalBands(image)[alpha]!.description;
  if (alpha === null || (name !== null && fileDateMs(name) !== null)) return null;
  if (alpha === 0 || alpha !== image.bandCount - 1)
    throw new InvalidInput(
      `${image.name} has an alpha band as band ${alpha + 1} of ${image.bandCount}; expected it behind one band per date`,
    );
  return alpha;
}

/** Dates in the names of the bands; null unless every band has a different date. */
function datesOfBands(image: TiffImage, count: number): readonly BandDate[] | null {
  const bands = readGdalBands(image).slice(0, count);
  const times = bands.map(({ description }) => (description === null ? null : fileDateMs(description)));
  if (times.includes(null) || new Set(times).size < times.length) return null;
  return times.map((timeMs, i) => ({ band: i + 1, timeMs: timeMs!, scene: null }));
}

/** One open GeoTIFF. */
class GeoTiffStack implements RasterStack {
  readonly grid: Grid;
  readonly bandCount: number;
  readonly sampleType: SampleType;
  readonly nodata: number | null;
  readonly scale: number;
  readonly offset: number;
  readonly sha256: string;
  readonly dates?: readonly BandDate[];
  readonly alphaBand: number | null;
  readonly #file: FileHandle;
  readonly #image: TiffImage;
  /** Most recent group of bands of an interleaved file that were decoded together; `first` is its first band. */
  #group: { readonly first: number; readonly bands: Promise<readonly Samples[]> } | null = null;

  /** Which pixels are observed, by the alpha band: 0 is not. */
  #opacity: Promise<Samples> | null = null;

  constructor(
    file: FileHandle,
    image: TiffImage,
    { grid, alpha, sha256 }: { grid: Grid; alpha: number | null; sha256: string },
  ) {
    const nodata = readGdalNodata(image);
    const { scale, offset } = readGdalScale(image);
    this.#file = file;
    this.#image = image;
    this.grid = grid;
    this.bandCount = alpha ?? image.bandCount;
    this.alphaBand = alpha === null ? null : alpha + 1;
    this.sampleType = stackType(image.kind, nodata);
    this.nodata = nodata;
    this.scale = scale;
    this.offset = offset;
    this.sha256 = sha256;
    const dates = datesOfBands(image, this.bandCount);
    if (dates !== null) this.dates = dates;
  }

  async readBand(band: number): Promise<Samples> {
    if (!Number.isInteger(band) || band < 0 || band >= this.bandCount) {
      throw new RangeError(`band ${band} is not one of 0 to ${this.bandCount - 1}`);
    }
    const samples = await this.#bandOf(band);
    if (this.alphaBand === null) return samples;
    const missing = this.sampleType === 'int16' ? -32768 : Number.NaN;
    this.#opacity ??= this.#decode(this.bandCount, 1).then(([alpha]) => alpha!);
    const opacity = await this.#opacity;
    for (let i = 0; i < samples.length; i++) if (opacity[i] === 0) samples[i] = missing;
    return samples;
  }

  /** Samples of a band as stored, in an array of its own. */
  async #bandOf(band: number): Promise<Samples> {
    if (!this.#image.interleaved) return (await this.#decode(band, 1))[0]!;
    const bandBytes = this.#image.width * this.#image.height * STACK_BYTES[this.sampleType];
    const groupSize = Math.max(1, Math.floor(GROUP_BYTES / bandBytes));
    const first = band - (band % groupSize);
    if (this.#group?.first !== first) {
      this.#group = { first, bands: this.#decode(first, Math.min(groupSize, this.bandCount - first)) };
    }
    const bands = await this.#group.bands;
    return bands[band - first]!.slice();
  }

  async close(): Promise<void> {
    this.#group = null;
    this.#opacity = null;
    await this.#file.close();
  }

  /** Decodes the blocks of the bands `[first, first + count)`, each block once. */
  async #decode(first: number, count: number): Promise<readonly Samples[]> {
    const image = this.#image;
    const across = Math.ceil(image.width / image.blockWidth);
    const down = Math.ceil(image.height / image.blockHeight);
    const start = image.interleaved ? 0 : first * across * down;
    const blocks = Array.from({ length: across * down }, (_, at) => ({
      index: start + at,
      rows: storedRows(image, Math.floor(at / across)),
    }));
    checkBlocks(image, blocks);
    const bands = Array.from({ length: count }, () => emptyBand(this.sampleType, image.width * image.height));
    await readBlocks(this.#file, image, blocks, (block, at) => {
      const row = Math.floor(at / across);
      for (const [i, band] of bands.entries())
        this.#place(band, block, image.interleaved ? first + i : 0, row, at - row * across);
    });
    return bands;
  }

  /** Copies one band of a block into the image, without pixels beyond the image's edge. */
  #place(
    band: Samples,
    block: BlockSamples | null,
    sample: number,
    blockRow: number,
    blockCol: number,
  ): void {
    const { width, height, blockWidth, blockHeight, interleaved, bandCount } = this.#image;
    const step = interleaved ? bandCount : 1;
    const left = blockCol * blockWidth;
    const top = blockRow * blockHeight;
    const columns = Math.min(blockWidth, width - left);
    const rows = Math.min(blockHeight, height - top);
    for (let row = 0; row < rows; row++) {
      const target = (top + row) * width + left;
      if (block === null) {
        band.fill(this.nodata ?? 0, target, target + columns);
        continue;
      }
      const source = row * blockWidth * step + sample;
      for (let col = 0; col < columns; col++) band[target + col] = block[source + col * step]!;
    }
  }
}
