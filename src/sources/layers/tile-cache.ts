import type { BlockSamples } from '../../formats/tiff/block.ts';

/** A tile in memory. */
interface Held {
  readonly samples: BlockSamples;
  /** Where it is found, to be taken out from there. */
  readonly tiles: (Held | undefined)[];
  readonly tile: number;
  /** Whether it was asked for since it last stood first in line to be dropped. */
  used: boolean;
}

/** Where tiles come from when they are not in memory. */
export interface TileSource {
  readonly tileCount: number;
  readTile(tile: number): BlockSamples;
}

/** The tiles of one source: from memory, or read. */
export interface BandTiles {
  tile(tile: number): BlockSamples;
}

/**
 * Tiles of all layers in memory, bounded by bytes. Who stands first in line to be dropped is spared once when it was asked
 * for meanwhile ("second chance"): near enough the least recently used, and a hit costs one look into a list.
 */
export class TileCache {
  /** In line to be dropped, the first first. */
  readonly #line = new Set<Held>();
  readonly #limit: number;
  #bytes = 0;

  /** @param limit [bytes] */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The tiles of a source, to be kept for as long as the source is. */
  of(source: TileSource): BandTiles {
    const tiles: (Held | undefined)[] = Array.from({ length: source.tileCount });
    return {
      tile: (tile) => {
        const known = tiles[tile];
        if (known === undefined)
          return this.#take({ samples: source.readTile(tile), tiles, tile, used: false });
        known.used = true;
        return known.samples;
      },
    };
  }

  #take(newest: Held): BlockSamples {
    newest.tiles[newest.tile] = newest;
    this.#line.add(newest);
    this.#bytes += newest.samples.byteLength;
    for (const oldest of this.#line) {
      if (this.#bytes <= this.#limit || oldest === newest) break;
      this.#line.delete(oldest);
      if (oldest.used) {
        oldest.used = false;
        this.#line.add(oldest);
      } else {
        oldest.tiles[oldest.tile] = undefined;
        this.#bytes -= oldest.samples.byteLength;
      }
    }
    return newest.samples;
  }
}
