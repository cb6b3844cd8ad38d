import { fstatSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { CubeScene, CubeSpec } from '../app/series/cube-store.ts';
import type { ByteCache } from './byte-cache.ts';
import { release } from '../base/release.ts';
import { DamagedFile } from './damaged-file.ts';
import { SAMPLE_BYTES, SAMPLE_CODES } from './sample-layout.ts';
import { SharedFile } from './shared-file.ts';
import { scatterStrip } from './scatter-samples.ts';
import { expandStrip, releaseStrip, STRIP_PIXELS, unshuffleScene } from './strip-codec.ts';
import type { Scatter } from './scatter-samples.ts';

/**
 * Format of a closed segment: shuffled and compressed strips (pixels by time), their index, then the list of scenes.
 *
 * Header (little-endian): 0 magic, 8 width [u32], 12 height [u32], 16 sample type [u32], 20 pixels of a strip [u32],
 * 24 scenes [u32], 28 strips [u32], 32 index at [f64], 40 list at [f64], 48 list length [u32], 52 list CRC-32 [u32],
 * 56 planes stored uncompressed [u32], 60 CRC-32 of the bytes before. Index: per strip its position [f64],
 * length [u32], CRC-32 [u32].
 */
const MAGIC = Buffer.from('GWSEGM02', 'latin1');
export const SEGMENT_HEADER_BYTES = 64;
export const INDEX_ENTRY_BYTES = 16;
/** Number of strips that a scan reads and decodes at a time: about 1 MiB of int16 samples. */
const STRIPS_PER_READ = 16;
/**
 * Maximum number of strips in a read that uses the cache. Larger reads (scans) would displace the strips of series
 * reads from the cache.
 */
const CACHED_STRIPS = 4;

/** Header of a segment. Positions and lengths are in bytes. */
interface SegmentHeader {
  readonly sceneCount: number;
  readonly stripCount: number;
  readonly indexAt: number;
  readonly listAt: number;
  readonly listBytes: number;
  readonly listCrc: number;
  /** Number of byte planes of a strip that are stored uncompressed, counted from the least significant. */
  readonly rawPlanes: number;
}

/** Number of strips of a cube. */
export function stripCount(spec: CubeSpec): number {
  return Math.ceil((spec.width * spec.height) / STRIP_PIXELS);
}

export function encodeSegmentHeader(spec: CubeSpec, header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  MAGIC.copy(bytes, 0);
  bytes.writeUInt32LE(spec.width, 8);
  bytes.writeUInt32LE(spec.height, 12);
  bytes.writeUInt32LE(SAMPLE_CODES[spec.sampleType], 16);
  bytes.writeUInt32LE(STRIP_PIXELS, 20);
  bytes.writeUInt32LE(header.sceneCount, 24);
  bytes.writeUInt32LE(header.stripCount, 28);
  bytes.writeDoubleLE(header.indexAt, 32);
  bytes.writeDoubleLE(header.listAt, 40);
  bytes.writeUInt32LE(header.listBytes, 48);
  bytes.writeUInt32LE(header.listCrc, 52);
  bytes.writeUInt32LE(header.rawPlanes, 56);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}

/** One closed segment, open for reading. */
export class SegmentFile {
  static #opened = 0;
  readonly #id = ++SegmentFile.#opened;
  readonly file: SharedFile;
  readonly name: string;
  readonly scenes: readonly CubeScene[];
  readonly #spec: CubeSpec;
  readonly #header: SegmentHeader;
  readonly #strips: ByteCache<string, Uint8Array>;

  /** @throws DamagedFile when the end of the file is missing, or the file is not a segment of this cube */
  constructor(path: string, name: string, spec: CubeSpec, strips: ByteCache<string, Uint8Array>) {
    this.name = name;
    this.#spec = spec;
    this.#strips = strips;
    this.file = new SharedFile(path);
    try {
      this.#header = this.#readHeader();
      this.scenes = this.#readScenes();
    } catch (error) {
      this.file.release();
      throw error;
    }
  }

  #readHeader(): SegmentHeader {
    const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
    this.file.read(bytes, 0);
    if (
      !MAGIC.equals(bytes.subarray(0, MAGIC.length)) ||
      crc32(bytes.subarray(0, 60)) !== bytes.readUInt32LE(60)
    ) {
      throw new DamagedFile(this.file.path, 'its header fails its checksum');
    }
    const { width, height, sampleType } = this.#spec;
    if (
      bytes.readUInt32LE(8) !== width ||
      bytes.readUInt32LE(12) !== height ||
      bytes.readUInt32LE(16) !== SAMPLE_CODES[sampleType] ||
      bytes.readUInt32LE(20) !== STRIP_PIXELS ||
      bytes.readUInt32LE(28) !== stripCount(this.#spec)
    ) {
      throw new DamagedFile(this.file.path, 'it belongs to a cube of another shape');
    }
    const header = {
      sceneCount: bytes.readUInt32LE(24),
      stripCount: bytes.readUInt32LE(28),
      indexAt: bytes.readDoubleLE(32),
      listAt: bytes.readDoubleLE(40),
      listBytes: bytes.readUInt32LE(48),
      listCrc: bytes.readUInt32LE(52),
      rawPlanes: bytes.readUInt32LE(56),
    };
    const size = fstatSync(this.file.fd).size;
    if (size !== header.listAt + header.listBytes) {
      throw new DamagedFile(
        this.file.path,
        `it has ${size} bytes where its header says ${header.listAt + header.listBytes}`,
      );
    }
    return header;
  }

  #readScenes(): readonly CubeScene[] {
    const list = Buffer.alloc(this.#header.listBytes);
    this.file.read(list, this.#header.listAt);
    if (crc32(list) !== this.#header.listCrc) {
      throw new DamagedFile(this.file.path, 'its list of scenes fails its checksum');
    }
    const scenes = JSON.parse(list.toString('utf8')) as CubeScene[];
    if (scenes.length !== this.#header.sceneCount) {
      throw new DamagedFile(
        this.file.path,
        `it lists ${scenes.length} scenes, not ${this.#header.sceneCount}`,
      );
    }
    return scenes;
  }

  get stripCount(): number {
    return this.#header.stripCount;
  }

  /** Verifies the checksums of strips `[first, last]`, both included. @throws DamagedFile */
  verify(first: number, last: number): void {
    this.#readStrips(first, last);
  }

  /** Reads the stored bytes of pixels `[from, to)` of several scenes. `from` must be the first pixel of a strip. */
  chunk(indices: readonly number[], from: number, to: number): readonly Uint8Array[] {
    const { sampleType } = this.#spec;
    const sampleBytes = SAMPLE_BYTES[sampleType];
    const out = indices.map(() => new Uint8Array((to - from) * sampleBytes));
    const last = Math.ceil(to / STRIP_PIXELS);
    for (let first = from / STRIP_PIXELS; first < last; first += STRIPS_PER_READ) {
      const strips = this.#readStrips(first, Math.min(last, first + STRIPS_PER_READ) - 1);
      for (const [s, strip] of strips.entries()) {
        const at = ((first + s) * STRIP_PIXELS - from) * sampleBytes;
        const pixels = this.#pixelsIn(first + s);
        for (const [k, scene] of indices.entries())
          unshuffleScene(strip, sampleType, pixels, scene, out[k]!, at);
      }
    }
    return out;
  }

  /** Number of pixels in a strip: 256, fewer in the last strip. */
  #pixelsIn(strip: number): number {
    return Math.min(STRIP_PIXELS, this.#spec.width * this.#spec.height - strip * STRIP_PIXELS);
  }

  /**
   * Writes pixels `[from, to)` into `scatter.out`, starting at pixel `outPixel` of the output.
   * @throws DamagedFile when a strip fails its checksum
   */
  read(from: number, to: number, scatter: Scatter, outPixel: number): void {
    const first = Math.floor(from / STRIP_PIXELS);
    const last = Math.floor((to - 1) / STRIP_PIXELS);
    const keep = last - first < CACHED_STRIPS;
    for (let batch = first; batch <= last; batch += STRIPS_PER_READ) {
      const stop = Math.min(last, batch + STRIPS_PER_READ - 1);
      const strips = this.#expanded(batch, stop, keep);
      for (let s = batch; s <= stop; s++) {
        const start = s * STRIP_PIXELS;
        const a = Math.max(from, start);
        const b = Math.min(to, start + STRIP_PIXELS);
        scatterStrip(
          strips[s - batch]!,
          this.#spec.sampleType,
          this.#pixelsIn(s),
          a - start,
          b - start,
          scatter,
          outPixel + a - from,
        );
      }
      // A search reads all strips, one after another: they would be most of its garbage.
      if (!keep) for (const strip of strips) releaseStrip(strip);
    }
  }

  #expanded(first: number, last: number, keep: boolean): readonly Uint8Array[] {
    if (keep) {
      const known: Uint8Array[] = [];
      for (let s = first; s <= last; s++) {
        const strip = this.#strips.get(`${this.#id}:${s}`);
        if (strip === undefined) break;
        known.push(strip);
      }
      if (known.length === last - first + 1) return known;
    }
    const strips = this.#readStrips(first, last);
    if (keep) {
      for (const [i, strip] of strips.entries()) {
        this.#strips.set(`${this.#id}:${first + i}`, strip, strip.byteLength);
      }
    }
    return strips;
  }

  #readStrips(first: number, last: number): readonly Uint8Array[] {
    const index = Buffer.allocUnsafe((last - first + 1) * INDEX_ENTRY_BYTES);
    this.file.read(index, this.#header.indexAt + first * INDEX_ENTRY_BYTES);
    const start = index.readDoubleLE(0);
    const lastEntry = (last - first) * INDEX_ENTRY_BYTES;
    const end = index.readDoubleLE(lastEntry) + index.readUInt32LE(lastEntry + 8);
    const limit = (last - first + 1) * STRIP_PIXELS * this.#stripBytes(1);
    // A flipped bit in the index must not cause a huge allocation or a read outside the strips.
    const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
    const inside = start >= SEGMENT_HEADER_BYTES && end >= start && end <= this.#header.indexAt;
    if (!whole || !inside || end - start > limit) {
      throw new DamagedFile(this.file.path, `its index of strips ${first} to ${last} is not plausible`);
    }
    const bytes = Buffer.allocUnsafe(end - start);
    this.file.read(bytes, start);
    const strips: Uint8Array[] = [];
    for (let s = first; s <= last; s++) {
      const entry = (s - first) * INDEX_ENTRY_BYTES;
      const at = index.readDoubleLE(entry) - start;
      const packed = bytes.subarray(at, at + index.readUInt32LE(entry + 8));
      if (crc32(packed) !== index.readUInt32LE(entry + 12)) {
        throw new DamagedFile(this.file.path, `strip ${s} fails its checksum`);
      }
      try {
        const stripBytes = this.#stripBytes(this.#pixelsIn(s));
        strips.push(expandStrip(packed, this.#spec.sampleType, this.#header.rawPlanes, stripBytes));
      } catch (error) {
        throw new DamagedFile(this.file.path, `strip ${s} cannot be decompressed`, error);
      }
    }
    if (strips.every(({ buffer }) => buffer !== bytes.buffer)) release(bytes);
    return strips;
  }

  /** Size of the samples of a number of pixels in all scenes [bytes]. */
  #stripBytes(pixels: number): number {
    return pixels * this.#header.sceneCount * SAMPLE_BYTES[this.#spec.sampleType];
  }
}
