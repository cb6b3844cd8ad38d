import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { encode } from 'fast-png';
import type { FastifyInstance } from 'fastify';
import { NotFound } from '../../base/errors.ts';
import { preferredCoding } from '../answer/content-coding.ts';
import { findTile, readTileArchive, type TileArchive } from './tile-archive.ts';

const NOTHING = Buffer.alloc(0);
/** A transparent pixel: the relief where all is sea. */
const FLAT = Buffer.from(encode({ width: 1, height: 1, data: new Uint8Array(4), channels: 4, depth: 8 }));
const A_DAY = 'public, max-age=86400';
/** Highest zoom of an address. Tiles that the archive does not have are empty. */
const MAX_ZOOM = 22;

/** An archive in the folder of the console, read at the first request and then kept in memory. */
function archiveAt(path: string, kind: 'vector' | 'png'): () => Promise<TileArchive> {
  let read: { readonly writtenMs: number; readonly archive: Promise<TileArchive> } | undefined;
  // A console that is built again while the service runs may have another archive.
  return async () => {
    const { mtimeMs } = await stat(path);
    if (read?.writtenMs !== mtimeMs)
      read = { writtenMs: mtimeMs, archive: readFile(path).then((bytes) => readTileArchive(bytes, kind)) };
    return read.archive;
  };
}

interface Place {
  readonly z: string;
  readonly x: string;
  readonly y: string;
}

/** @throws NotFound for an address that is no tile */
function tileAt({ z, x, y }: Place): Parameters<typeof findTile>[1] {
  const [zoom, column, row] = [z, x, y].map((text) => (/^\d{1,7}$/.test(text) ? Number(text) : NaN)) as [
    number,
    number,
    number,
  ];
  if (!(zoom <= MAX_ZOOM && column < 2 ** zoom && row < 2 ** zoom))
    throw new NotFound('There is no such tile');
  return { z: zoom, x: column, y: row };
}

/**
 * Serves the base map of the console from archives in its folder: vector tiles (4 MB), and the relief of low zooms as
 * PNG. They are public data and need no credential.
 */
export function baseMapRoutes(app: FastifyInstance, { folder }: { readonly folder: string }): void {
  const absent = (): never => {
    throw new NotFound('The base map is not built yet');
  };
  const map = archiveAt(join(folder, 'base-map.pmtiles'), 'vector');
  const relief = archiveAt(join(folder, 'relief.pmtiles'), 'png');

  app.get<{ Params: Place }>('/base-map/:z/:x/:y', async (request, reply) => {
    const place = tileAt(request.params);
    const tile = findTile(await map().catch(absent), place) ?? NOTHING;
    reply
      .type('application/vnd.mapbox-vector-tile')
      .header('Cache-Control', A_DAY)
      .header('Vary', 'Accept-Encoding');
    if (tile.length === 0 || preferredCoding(request.headers['accept-encoding'], ['br']) !== 'br')
      return reply.send(tile.length === 0 ? tile : brotliDecompressSync(tile));
    return reply.header('Content-Encoding', 'br').send(tile);
  });

  app.get<{ Params: Place }>('/base-map/relief/:z/:x/:y', async (request, reply) => {
    const place = tileAt(request.params);
    const tile = findTile(await relief().catch(absent), place) ?? FLAT;
    return reply.type('image/png').header('Cache-Control', A_DAY).send(tile);
  });
}
