/**
 * What one pixel of one scene shows according to its quality band, in order of precedence: of several flags the
 * first one counts.
 */
export const VIEWS = ['fill', 'saturated', 'cloud', 'shadow', 'snow', 'water', 'clear'] as const;

/** One of VIEWS. Only `water` and `clear` are observations of the ground. */
export type View = (typeof VIEWS)[number];

/** Encoding of a provider's quality band. */
export interface QualityEncoding {
  /** Description of the band, for help and error messages. */
  readonly meaning: string;
  /** Where the provider documents it. */
  readonly source: string;
  /** Bits of a value. Values beyond this range are invalid and count as `fill`. */
  readonly bits: 8 | 16;
  /** View of one raw value in [0, 2^bits). */
  readonly view: (value: number) => View;
}

/** `length` bits of a value from bit `first` (the least significant is 0). */
export function bitField(value: number, first: number, length = 1): number {
  return (value >>> first) & ((1 << length) - 1);
}
