/** Powers of ten that a double holds exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
/** Up to so many digits a product's rounding is far below half a unit of the last one [1]. */
const MOST_DIGITS = 12;
/** A value so near to the middle between two roundings [1] is left to the exact way: the product may lie on its other side. */
const NEAR_MIDDLE = 0.499;

/**
 * A number rounded to so many significant digits, the double next to that decimal: to the last bit what `toPrecision` and
 * `Number` make of it, without the text between them, which costs six times as much.
 */
export function toSignificant(value: number, digits: number): number {
  const size = Math.abs(value);
  const decimals = digits - 1 - Math.floor(Math.log10(size));
  if (digits <= MOST_DIGITS && decimals >= 0 && decimals < POWERS.length) {
    const scaled = value * POWERS[decimals]!;
    const whole = Math.round(scaled);
    const magnitude = Math.abs(whole);
    if (
      magnitude >= POWERS[digits - 1]! &&
      magnitude <= POWERS[digits]! &&
      Math.abs(scaled - whole) < NEAR_MIDDLE
    )
      // Both are exact, so this is rounded once.
      return whole / POWERS[decimals]!;
  }
  return Number(value.toPrecision(digits));
}
