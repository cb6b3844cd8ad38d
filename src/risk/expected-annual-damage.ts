/**
 * Expected annual damage ratio [1/yr]: the area under the curve of damage ratio against annual exceedance
 * probability p = 1/T by the trapezium rule, `sum 1/2 (D_i + D_i+1)(p_i - p_i+1) + D_n p_n`. Events more frequent
 * than the first return period cause no damage. Events rarer than the last cause the damage of the last return
 * period.
 *
 * @param returnPeriodsYears ascending, each at least 1
 * @param damageRatios one per return period, in [0, 1]
 * @throws RangeError when the lengths differ or the return periods do not ascend
 */
export function expectedAnnualDamage(
  returnPeriodsYears: ArrayLike<number>,
  damageRatios: ArrayLike<number>,
): number {
  const n = returnPeriodsYears.length;
  if (n === 0 || damageRatios.length !== n)
    throw new RangeError('one damage ratio per return period expected');
  let sum = 0;
  for (let i = 0; i + 1 < n; i++) {
    const p = 1 / returnPeriodsYears[i]!;
    const next = 1 / returnPeriodsYears[i + 1]!;
    if (!(p > next)) throw new RangeError('return periods must ascend');
    sum += 0.5 * (damageRatios[i]! + damageRatios[i + 1]!) * (p - next);
  }
  return sum + damageRatios[n - 1]! / returnPeriodsYears[n - 1]!;
}

/**
 * Returns weights w such that `sum w_i D_i` equals `expectedAnnualDamage`, which is linear in the damage ratios.
 */
export function annualDamageWeights(returnPeriodsYears: readonly number[]): Float64Array {
  const unit = new Float64Array(returnPeriodsYears.length);
  return Float64Array.from(returnPeriodsYears, (_, i) => {
    unit.fill(0);
    unit[i] = 1;
    return expectedAnnualDamage(returnPeriodsYears, unit);
  });
}
