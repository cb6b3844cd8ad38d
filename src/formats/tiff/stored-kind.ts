/** Type of a sample in memory. */
export type SampleKind = 'uint8' | 'int8' | 'uint16' | 'int16' | 'uint32' | 'int32' | 'float32' | 'float64';

/** Type of a sample in a file: a type of samples in memory, or a type for which there is no typed array. */
export type StoredKind = SampleKind | 'uint1' | 'uint2' | 'uint4' | 'float16' | 'int64' | 'uint64';

/**
 * Number of bits of a sample in a file, and the type of the sample in memory. Integers of 64 bits are exact up to
 * 2^53.
 */
export const STORED_KINDS: Readonly<
  Record<StoredKind, { readonly bits: number; readonly kind: SampleKind }>
> = {
  uint1: { bits: 1, kind: 'uint8' },
  uint2: { bits: 2, kind: 'uint8' },
  uint4: { bits: 4, kind: 'uint8' },
  uint8: { bits: 8, kind: 'uint8' },
  int8: { bits: 8, kind: 'int8' },
  uint16: { bits: 16, kind: 'uint16' },
  int16: { bits: 16, kind: 'int16' },
  uint32: { bits: 32, kind: 'uint32' },
  int32: { bits: 32, kind: 'int32' },
  uint64: { bits: 64, kind: 'float64' },
  int64: { bits: 64, kind: 'float64' },
  float16: { bits: 16, kind: 'float32' },
  float32: { bits: 32, kind: 'float32' },
  float64: { bits: 64, kind: 'float64' },
};

/** Number of bytes of a row of samples. A row starts at a whole byte (TIFF 6.0, section 3). */
export function rowBytes(stored: StoredKind, samples: number): number {
  return Math.ceil((samples * STORED_KINDS[stored].bits) / 8);
}

/**
 * Converts rows of samples to their type in memory, for the types of samples that have no typed array.
 * @param bytes whole rows in the byte order of this machine
 */
export function widen(
  bytes: Uint8Array,
  stored: StoredKind,
  rowSamples: number,
): Uint8Array | Float32Array | Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (stored === 'float16')
    return Float32Array.from({ length: bytes.byteLength >> 1 }, (_, i) => half(view.getUint16(2 * i, true)));
  if (stored === 'int64' || stored === 'uint64') {
    const high = (at: number): number =>
      stored === 'int64' ? view.getInt32(at, true) : view.getUint32(at, true);
    return Float64Array.from(
      { length: bytes.byteLength >> 3 },
      (_, i) => high(8 * i + 4) * 2 ** 32 + view.getUint32(8 * i, true),
    );
  }
  const { bits } = STORED_KINDS[stored];
  const width = rowBytes(stored, rowSamples);
  const rows = bytes.byteLength / width;
  const samples = new Uint8Array(rows * rowSamples);
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < rowSamples; i++) {
      // The first sample of a byte is in its highest bits.
      const shift = 8 - bits - ((i * bits) & 7);
      const byte = bytes[row * width + ((i * bits) >> 3)]!;
      samples[row * rowSamples + i] = (byte >> shift) & (2 ** bits - 1);
    }
  return samples;
}

/** Decodes a half-precision float (IEEE 754 binary16). */
function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size =
    exponent === 31
      ? fraction === 0
        ? Infinity
        : NaN
      : exponent === 0
        ? fraction * 2 ** -24
        : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits >> 15 === 1 ? -size : size;
}
