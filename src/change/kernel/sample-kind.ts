/** Sample formats. The kernel identifies a format by its index in this list. */
const SAMPLE_KINDS = ['int16', 'float32', 'float64'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/** Value of a missing sample in an int16 series. Float series use NaN. */
export const INT16_MISSING = -32_768;
/** Size of a sample [bytes]. */
export const SAMPLE_BYTES: Readonly<Record<SampleKind, number>> = { int16: 2, float32: 4, float64: 8 };

/** Returns the number by which the kernel identifies a format. */
export function kindNumber(kind: SampleKind): number {
  return SAMPLE_KINDS.indexOf(kind);
}

/** Returns the size of the series of one pixel [bytes]. */
export function rowBytes(kind: SampleKind, times: number): number {
  return SAMPLE_BYTES[kind] * times;
}
