import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import { isUpright } from '../../geo/grid-coverage.ts';
import type { Grid } from '../../geo/grid.ts';
import { bandBytes } from './band-file.ts';
import { BLOCK_ARRAYS } from '../../formats/tiff/block.ts';
import { readTiffFile } from '../../formats/tiff/directory.ts';
import { readGdalBands, readGdalNodata } from '../../formats/tiff/gdal-tags.ts';
import type { GdalBand } from '../../formats/tiff/gdal-tags.ts';
import { heightUnit, readGrid } from '../../formats/tiff/georeference.ts';
import { refuseMaskBeside } from '../../formats/tiff/mask-beside.ts';
import { alphaBand, describeMaskedImage, KIND_BYTES } from '../../formats/tiff/image.ts';
import type { SampleKind, TiffImage } from '../../formats/tiff/image.ts';

/** Maximum number of pixels of a layer; checked before the rest of the header. */
const MAX_LAYER_PIXELS = 2 ** 38;
/** Maximum size of one band file [bytes]: 16 GiB, twelve times the size of a 3-degree tile at 10 m. */
const MAX_SERVED_BYTES = 2 ** 34;
/** Maximum memory for one decoded row of blocks or tiles [bytes]: 1 GiB. */
const MAX_ROW_BYTES = 2 ** 30;

/** One band of an open GeoTIFF, ready to be transcoded. */
export interface LayerSource {
  readonly file: FileHandle;
  readonly image: TiffImage;
  /** Mask of valid pixels, one bit each; null when the file has no mask. */
  readonly mask: TiffImage | null;
  /**
   * Index of the alpha band, from 0; null when there is none, or it is not used because the file has a mask or a
   * nodata value.
   */
  readonly alpha: number | null;
  /**
   * Type of the samples in the band file: the type in the GeoTIFF, or a wider one when a mask needs a nodata value
   * that no sample has.
   */
  readonly kind: SampleKind;
  readonly grid: Grid;
  /** Index of the band in the file, from 0. */
  readonly band: number;
  /** Raw nodata value in the type of the samples; NaN when only NaN is nodata; null for none. */
  readonly nodata: number | null;
  readonly metadata: GdalBand;
}

/** A value rounded to a sample type; null when the type cannot represent it. */
function representable(value: number, kind: SampleKind): number | null {
  const [held] = BLOCK_ARRAYS[kind].of(value);
  if (kind === 'float32' || kind === 'float64') return held!;
  return held === value ? value : null;
}

/**
 * Sample type and nodata value of the served band, by the sample type of a file that has a mask but no nodata value.
 * No valid sample of the file has this nodata value.
 */
export const MASKED: Readonly<Record<SampleKind, readonly [kind: SampleKind, nodata: number]>> = {
  uint8: ['int16', -32_768],
  int8: ['int16', -32_768],
  uint16: ['int32', -2_147_483_648],
  int16: ['int32', -2_147_483_648],
  uint32: ['float64', Number.NaN],
  int32: ['float64', Number.NaN],
  float32: ['float32', Number.NaN],
  float64: ['float64', Number.NaN],
};

function checkSize(image: TiffImage, kind: SampleKind, grid: Grid): void {
  const served = bandBytes(kind, grid);
  if (served > MAX_SERVED_BYTES) {
    throw new InvalidInput(
      `${image.name} says that it has ${image.width} x ${image.height} pixels, ${(served / 1e9).toFixed(1)} GB; ` +
        `at most ${(MAX_SERVED_BYTES / 1e9).toFixed(1)} GB are taken from one file: cut it into pieces`,
    );
  }
  const bands = image.interleaved ? image.bandCount : 1;
  const row = image.width * image.blockHeight * bands * KIND_BYTES[image.kind];
  if (row > MAX_ROW_BYTES) {
    throw new InvalidInput(
      `${image.name} has ${(row / 1e9).toFixed(1)} GB in one row of blocks; ` +
        `at most ${(MAX_ROW_BYTES / 1e9).toFixed(1)} GB are decoded together: convert it to smaller tiles`,
    );
  }
}

/**
 * Opens one band of a GeoTIFF and checks everything that does not need its pixels.
 * @param band index of the band, from 0
 * @param nodata raw nodata value; null means the value that the file declares
 * @throws InvalidInput when the file is not a GeoTIFF, truncated, too large, rotated, or without a reference system
 */
export async function openLayerSource(
  path: string,
  band: number,
  nodata: number | null,
): Promise<LayerSource> {
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
    const { image, mask } = describeMaskedImage(await readTiffFile(file, name), name, MAX_LAYER_PIXELS);
    if (band >= image.bandCount) {
      throw new InvalidInput(`${name} has ${image.bandCount} bands; there is no band ${band + 1}`);
    }
    const grid = readGrid(name, image.directory, image.width, image.height);
    if (!isUpright(grid)) {
      throw new InvalidInput(
        `${name} is rotated against its reference system; warp it, for example with gdalwarp -t_srs ${grid.crs === 'custom' ? 'EPSG:4326' : grid.crs}`,
      );
    }
    const stated = nodata ?? readGdalNodata(image);
    const own = stated === null ? null : representable(stated, image.kind);
    const transparent = stated === null && mask === null ? alphaBand(image) : null;
    const alpha = transparent === band ? null : transparent;
    const isMasked = mask !== null || alpha !== null;
    const [kind, held] = isMasked && own === null ? MASKED[image.kind] : [image.kind, own];
    checkSize(image, kind, grid);
    const metadata = readGdalBands(image)[band]!;
    return {
      file,
      image,
      mask,
      alpha,
      kind,
      grid,
      band,
      nodata: held,
      metadata: { ...metadata, unit: metadata.unit ?? heightUnit(image.directory) },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
