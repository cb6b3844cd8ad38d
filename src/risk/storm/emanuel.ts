/** One-minute sustained wind below which a tropical cyclone does no damage [m/s]: 50 kn (Emanuel 2011). */
export const CYCLONE_THRESHOLD_MPS = 25.7;

/**
 * Damage ratio in [0, 1) of a building in a tropical cyclone, `v^3 / (1 + v^3)` with v = (wind - 25.7) / (half - 25.7).
 * @param windMps highest one-minute sustained wind [m/s]
 * @param halfDamageMps wind at which half of the value is lost [m/s], above 25.7; see `CYCLONE_HALF_DAMAGE_MPS`
 * @throws RangeError when the half-damage wind does not exceed the threshold
 * @see doi:10.1175/WCAS-D-11-00007.1 equations 1 and 2 (Emanuel 2011)
 */
export function cycloneDamageRatio(windMps: number, halfDamageMps: number): number {
  if (!(halfDamageMps > CYCLONE_THRESHOLD_MPS)) throw new RangeError(`half-damage wind ${halfDamageMps} m/s`);
  const v = Math.max(windMps - CYCLONE_THRESHOLD_MPS, 0) / (halfDamageMps - CYCLONE_THRESHOLD_MPS);
  const cube = v * v * v;
  return cube / (1 + cube);
}

/** Regions with their own half-damage wind (Eberenz et al. 2021). */
export type CycloneRegion =
  | 'caribbean-mexico'
  | 'usa-canada'
  | 'north-indian'
  | 'oceania'
  | 'south-indian'
  | 'south-east-asia'
  | 'philippines'
  | 'china'
  | 'north-west-pacific'
  | 'elsewhere';

/**
 * Winds at which half of the value of a building is lost [m/s], by region, in both calibrations of the same source:
 * by the total damage of all storms (TDR), and by the error of single storms (RMSF). They disagree by up to a factor
 * of 2.2, and neither is known to be right.
 * @see doi:10.5194/nhess-21-393-2021 table 2 (Eberenz et al. 2021)
 */
export const CYCLONE_HALF_DAMAGE_MPS: Readonly<
  Record<CycloneRegion, readonly [byTotalDamage: number, bySingleStorms: number]>
> = {
  'caribbean-mexico': [66.3, 59.6],
  'usa-canada': [89.2, 86],
  'north-indian': [70.8, 58.7],
  oceania: [64.1, 49.7],
  'south-indian': [52.4, 46.8],
  'south-east-asia': [66.4, 56.7],
  philippines: [188.4, 84.7],
  china: [112.8, 80.2],
  'north-west-pacific': [190.5, 135.6],
  elsewhere: [110.1, 73.4],
};
