import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { CubeScene, CubeSpec } from '../app/series/cube-store.ts';
import { SLICE_MS, yieldToEventLoop } from '../base/event-loop.ts';
import { SAMPLE_BYTES } from './sample-layout.ts';
import { FRAME_BYTES } from './scene-record.ts';
import { encodeSegmentHeader, INDEX_ENTRY_BYTES, SEGMENT_HEADER_BYTES, stripCount } from './segment-file.ts';
import { compressStrip, rawPlanesOf, shuffleStrip, STRIP_PIXELS } from './strip-codec.ts';
import { WriteFailed } from './write-failed.ts';
import { writeFully } from './write-fully.ts';

/** Size of the samples that are transposed at a time [bytes]. It limits the memory use. */
const CHUNK_BYTES = 32 * 1024 * 1024;
/** Number of strips of the first chunk that are examined to decide how many planes are compressed. */
const PROBED_STRIPS = 4;

/** Scenes to transpose, from a log or another segment. */
export interface SceneSource {
  /** The scenes in the order in which the segment stores them. */
  readonly scenes: readonly CubeScene[];
  /**
   * Reads the stored bytes of pixels `[from, to)` of these scenes. `from` must be the first pixel of a frame and of a
   * strip.
   */
  readonly chunk: (from: number, to: number) => readonly Uint8Array[];
}

/**
 * Transposes scenes into a segment file. The file is synced to disk before the promise resolves. The memory use does
 * not depend on the size of the cube.
 * @param onSlice called regularly, to keep a lock from going stale
 * @throws DamagedFile when the source is damaged, or WriteFailed
 */
export async function writeSegment(
  path: string,
  spec: CubeSpec,
  source: SceneSource,
  onSlice: () => void,
): Promise<void> {
  const handle = await open(path, 'w');
  try {
    const index = Buffer.alloc(stripCount(spec) * INDEX_ENTRY_BYTES);
    let at = SEGMENT_HEADER_BYTES;
    let strip = 0;
    const packing = { rawPlanes: -1 };
    for await (const packed of packedStrips(spec, source, packing, onSlice)) {
      for (const bytes of packed) {
        index.writeDoubleLE(at, strip * INDEX_ENTRY_BYTES);
        index.writeUInt32LE(bytes.byteLength, strip * INDEX_ENTRY_BYTES + 8);
        index.writeUInt32LE(crc32(bytes), strip * INDEX_ENTRY_BYTES + 12);
        at += bytes.byteLength;
        strip++;
      }
      const block = Buffer.concat(packed);
      await writeFully(handle, [block], at - block.byteLength);
    }
    const scenes = source.scenes.map(({ key, timeMs, sha256 }): CubeScene => ({ key, timeMs, sha256 }));
    const list = Buffer.from(JSON.stringify(scenes));
    const listAt = await writeFully(handle, [index], at);
    await writeFully(handle, [list], listAt);
    const header = encodeSegmentHeader(spec, {
      sceneCount: scenes.length,
      stripCount: strip,
      indexAt: at,
      listAt,
      listBytes: list.byteLength,
      listCrc: crc32(list),
      rawPlanes: packing.rawPlanes,
    });
    await writeFully(handle, [header], 0);
    await handle.sync();
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? new WriteFailed(path, error) : error;
  } finally {
    await handle.close();
  }
}

/** Compresses all strips in order, in batches of bounded size. Sets `packing.rawPlanes` before the first batch. */
async function* packedStrips(
  spec: CubeSpec,
  source: SceneSource,
  packing: { rawPlanes: number },
  onSlice: () => void,
): AsyncGenerator<readonly Uint8Array[]> {
  const { sampleType } = spec;
  const sampleBytes = SAMPLE_BYTES[sampleType];
  const pixels = spec.width * spec.height;
  // A frame contains 8, 4 or 2 whole strips, depending on the sample type.
  const framePixels = FRAME_BYTES / sampleBytes;
  const framesPerChunk = Math.max(1, Math.floor(CHUNK_BYTES / (source.scenes.length * FRAME_BYTES)));
  let sliceEnd = performance.now() + SLICE_MS;
  for (let from = 0; from < pixels; from += framesPerChunk * framePixels) {
    const to = Math.min(pixels, from + framesPerChunk * framePixels);
    const scenes = source.chunk(from, to);
    const shuffled = (p: number): Uint8Array =>
      shuffleStrip(scenes, sampleType, p, Math.min(STRIP_PIXELS, to - from - p));
    if (packing.rawPlanes < 0) {
      const probed: Uint8Array[] = [];
      const step = Math.max(1, Math.floor((to - from) / STRIP_PIXELS / PROBED_STRIPS)) * STRIP_PIXELS;
      for (let p = 0; p < to - from; p += step) probed.push(shuffled(p));
      packing.rawPlanes = rawPlanesOf(probed, sampleType);
    }
    const packed: Uint8Array[] = [];
    for (let p = 0; p < to - from; p += STRIP_PIXELS) {
      packed.push(compressStrip(shuffled(p), sampleType, packing.rawPlanes));
      if (performance.now() < sliceEnd) continue;
      onSlice();
      await yieldToEventLoop();
      sliceEnd = performance.now() + SLICE_MS;
    }
    yield packed;
  }
}
