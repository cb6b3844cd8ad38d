/** Sample formats; the index in the list is the kernel's number of the format. */
const SAMPLE_KINDS = ['int16', 'float32', 'float64'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/** Missing sample of an int16 series. Float series use NaN. */
export const INT16_MISSING = -32_768;
/** Bytes of one sample. */
export const SAMPLE_BYTES: Readonly<Record<SampleKind, number>> = { int16: 2, float32: 4, float64: 8 };

/** The kernel's number of a format. */
export function kindNumber(kind: SampleKind): number {
  return SAMPLE_KINDS.indexOf(kind);
}

/** Bytes of one pixel's series. */
export function rowBytes(kind: SampleKind, times: number): number {
  return SAMPLE_BYTES[kind] * times;
}
