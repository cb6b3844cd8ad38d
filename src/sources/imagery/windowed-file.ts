import type { WindowedRaster } from '../../app/imagery/scene-source.ts';
import { isJpeg2000 } from '../../formats/jpeg2000/boxes.ts';
import { readBytes } from '../../formats/memory-file.ts';
import type { RandomAccess } from '../../formats/random-access.ts';
import { openWindowedGeoTiff } from './windowed-geotiff.ts';
import { openWindowedJp2 } from './windowed-jp2.ts';

/**
 * Opens a GeoTIFF or a JPEG 2000 file for reading by window. The format is recognised from the content.
 * @param name name of the file, for messages
 * @throws InvalidInput when the file is neither, is damaged, or does not say where its pixels are
 */
export async function openWindowedFile(
  file: RandomAccess,
  name: string,
  close: () => Promise<void>,
): Promise<WindowedRaster> {
  const open = isJpeg2000(await readBytes(file, 0, 12)) ? openWindowedJp2 : openWindowedGeoTiff;
  return open(file, name, close);
}
