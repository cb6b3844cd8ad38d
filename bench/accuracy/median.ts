import { medianInPlace } from '../../src/numerics/median.ts';

/** Median of numbers; NaN if there are none. The numbers must not be NaN. */
export function median(values: readonly number[]): number {
  return medianInPlace(Float64Array.from(values), values.length);
}
