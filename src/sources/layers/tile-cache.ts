import type { BlockSamples } from '../../formats/tiff/block.ts';

/** A tile in memory. */
interface Held {
  readonly samples: BlockSamples;
  /** The source's tiles in memory by slot, from which this tile is removed when it leaves the cache. */
  readonly tiles: (Held | undefined)[];
  readonly slot: number;
  /** Whether the tile was read since it was last considered for removal. */
  used: boolean;
}

/** Reads tiles that are not in memory. */
export interface TileSource {
  /** For each tile a number below the number of tiles; tiles with the same number are equal and are kept once. */
  readonly slots: Uint32Array;
  readTile(tile: number): BlockSamples;
}

/** Tiles of one source: from memory, or read from the source if they are not in memory. */
export interface BandTiles {
  tile(tile: number): BlockSamples;
}

/**
 * Caches tiles of all layers up to a number of bytes. Removal is "second chance": the oldest tile is kept for one
 * more round if it was read since the previous round. This approximates least recently used, and a hit costs one
 * array access.
 */
export class TileCache {
  /** Tiles in order of removal. */
  readonly #line = new Set<Held>();
  readonly #limit: number;
  #bytes = 0;

  /** @param limit maximum size of all tiles in the cache [bytes] */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Returns the tiles of a source. Call it once per source and keep the result, which refers to the tiles in memory.
   */
  of(source: TileSource): BandTiles {
    const { slots } = source;
    const tiles: (Held | undefined)[] = Array.from({ length: slots.length });
    return {
      tile: (tile) => {
        const slot = slots[tile]!;
        const known = tiles[slot];
        if (known === undefined)
          return this.#take({ samples: source.readTile(tile), tiles, slot, used: false });
        known.used = true;
        return known.samples;
      },
    };
  }

  #take(newest: Held): BlockSamples {
    newest.tiles[newest.slot] = newest;
    this.#line.add(newest);
    this.#bytes += newest.samples.byteLength;
    for (const oldest of this.#line) {
      if (this.#bytes <= this.#limit || oldest === newest) break;
      this.#line.delete(oldest);
      if (oldest.used) {
        oldest.used = false;
        this.#line.add(oldest);
      } else {
        oldest.tiles[oldest.slot] = undefined;
        this.#bytes -= oldest.samples.byteLength;
      }
    }
    return newest.samples;
  }
}
