import type { WindowedRaster } from '../../app/imagery/scene-source.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { Grid } from '../../geo/grid.ts';
import type { GridWindow } from '../../geo/grid-window.ts';
import type { RandomAccess } from '../../formats/random-access.ts';
import { checkBlocks, readBlocks, storedRows } from '../../formats/tiff/block.ts';
import { readTiffFile } from '../../formats/tiff/directory.ts';
import { readGdalNodata, readGdalScale } from '../../formats/tiff/gdal-tags.ts';
import { readGrid } from '../../formats/tiff/georeference.ts';
import { describeImage, MAX_BAND_PIXELS, type TiffImage } from '../../formats/tiff/image.ts';

/**
 * Opens a GeoTIFF for reading by window: only the blocks that a window touches are read.
 * @param name name of the file, for messages
 * @throws InvalidInput when the file is not a GeoTIFF, or has no usable reference system
 */
export async function openWindowedGeoTiff(
  file: RandomAccess,
  name: string,
  close: () => Promise<void>,
): Promise<WindowedRaster> {
  const image = describeImage(await readTiffFile(file, name), name, MAX_BAND_PIXELS);
  const grid: Grid = readGrid(name, image.directory, image.width, image.height);
  return {
    grid,
    nodata: readGdalNodata(image),
    ...readGdalScale(image),
    read: (band, window) => readWindow(file, image, band, window),
    close,
  };
}

async function readWindow(
  file: RandomAccess,
  image: TiffImage,
  band: number,
  window: GridWindow,
): Promise<Float32Array> {
  const { width, height, blockWidth, blockHeight, bandCount, interleaved } = image;
  if (!(band >= 0 && band < bandCount))
    throw new InvalidInput(`${image.name} has ${bandCount} bands; there is no band ${band + 1}`);
  if (!(window.width * window.height <= MAX_BAND_PIXELS))
    throw new InvalidInput(
      `${image.name}: expected a window of at most ${MAX_BAND_PIXELS} pixels, got ${window.width} x ${window.height}`,
    );
  const empty = (): Float32Array => new Float32Array(window.width * window.height).fill(Number.NaN);
  const across = Math.ceil(width / blockWidth);
  const down = Math.ceil(height / blockHeight);
  const [left, top] = [Math.max(0, window.col), Math.max(0, window.row)];
  const right = Math.min(width, window.col + window.width);
  const bottom = Math.min(height, window.row + window.height);
  if (left >= right || top >= bottom) return empty();
  const first = interleaved ? 0 : band * across * down;
  const step = interleaved ? bandCount : 1;
  const blocks: {
    readonly row: number;
    readonly col: number;
    readonly index: number;
    readonly rows: number;
  }[] = [];
  for (let row = Math.floor(top / blockHeight); row * blockHeight < bottom; row++)
    for (let col = Math.floor(left / blockWidth); col * blockWidth < right; col++)
      blocks.push({ row, col, index: first + row * across + col, rows: storedRows(image, row) });
  checkBlocks(image, blocks);
  const samples = empty();
  await readBlocks(file, image, blocks, (block, at) => {
    if (block === null) return; // a block that the file omits is nodata
    const { row, col } = blocks[at]!;
    const fromX = Math.max(left, col * blockWidth);
    const toX = Math.min(right, (col + 1) * blockWidth);
    for (let y = Math.max(top, row * blockHeight); y < Math.min(bottom, (row + 1) * blockHeight); y++) {
      const source = ((y - row * blockHeight) * blockWidth - col * blockWidth) * step;
      const target = (y - window.row) * window.width - window.col;
      for (let x = fromX; x < toX; x++)
        samples[target + x] = block[source + x * step + (interleaved ? band : 0)]!;
    }
  });
  return samples;
}
