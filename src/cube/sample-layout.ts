import { endianness } from 'node:os';
import type { CubeSpec, SampleType, Samples } from '../app/ports.ts';

/** Missing sample of an int16 cube; float cubes use NaN. */
export const INT16_MISSING = -32768;

/** Bytes of one stored sample. */
export const SAMPLE_BYTES: Readonly<Record<SampleType, number>> = { int16: 2, float32: 4, float64: 8 };

/** Codes of the sample types in the binary files; never renumber. */
export const SAMPLE_CODES: Readonly<Record<SampleType, number>> = { int16: 1, float32: 2, float64: 3 };

/** Edge limit of a cube [pixels]: keeps every byte count below 2^53. */
const MAX_EDGE = 1_000_000;

/** @throws RangeError when the shape is not one that a cube can have */
export function checkSpec(spec: CubeSpec): void {
  for (const [name, value] of [
    ['width', spec.width],
    ['height', spec.height],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < 1 || value > MAX_EDGE) {
      throw new RangeError(`cube ${name} must be an integer from 1 to ${MAX_EDGE}, got ${value}`);
    }
  }
  if (!Object.hasOwn(SAMPLE_CODES, spec.sampleType)) {
    throw new RangeError(`unknown cube sample type '${spec.sampleType}'`);
  }
}

/** Bytes of one whole scene of the cube. */
export function sceneBytes(spec: CubeSpec): number {
  return spec.width * spec.height * SAMPLE_BYTES[spec.sampleType];
}

function typeOf(samples: Samples): SampleType {
  if (samples instanceof Int16Array) return 'int16';
  return samples instanceof Float32Array ? 'float32' : 'float64';
}

/**
 * The bytes that stand for a scene: little-endian, every NaN the one quiet NaN, so that equal scenes have equal digests.
 * @throws RangeError when type or length do not fit the cube
 */
export function storedBytes(spec: CubeSpec, samples: Samples): Uint8Array {
  if (endianness() !== 'LE') throw new RangeError('the cube needs a little-endian processor');
  const type = typeOf(samples);
  if (type !== spec.sampleType) {
    throw new RangeError(`the cube stores ${spec.sampleType} samples, got ${type}`);
  }
  if (samples.length !== spec.width * spec.height) {
    throw new RangeError(
      `a scene of this cube has ${spec.width} x ${spec.height} = ${spec.width * spec.height} samples, got ${samples.length}`,
    );
  }
  if (samples instanceof Int16Array) {
    return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  }
  const copy = samples.slice();
  for (let i = 0; i < copy.length; i++) {
    const value = copy[i]!;
    if (value !== value) copy[i] = Number.NaN;
  }
  return new Uint8Array(copy.buffer, copy.byteOffset, copy.byteLength);
}
