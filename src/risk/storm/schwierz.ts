/**
 * Gust of the first published point, and distance between points [m/s].
 * @see doi:10.1007/s10584-009-9712-1 (Schwierz et al. 2010)
 */
const FIRST_GUST_MPS = 20;
const GUST_STEP_MPS = 5;
/** Share of assets affected at 20, 25, ... 60 m/s [0-1], same source. */
const AFFECTED = Float64Array.of(0, 0.001, 0.00676, 0.03921, 0.10707, 0.25357, 0.48869, 0.82907, 1);
/** Mean damage ratio of the affected assets at the same gusts [0-1], same source; constant from 60 to 100 m/s. */
const DAMAGE = Float64Array.of(
  0,
  0.001,
  0.00177515,
  0.00367253,
  0.00749977,
  0.01263556,
  0.01849639,
  0.02370487,
  0.037253,
);

/**
 * Damage ratio in [0, 0.0373] of a building in an extratropical storm: the product of two published curves, the
 * share of assets affected and their mean damage. Each is linear between points at 20, 25, ... 60 m/s and
 * constant above.
 * @param gustMps peak three-second gust [m/s]; 20 or less does no damage
 * @see doi:10.1007/s10584-009-9712-1 (Schwierz et al. 2010)
 */
export function windstormDamageRatio(gustMps: number): number {
  if (Number.isNaN(gustMps)) return Number.NaN;
  if (gustMps <= FIRST_GUST_MPS) return 0;
  const at = (gustMps - FIRST_GUST_MPS) / GUST_STEP_MPS;
  const last = AFFECTED.length - 1;
  if (at >= last) return AFFECTED[last]! * DAMAGE[last]!;
  const i = at | 0;
  const t = at - i;
  const affected = AFFECTED[i]! + t * (AFFECTED[i + 1]! - AFFECTED[i]!);
  return affected * (DAMAGE[i]! + t * (DAMAGE[i + 1]! - DAMAGE[i]!));
}

/**
 * Computes `windstormDamageRatio` for many gusts: sets `into[k]` to the damage ratio of the gust
 * `gustMps * factors[k]`. The gusts are processed in ascending order, which is fast: those without damage need one
 * comparison each, and for the others the segment of the curves changes at most eight times.
 * @param ascending indices of the factors, in ascending order of the factors
 * @returns whether any gust does damage; `into` is unchanged if none does
 */
export function windstormDamageRatios(
  gustMps: number,
  factors: Float64Array,
  ascending: Uint8Array,
  into: Float64Array,
): boolean {
  const count = factors.length;
  const last = AFFECTED.length - 1;
  const position = (k: number): number =>
    (gustMps * factors[ascending[k]!]! - FIRST_GUST_MPS) / GUST_STEP_MPS;
  if (!(position(count - 1) > 0)) return false;
  into.fill(0);
  let k = 0;
  while (!(position(k) > 0)) k++;
  for (let i = 0; i < last && k < count; i++) {
    const affected = AFFECTED[i]!;
    const moreAffected = AFFECTED[i + 1]! - affected;
    const damage = DAMAGE[i]!;
    const moreDamage = DAMAGE[i + 1]! - damage;
    for (; k < count; k++) {
      const at = position(k);
      if (at >= i + 1) break;
      const t = at - i;
      into[ascending[k]!] = (affected + t * moreAffected) * (damage + t * moreDamage);
    }
  }
  for (; k < count; k++) into[ascending[k]!] = AFFECTED[last]! * DAMAGE[last]!;
  return true;
}
