/**
 * What one pixel of one scene shows according to its quality band. The order is the precedence: if several flags are
 * set, the first of these views applies.
 */
export const VIEWS = ['fill', 'saturated', 'cloud', 'shadow', 'snow', 'water', 'clear'] as const;

/** One of VIEWS. Only `water` and `clear` are observations of the ground. */
export type View = (typeof VIEWS)[number];

/**
 * A test of a raw quality value. It holds if the `width` bits from `bit` on (bit 0 is the least significant), read as a
 * number, lie in `[from, to]`.
 */
export interface MaskTest {
  readonly bit: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

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
  /**
   * The same as data, for provenance: a value is masked, so that it is no observation of the ground, if any of these
   * tests holds or the value is outside the encoding.
   */
  readonly masked: readonly MaskTest[];
}

/** The test that a field of a quality value lies in `[from, to]`; `to` is `from` if it is left out. */
export function field(bit: number, width: number, from: number, to = from): MaskTest {
  return { bit, width, from, to };
}

/** The tests that these bits are set. */
export function setBits(...bits: readonly number[]): readonly MaskTest[] {
  return bits.map((bit) => field(bit, 1, 1));
}

/** Extracts `length` bits of a value, starting at bit `first` (bit 0 is the least significant). */
export function bitField(value: number, first: number, length = 1): number {
  return (value >>> first) & ((1 << length) - 1);
}
