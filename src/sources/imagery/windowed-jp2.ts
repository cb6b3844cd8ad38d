import type { WindowedRaster } from '../../app/imagery/scene-source.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { GridWindow } from '../../geo/grid-window.ts';
import { readBoxes } from '../../formats/jpeg2000/boxes.ts';
import { type Codestream, readCodestream } from '../../formats/jpeg2000/codestream.ts';
import { readJp2Grid } from '../../formats/jpeg2000/georeference.ts';
import { filePart } from '../../formats/memory-file.ts';
import type { RandomAccess } from '../../formats/random-access.ts';
import { MAX_BAND_PIXELS } from '../../formats/tiff/image.ts';

/** Maximum number of pixels of a tile that is decoded at once (our choice). It takes about 400 MB. */
const MAX_TILE_PIXELS = 2 ** 25;

/**
 * Opens a JPEG 2000 file for reading by window: only the tiles that a window touches are read and decoded.
 * @param name name of the file, for messages
 * @throws InvalidInput when the file is damaged, or does not say where its pixels are
 */
export async function openWindowedJp2(
  file: RandomAccess,
  name: string,
  close: () => Promise<void>,
): Promise<WindowedRaster> {
  const boxes = await readBoxes(file, name);
  const { at, bytes } = boxes.codestream;
  const stream = await readCodestream(filePart(file, at, bytes), name);
  const { image, tileWidth, tileHeight } = stream;
  const [width, height] = [image.x1 - image.x0, image.y1 - image.y0];
  if (!(width * height <= MAX_BAND_PIXELS))
    throw new InvalidInput(`${name}: expected at most ${MAX_BAND_PIXELS} pixels, got ${width} x ${height}`);
  const tilePixels = Math.min(tileWidth, width) * Math.min(tileHeight, height);
  if (!(tilePixels * stream.componentCount <= MAX_TILE_PIXELS))
    throw new InvalidInput(
      `${name}: expected tiles of at most ${MAX_TILE_PIXELS} pixels, got ${tileWidth} x ${tileHeight}: convert it with gdal_translate`,
    );
  return {
    grid: await readJp2Grid(name, boxes, width, height),
    nodata: null,
    scale: 1,
    offset: 0,
    read: (band, window) => readWindow(stream, band, window),
    close,
  };
}

async function readWindow(stream: Codestream, band: number, window: GridWindow): Promise<Float32Array> {
  const { name, image, componentCount, tilesAcross, tilesDown } = stream;
  if (!(band >= 0 && band < componentCount))
    throw new InvalidInput(`${name} has ${componentCount} bands; there is no band ${band + 1}`);
  if (!(window.width * window.height <= MAX_BAND_PIXELS))
    throw new InvalidInput(
      `${name}: expected a window of at most ${MAX_BAND_PIXELS} pixels, got ${window.width} x ${window.height}`,
    );
  const samples = new Float32Array(window.width * window.height).fill(Number.NaN);
  const [left, top] = [image.x0 + window.col, image.y0 + window.row]; // of the window, on the reference grid
  const { decodeTile } = await import('../../formats/jpeg2000/tile-decoder.ts');
  for (let tile = 0; tile < tilesAcross * tilesDown; tile++) {
    const area = stream.tileArea(tile);
    const [fromX, toX] = [Math.max(area.x0, left), Math.min(area.x1, left + window.width)];
    const [fromY, toY] = [Math.max(area.y0, top), Math.min(area.y1, top + window.height)];
    if (fromX >= toX || fromY >= toY) continue;
    const decoded = await decodeTile(stream, tile);
    const tileWidth = area.x1 - area.x0;
    for (let y = fromY; y < toY; y++) {
      const source = (y - area.y0) * tileWidth - area.x0;
      const target = (y - top) * window.width - left;
      for (let x = fromX; x < toX; x++) samples[target + x] = decoded[(source + x) * componentCount + band]!;
    }
  }
  return samples;
}
