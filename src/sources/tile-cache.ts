import type { BandFile } from './band-file.ts';
import type { BlockSamples } from './tiff-block.ts';

/** Tiles per band at most; a number of the band and one of the tile make one key. */
const TILES = 2 ** 32;

/** Tiles of all layers in memory, the least recently used dropped first, bounded by bytes. */
export class TileCache {
  readonly #tiles = new Map<number, BlockSamples>();
  readonly #limit: number;
  #bytes = 0;

  /** @param limit [bytes] */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** One tile of a band, from memory or from the file. @param id a number of the band that no other has */
  tile(band: BandFile, id: number, tile: number): BlockSamples {
    const key = id * TILES + tile;
    const known = this.#tiles.get(key);
    if (known !== undefined) {
      this.#tiles.delete(key);
      this.#tiles.set(key, known);
      return known;
    }
    const read = band.readTile(tile);
    this.#tiles.set(key, read);
    this.#bytes += read.byteLength;
    for (const [oldest, samples] of this.#tiles) {
      if (this.#bytes <= this.#limit || oldest === key) break;
      this.#tiles.delete(oldest);
      this.#bytes -= samples.byteLength;
    }
    return read;
  }
}
