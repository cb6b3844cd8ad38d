import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { NotFound } from '../../base/errors.ts';
import { preferredCoding } from '../answer/content-coding.ts';
import { findTile, readTileArchive, type TileArchive } from './tile-archive.ts';

const NOTHING = Buffer.alloc(0);
/** Highest zoom of an address. Tiles that the archive does not have are empty. */
const MAX_ZOOM = 22;

/**
 * Serves the base map of the console: vector tiles from `base-map.pmtiles` in the folder of the console. They are
 * public data and need no credential. The archive is read at the first request and then kept in memory (4 MB).
 */
export function baseMapRoutes(app: FastifyInstance, { folder }: { readonly folder: string }): void {
  const path = join(folder, 'base-map.pmtiles');
  let read: { readonly writtenMs: number; readonly archive: Promise<TileArchive> } | undefined;
  // A console that is built again while the service runs may have another archive.
  const archive = async (): Promise<TileArchive> => {
    const { mtimeMs } = await stat(path);
    if (read?.writtenMs !== mtimeMs)
      read = { writtenMs: mtimeMs, archive: readFile(path).then(readTileArchive) };
    return read.archive;
  };

  app.get<{ Params: { z: string; x: string; y: string } }>('/base-map/:z/:x/:y', async (request, reply) => {
    const [z, x, y] = [request.params.z, request.params.x, request.params.y].map((text) =>
      /^\d{1,7}$/.test(text) ? Number(text) : NaN,
    ) as [number, number, number];
    if (!(z <= MAX_ZOOM && x < 2 ** z && y < 2 ** z)) throw new NotFound('There is no such tile');
    const found = await archive().catch(() => {
      throw new NotFound('The base map is not built yet');
    });
    const tile = findTile(found, { z, x, y }) ?? NOTHING;
    reply
      .type('application/vnd.mapbox-vector-tile')
      .header('Cache-Control', 'public, max-age=86400') // a day [s]
      .header('Vary', 'Accept-Encoding');
    if (tile.length === 0 || preferredCoding(request.headers['accept-encoding'], ['br']) !== 'br')
      return reply.send(tile.length === 0 ? tile : brotliDecompressSync(tile));
    return reply.header('Content-Encoding', 'br').send(tile);
  });
}
