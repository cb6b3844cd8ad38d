import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PieceFiles } from '../../app/bundles/bundle.ts';
import type { StoredBand } from '../../app/layers/layer-shelf.ts';
import { InvalidInput } from '../../base/errors.ts';
import { mapGrid } from '../../geo/grid.ts';
import { KIND_BYTES, MAX_BAND_PIXELS } from '../../formats/tiff/image.ts';
import { BandFile, type BandHeader } from './band-file.ts';
import type { LayerHome } from './layer-home.ts';

const EDGES: ReadonlySet<number> = new Set([64, 256]); // widths of tiles that releases have written [pixels]
const CHECK_TILES = 64; // tiles that are read before the event loop may run other work

/**
 * The files from which pieces of installed layers are served, for bundles.
 * @param home of the installed layers
 */
export function pieceFiles(home: LayerHome): PieceFiles {
  const { files } = home.folder;
  return {
    async describe(file) {
      await home.bring(file);
      const hash = createHash('sha256');
      await pipeline(createReadStream(join(files, file), { highWaterMark: 1 << 20 }), hash);
      return { bytes: (await stat(join(files, file))).size, sha256: hash.digest('hex') };
    },
    content: (file) => createReadStream(join(files, file)) as AsyncIterable<Buffer>,
    async take(content, bytes) {
      await mkdir(files, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = await statfs(files);
      if (bytes > bavail * bsize)
        throw new InvalidInput(`FILE: a layer of ${bytes} bytes does not fit on the disk of ${files}`);
      const file = `${randomUUID()}.gwl`;
      const path = join(files, file);
      try {
        await pipeline(
          Readable.from(content),
          createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
        );
        return { file, ...(await checkedBand(path)) };
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
  };
}

/** Reads all of a served file. @throws InvalidInput when it is none, or is damaged */
async function checkedBand(path: string): Promise<Omit<StoredBand, 'file'>> {
  let band: BandFile | null = null;
  try {
    band = BandFile.open(path);
    if (band === null) throw new RangeError('it is missing');
    checkHeader(band.header);
    const { nodata, grid, tileEdge } = band.header;
    const across = Math.ceil(grid.width / tileEdge);
    let [validCount, lowest, highest] = [0, Infinity, -Infinity];
    for (let tile = 0; tile < band.slots.length; tile++) {
      const values = band.readTile(tile);
      const columns = Math.min(tileEdge, grid.width - (tile % across) * tileEdge);
      const rows = Math.min(tileEdge, grid.height - Math.floor(tile / across) * tileEdge);
      for (let row = 0; row < rows; row++)
        for (let col = 0; col < columns; col++) {
          const value = values[row * tileEdge + col]!;
          if (value === nodata || Number.isNaN(value)) continue;
          validCount++;
          lowest = Math.min(lowest, value);
          highest = Math.max(highest, value);
        }
      if (tile % CHECK_TILES === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return { validCount, lowest, highest };
  } catch (error) {
    throw new InvalidInput(
      `FILE: it has a piece of a layer that cannot be served: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  } finally {
    band?.close();
  }
}

/** A header of others may say anything. @throws RangeError */
function checkHeader({ grid, tileEdge, kind, nodata }: BandHeader): void {
  const { width, height } = grid;
  const isSize = (value: number): boolean => Number.isInteger(value) && value > 0;
  if (!isSize(width) || !isSize(height) || width * height > MAX_BAND_PIXELS)
    throw new RangeError(`${width} x ${height} pixels`);
  if (!EDGES.has(tileEdge)) throw new RangeError(`tiles of ${tileEdge} pixels`);
  if (!Object.hasOwn(KIND_BYTES, kind)) throw new RangeError(`samples of ${kind}`);
  if (nodata !== null && typeof nodata !== 'number') throw new RangeError('a nodata value that is no number');
  mapGrid(grid);
}
