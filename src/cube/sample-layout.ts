import { endianness } from 'node:os';
import type { CubeSpec, SampleType, Samples } from '../app/series/cube-store.ts';

/** Value of a missing sample in an int16 cube. Float cubes use NaN. */
export const INT16_MISSING = -32768;

/** Size of one stored sample [bytes]. */
export const SAMPLE_BYTES: Readonly<Record<SampleType, number>> = { int16: 2, float32: 4, float64: 8 };

/** Codes of the sample types in binary files. They must never change. */
export const SAMPLE_CODES: Readonly<Record<SampleType, number>> = { int16: 1, float32: 2, float64: 3 };

/** Maximum width or height of a cube [pixels], so that every byte count stays below 2^53. */
const MAX_EDGE = 1_000_000;

/** @throws RangeError when the width, height or sample type is invalid */
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

/** Size of one whole scene of the cube [bytes]. */
export function sceneBytes(spec: CubeSpec): number {
  return spec.width * spec.height * SAMPLE_BYTES[spec.sampleType];
}

function typeOf(samples: Samples): SampleType {
  if (samples instanceof Int16Array) return 'int16';
  return samples instanceof Float32Array ? 'float32' : 'float64';
}

/** Bit pattern in which every NaN is stored (IEEE 754). For float64, the value is the high word; the low word is 0. */
const QUIET_NAN = { float32: 0x7fc00000, float64: 0x7ff80000 } as const;
/** Bit pattern of infinity (float64: its high word). Without the sign bit, every greater bit pattern is a NaN. */
const INFINITE = { float32: 0x7f800000, float64: 0x7ff00000 } as const;

/**
 * Returns the stored bytes of a scene: little-endian, with one bit pattern for every NaN, so that equal scenes have
 * equal digests. The result is a copy if a NaN must be replaced. Otherwise it shares the memory of `samples`.
 * @throws RangeError when the type or number of the samples does not match the cube
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
  let stored = samples;
  if (type !== 'int16' && hasOddNaN(samples, type)) {
    stored = samples.slice();
    for (let i = 0; i < stored.length; i++) if (Number.isNaN(stored[i])) stored[i] = Number.NaN;
  }
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
}

/** Whether any sample is a NaN whose bit pattern differs from `QUIET_NAN`. */
function hasOddNaN(samples: Samples, type: 'float32' | 'float64'): boolean {
  const words = new Uint32Array(samples.buffer, samples.byteOffset, samples.byteLength / 4);
  const step = type === 'float32' ? 1 : 2;
  for (let high = step - 1; high < words.length; high += step) {
    const word = words[high]!;
    if ((word & 0x7fffffff) < INFINITE[type]) continue;
    const low = step === 1 ? 0 : words[high - 1]!;
    const infinite = (word & 0x7fffffff) === INFINITE[type] && low === 0;
    if (!infinite && (word !== QUIET_NAN[type] || low !== 0)) return true;
  }
  return false;
}
