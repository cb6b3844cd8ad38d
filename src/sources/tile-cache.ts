import type { BandFile } from './band-file.ts';
import type { BlockSamples } from './tiff-block.ts';

/** Tiles per band at most; a number of the band and one of the tile make one key. */
const TILES = 2 ** 32;

/** A tile in memory. */
interface Held {
  readonly samples: BlockSamples;
  /** Whether it was asked for since it last stood first in line to be dropped. */
  used: boolean;
}

/**
 * Tiles of all layers in memory, bounded by bytes. Who stands first in line to be dropped is spared once when it was asked
 * for meanwhile ("second chance"): near enough the least recently used, and a hit costs one look-up.
 */
export class TileCache {
  readonly #tiles = new Map<number, Held>();
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
      known.used = true;
      return known.samples;
    }
    const samples = band.readTile(tile);
    this.#bytes += samples.byteLength;
    this.#tiles.set(key, { samples, used: false });
    this.#drop(key);
    return samples;
  }

  #drop(newest: number): void {
    for (const [oldest, held] of this.#tiles) {
      if (this.#bytes <= this.#limit || oldest === newest) return;
      this.#tiles.delete(oldest);
      if (held.used) {
        held.used = false;
        this.#tiles.set(oldest, held);
      } else this.#bytes -= held.samples.byteLength;
    }
  }
}
