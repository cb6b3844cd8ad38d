/**
 * Percentile of a sample by linear interpolation between order statistics; sorts the sample in place.
 * @param fraction in [0, 1]
 */
export function percentile(sample: Float64Array, fraction: number): number {
  sample.sort();
  const at = fraction * (sample.length - 1);
  const low = Math.floor(at);
  const high = Math.min(sample.length - 1, low + 1);
  return sample[low]! + (at - low) * (sample[high]! - sample[low]!);
}
