/**
 * Annual rate [1/yr] at which Poisson events exceed the level that a yearly maximum exceeds with probability 1/T:
 * `-ln(1 - 1/T)`.
 * @throws RangeError for a return period of 1 or less
 */
export function rateOfReturnPeriod(returnPeriodYears: number): number {
  if (!(returnPeriodYears > 1)) throw new RangeError(`return period ${returnPeriodYears}, above 1 expected`);
  return -Math.log1p(-1 / returnPeriodYears);
}

/**
 * Level that is exceeded at the given rate, interpolated linearly in the logarithm of the rate. If `rate` is above
 * the rate of the lowest level, the result is 0. If `rate` is below all positive rates in `rates`, the result is
 * the highest level with a positive rate: levels are never extrapolated.
 * @param levels ascending
 * @param rates rate at which each level is exceeded [1/yr], never increasing
 */
export function levelOfRate(levels: ArrayLike<number>, rates: ArrayLike<number>, rate: number): number {
  if (!(rates[0]! >= rate)) return 0;
  for (let i = 1; i < levels.length; i++) {
    if (rates[i]! >= rate) continue;
    if (rates[i]! <= 0) return levels[i - 1]!;
    const t = Math.log(rates[i - 1]! / rate) / Math.log(rates[i - 1]! / rates[i]!);
    return levels[i - 1]! + t * (levels[i]! - levels[i - 1]!);
  }
  return levels[levels.length - 1]!;
}

/**
 * Rate [1/yr] at which `level` is exceeded, interpolated linearly in the logarithm of the rate between return
 * levels. If `level` is below the lowest positive return level, the result is the rate of that return level; if
 * it is above the highest return level, the result is 0.
 * @param levels return levels, ascending; 0 for return periods in which the hazard does not occur
 * @param rates rate of each return level, decreasing
 */
export function rateOfLevel(levels: ArrayLike<number>, rates: ArrayLike<number>, level: number): number {
  const n = levels.length;
  let first = 0;
  while (first < n && !(levels[first]! > 0)) first++;
  if (first === n || level > levels[n - 1]!) return 0;
  if (level <= levels[first]!) return rates[first]!;
  for (let i = first + 1; i < n; i++) {
    if (level > levels[i]!) continue;
    const span = levels[i]! - levels[i - 1]!;
    const t = span > 0 ? (level - levels[i - 1]!) / span : 1;
    return rates[i - 1]! * (rates[i]! / rates[i - 1]!) ** t;
  }
  return 0;
}
