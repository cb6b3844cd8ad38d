import { release } from '../../base/release.ts';
import type { PixelSet } from '../../raster/pixel-set.ts';
import type { Samples } from '../series/cube-store.ts';

/** Samples of a band, missing where nothing clear was observed, and the pixels that show snow where a mask tells them. */
export interface ClearBand {
  readonly samples: Samples;
  readonly snow: PixelSet | undefined;
}

/** Size of the bands that were checked ahead and are kept until they are written [bytes]; the others are read twice. */
const MOST_KEPT = 64 * 2 ** 20;

/**
 * Bands that were checked ahead, and are kept so that they are not read twice. They are in one piece of memory, which the
 * system takes back when it is freed; that of many bands would stay with the process, and a search follows the ingest.
 */
export class KeptBands {
  readonly #samples: number;
  readonly #bands = new Map<number, ClearBand>();
  #room: ArrayBuffer | undefined;
  #end = 0;

  /** @param samples number of samples of all bands together */
  constructor(samples: number) {
    this.#samples = samples;
  }

  /** Keeps a band, if there is room. Its samples are copied, and their own memory is released. */
  keep(band: number, { samples, snow }: ClearBand): void {
    const { length, byteLength, BYTES_PER_ELEMENT } = samples;
    this.#room ??= new ArrayBuffer(Math.min(MOST_KEPT, this.#samples * BYTES_PER_ELEMENT));
    if (this.#end + byteLength <= this.#room.byteLength) {
      const Kind = samples.constructor as new (room: ArrayBuffer, at: number, length: number) => Samples;
      const copy = new Kind(this.#room, this.#end, length);
      copy.set(samples);
      this.#bands.set(band, { samples: copy, snow });
      this.#end += byteLength;
    }
    release(samples);
  }

  /** The band, if it was kept. It is valid until `free`. */
  get(band: number): ClearBand | undefined {
    return this.#bands.get(band);
  }

  /** Frees the memory of all bands at once, not when the garbage collector finds it. */
  free(): void {
    this.#bands.clear();
    this.#room?.transfer(0);
    this.#room = undefined;
  }
}
