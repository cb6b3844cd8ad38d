/**
 * What one pixel of one scene shows, as its quality band says. The order is that of precedence: of several flags the
 * first one stands.
 */
export const VIEWS = ['fill', 'saturated', 'cloud', 'shadow', 'snow', 'water', 'clear'] as const;

/** One of VIEWS. Only `water` and `clear` are observations of the ground. */
export type View = (typeof VIEWS)[number];

/** How a provider's quality band says what a pixel shows. */
export interface QualityEncoding {
  /** What it is, for help and errors. */
  readonly meaning: string;
  /** Where the provider documents it. */
  readonly source: string;
  /** Bits of a value: 8 or 16. Values beyond are damage and read as `fill`. */
  readonly bits: 8 | 16;
  /** View of one raw value in [0, 2^bits). */
  readonly view: (value: number) => View;
}

/** `length` bits of a value from bit `first` (the least significant is 0). */
export function bitField(value: number, first: number, length = 1): number {
  return (value >>> first) & ((1 << length) - 1);
}
