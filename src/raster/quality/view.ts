/**
 * What one pixel of one scene shows according to its quality band. The order is the precedence: if several flags are
 * set, the first of these views applies.
 */
export const VIEWS = ['fill', 'saturated', 'cloud', 'shadow', 'snow', 'water', 'clear'] as const;

/** One of VIEWS. Only `water` and `clear` are observations of the ground. */
export type View = (typeof VIEWS)[number];

/** Encoding of a provider's quality band. */
export interface QualityEncoding {
  /** Description of the band, for help and error messages. */
  readonly meaning: string;
  /** Document in which the provider defines the band. */
  readonly source: string;
  /** Number of bits of a value. Larger values are invalid and count as `fill`. */
  readonly bits: 8 | 16;
  /** View of one raw value in [0, 2^bits). */
  readonly view: (value: number) => View;
}

/** Extracts `length` bits of a value, starting at bit `first` (bit 0 is the least significant). */
export function bitField(value: number, first: number, length = 1): number {
  return (value >>> first) & ((1 << length) - 1);
}
