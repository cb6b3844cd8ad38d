/** Type of a sample in memory. */
export type SampleKind = 'uint8' | 'int8' | 'uint16' | 'int16' | 'uint32' | 'int32' | 'float32' | 'float64';

/** Numbers of bits of unsigned integers that fill no whole byte, such as the 12 of a sensor (GDAL's NBITS). */
type OddBits = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 9 | 10 | 11 | 12 | 13 | 14 | 15;

/** Type of a sample in a file: a type of samples in memory, or a type for which there is no typed array. */
export type StoredKind = SampleKind | `uint${OddBits}` | 'float16' | 'int64' | 'uint64';

/** What the types in STORED_KINDS are, for messages. */
export const STORED_KINDS_IN_WORDS =
  'unsigned integers of 1 to 16, 32 or 64 bits, signed ones of 8, 16, 32 or 64, floats of 16, 32 or 64';

/**
 * Number of bits of a sample in a file, and the type of the sample in memory. Integers of 64 bits are exact up to
 * 2^53.
 */
export const STORED_KINDS: Readonly<
  Record<StoredKind, { readonly bits: number; readonly kind: SampleKind }>
> = {
  uint1: { bits: 1, kind: 'uint8' },
  uint2: { bits: 2, kind: 'uint8' },
  uint3: { bits: 3, kind: 'uint8' },
  uint4: { bits: 4, kind: 'uint8' },
  uint5: { bits: 5, kind: 'uint8' },
  uint6: { bits: 6, kind: 'uint8' },
  uint7: { bits: 7, kind: 'uint8' },
  uint8: { bits: 8, kind: 'uint8' },
  int8: { bits: 8, kind: 'int8' },
  uint9: { bits: 9, kind: 'uint16' },
  uint10: { bits: 10, kind: 'uint16' },
  uint11: { bits: 11, kind: 'uint16' },
  uint12: { bits: 12, kind: 'uint16' },
  uint13: { bits: 13, kind: 'uint16' },
  uint14: { bits: 14, kind: 'uint16' },
  uint15: { bits: 15, kind: 'uint16' },
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

/** Number of bytes of a sample, which are swapped for the other byte order; 1 where samples share bytes. */
export function sampleBytes(stored: StoredKind): number {
  const { bits } = STORED_KINDS[stored];
  return bits % 8 === 0 ? bits / 8 : 1;
}

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
): Uint8Array | Uint16Array | Float32Array | Float64Array {
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
  const samples = new (bits > 8 ? Uint16Array : Uint8Array)(rows * rowSamples);
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < rowSamples; i++) {
      // The first sample of a byte is in its highest bits, whatever the byte order. A sample reaches into three bytes.
      const at = row * width + ((i * bits) >> 3);
      const three = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
      samples[row * rowSamples + i] = (three >> (24 - bits - ((i * bits) & 7))) & (2 ** bits - 1);
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
