import { closeSync, openSync } from 'node:fs';
import { allSlots, type BandHeader, type ServedBand, tileCount } from './band-file.ts';
import { BLOCK_ARRAYS, type BlockSamples, readBlockAtOnce } from '../../formats/tiff/block.ts';
import type { LayerSource } from './layer-source.ts';
import type { TiffImage } from '../../formats/tiff/image.ts';

/** Width and height of the blocks that are served as tiles [pixels]: those of the shipped layers. */
const PACKED_EDGE = 256;

/**
 * A band served directly from a GeoTIFF whose blocks are tiles. A tile is inflated when it is read, which takes 1 ms
 * for 65,536 samples of 16 bits. Samples are the same as in a `BandFile`, but making a `BandFile` takes a second.
 */
export class PackedBand implements ServedBand {
  readonly header: BandHeader;
  readonly slots: Uint32Array;
  readonly #image: TiffImage;
  readonly #fd: number;
  readonly #first: number;
  readonly #empty: number;
  #open = true;

  private constructor(path: string, { image, grid, kind, nodata, band }: LayerSource, origin: string) {
    this.#fd = openSync(path, 'r');
    this.header = { grid, tileEdge: PACKED_EDGE, kind, nodata, origin };
    this.slots = allSlots(tileCount(grid, PACKED_EDGE));
    this.#image = image;
    this.#first = band * this.slots.length;
    this.#empty = nodata ?? 0;
  }

  /**
   * Opens a band. Returns null in two cases: its blocks are not 256 x 256 tiles, contain several bands, or are not
   * compressed with DEFLATE; or its samples would be changed in a `BandFile` (mask, alpha band, floats).
   * @param source describes the file at `path`; it may be closed afterwards
   * @throws the system's error when the file cannot be opened
   */
  static open(path: string, source: LayerSource, origin: string): PackedBand | null {
    const { image, mask, alpha, kind } = source;
    const areTiles =
      image.blockWidth === PACKED_EDGE && image.blockHeight === PACKED_EDGE && !image.interleaved;
    const isPlain = mask === null && alpha === null && !kind.startsWith('float');
    return areTiles && image.isDeflated && isPlain ? new PackedBand(path, source, origin) : null;
  }

  /** @throws InvalidInput when the file has been damaged since it was opened */
  readTile(tile: number): BlockSamples {
    // After close, the file descriptor may already belong to another file.
    if (!this.#open) throw new RangeError('the layer was closed');
    return (
      readBlockAtOnce(this.#fd, this.#image, this.#first + tile) ??
      new BLOCK_ARRAYS[this.header.kind](PACKED_EDGE * PACKED_EDGE).fill(this.#empty)
    );
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}
