import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { RasterChoice } from '../../app/layers/layer-shelf.ts';
import { isUpright } from '../../geo/grid-coverage.ts';
import { openLocalFile } from '../imagery/local-file.ts';
import { openWindowedJp2 } from '../imagery/windowed-jp2.ts';
import type { RowLayer } from './row-layer.ts';

/**
 * Opens one band of an image in JPEG 2000. Samples are in single precision, which is exact up to 24 bits.
 * @throws InvalidInput when the file is damaged, rotated, or does not say where its pixels are
 */
export async function openJpeg2000Layer({ path, band = 0, nodata }: RasterChoice): Promise<RowLayer> {
  const name = basename(path);
  const { file, close } = await openLocalFile(path);
  try {
    const image = await openWindowedJp2(file, name, close);
    const { grid } = image;
    if (!isUpright(grid))
      throw new InvalidInput(
        `${name} is rotated against its reference system; warp it, for example with gdalwarp`,
      );
    await image.read(band, { col: 0, row: 0, width: 1, height: 1 }); // tells a band that is not there
    return {
      grid,
      kind: 'float32',
      nodata,
      metadata: { scale: 1, offset: 0, unit: null, description: null },
      read: (from, to) => image.read(band, { col: 0, row: from, width: grid.width, height: to - from }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
