/** Peak gusts [m/s] of the published points. @see doi:10.1007/s10584-009-9712-1 (Schwierz et al. 2010) */
const GUSTS = [0, 20, 25, 30, 35, 40, 45, 50, 55, 60, 80, 100] as const;
/** Share of assets affected at each gust [0-1], same source. */
const AFFECTED = [0, 0, 0.001, 0.00676, 0.03921, 0.10707, 0.25357, 0.48869, 0.82907, 1, 1, 1] as const;
/** Mean damage ratio of the affected at each gust [0-1], same source. */
const DAMAGE = [
  0, 0, 0.001, 0.00177515, 0.00367253, 0.00749977, 0.01263556, 0.01849639, 0.02370487, 0.037253, 0.037253,
  0.037253,
] as const;

/**
 * Damage ratio in [0, 0.0373] of the peak gust [m/s] of an extratropical storm: the product of both published curves,
 * each linear between its points and held beyond the last.
 * @see doi:10.1007/s10584-009-9712-1 (Schwierz et al. 2010)
 */
export function windstormDamageRatio(gustMps: number): number {
  const last = GUSTS.length - 1;
  if (gustMps >= GUSTS[last]!) return AFFECTED[last]! * DAMAGE[last]!;
  if (!(gustMps > GUSTS[1])) return 0;
  let i = 1;
  while (gustMps >= GUSTS[i + 1]!) i++;
  const t = (gustMps - GUSTS[i]!) / (GUSTS[i + 1]! - GUSTS[i]!);
  const affected = AFFECTED[i]! + t * (AFFECTED[i + 1]! - AFFECTED[i]!);
  return affected * (DAMAGE[i]! + t * (DAMAGE[i + 1]! - DAMAGE[i]!));
}
