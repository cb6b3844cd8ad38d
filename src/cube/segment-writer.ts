import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { CubeScene, CubeSpec } from '../app/ports.ts';
import { syncFolder, writeFully } from './durable-file.ts';
import type { OpenLog } from './open-log.ts';
import { SAMPLE_BYTES } from './sample-layout.ts';
import { FRAME_BYTES } from './scene-record.ts';
import { encodeSegmentHeader, INDEX_ENTRY_BYTES, SEGMENT_HEADER_BYTES, stripCount } from './segment-file.ts';
import { compressStrip, shuffleStrip, STRIP_PIXELS } from './strip-codec.ts';

/** Samples of the open log held in memory at once while it is transposed [bytes]. */
const CHUNK_BYTES = 32 * 1024 * 1024;
/** How long the transposition may hold the event loop before it lets others run [ms]. */
const SLICE_MS = 10;

/** Lets waiting callbacks run. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Transposes scenes of the open log into a segment file, durable under its final name when the promise resolves.
 * Memory is bounded whatever the size of the cube.
 * @param indices records of the log, in the order that the segment gets
 * @param onSlice called between slices of work, to keep a lock fresh
 */
export async function writeSegment(
  path: string,
  spec: CubeSpec,
  log: OpenLog,
  indices: readonly number[],
  onSlice: () => void,
): Promise<void> {
  const temporary = `${path}.tmp`;
  const handle = await open(temporary, 'w');
  try {
    const index = Buffer.alloc(stripCount(spec) * INDEX_ENTRY_BYTES);
    let at = SEGMENT_HEADER_BYTES;
    let strip = 0;
    for await (const packed of packedStrips(spec, log, indices, onSlice)) {
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
    const scenes = indices.map((i): CubeScene => {
      const { key, timeMs, sha256 } = log.records[i]!;
      return { key, timeMs, sha256 };
    });
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
    });
    await writeFully(handle, [header], 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** All strips of the cube in order, in batches of bounded size. */
async function* packedStrips(
  spec: CubeSpec,
  log: OpenLog,
  indices: readonly number[],
  onSlice: () => void,
): AsyncGenerator<readonly Uint8Array[]> {
  const sampleBytes = SAMPLE_BYTES[spec.sampleType];
  const pixels = spec.width * spec.height;
  const frames = Math.ceil((pixels * sampleBytes) / FRAME_BYTES);
  // Frames hold whole strips: 4096 bytes are 32, 16 or 8 strips.
  const framesPerChunk = Math.max(1, Math.floor(CHUNK_BYTES / (indices.length * FRAME_BYTES)));
  let sliceEnd = performance.now() + SLICE_MS;
  const breathe = async (): Promise<void> => {
    if (performance.now() < sliceEnd) return;
    onSlice();
    await yieldToOthers();
    sliceEnd = performance.now() + SLICE_MS;
  };
  for (let first = 0; first < frames; first += framesPerChunk) {
    const last = Math.min(frames, first + framesPerChunk);
    const scenes: Uint8Array[] = [];
    for (const i of indices) {
      scenes.push(log.frames(i, first, last));
      await breathe();
    }
    const chunkPixels = scenes[0]!.byteLength / sampleBytes;
    const packed: Uint8Array[] = [];
    for (let p = 0; p < chunkPixels; p += STRIP_PIXELS) {
      const width = Math.min(STRIP_PIXELS, chunkPixels - p);
      packed.push(compressStrip(shuffleStrip(scenes, spec.sampleType, p, width)));
      await breathe();
    }
    yield packed;
  }
}
