import { createHash } from 'node:crypto';
import { yieldToEventLoop } from '../base/event-loop.ts';
import { frameSums, FRAME_BYTES, frameCount } from './scene-record.ts';

/**
 * Number of bytes that are processed before the event loop may run other work. A digest and checksums of this size take
 * 1.5 ms. Must be a whole number of frames.
 */
const PIECE_BYTES = 1024 * 1024;

/** SHA-256 of a scene's stored bytes, in hex. Yields to the event loop between pieces. */
export async function sceneDigest(payload: Uint8Array): Promise<string> {
  const digest = createHash('sha256');
  for (let at = 0; at < payload.byteLength; at += PIECE_BYTES) {
    if (at > 0) await yieldToEventLoop();
    digest.update(payload.subarray(at, at + PIECE_BYTES));
  }
  return digest.digest('hex');
}

/** CRC-32 of every frame of a scene, as stored in a log record. Yields to the event loop between pieces. */
export async function sceneSums(payload: Uint8Array): Promise<Uint8Array> {
  const sums = new Uint32Array(frameCount(payload.byteLength));
  for (let at = 0; at < payload.byteLength; at += PIECE_BYTES) {
    if (at > 0) await yieldToEventLoop();
    sums.set(frameSums(payload.subarray(at, at + PIECE_BYTES)), at / FRAME_BYTES);
  }
  return new Uint8Array(sums.buffer);
}
