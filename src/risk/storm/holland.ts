/** Density of air at the sea surface in the wind-pressure relation [kg/m3] (Holland 2008). */
const AIR_DENSITY = 1.15;

/** Radius [km] at which the outer profile reaches 17 m/s (docs/methods/storm.md). */
const OUTER_RADIUS_KM = 300;
/** Wind [m/s] at the outer radius: gale force, 34 kn. */
const OUTER_WIND_MPS = 17;
/**
 * Exponent x of the profile inside the radius of maximum wind, and lower bound of x outside this radius [1].
 * @see doi:10.1175/2010MWR3119.1
 */
const INNER_EXPONENT = 0.5;
const EXPONENT_FLOOR = 0.4;

const B_MIN = 1; // lower bound of Holland's b (Holland 1980; 2008)
const B_MAX = 2.5; // upper bound, same sources

/**
 * Holland's b [1], the steepness of the wind profile, from the surface pressure drop and its rate of change;
 * clipped to [1, 2.5].
 * @param pressureDropHPa environmental minus central pressure, positive
 * @param dropChangeHPaPerHour increase of the pressure drop per hour, negative when the storm weakens
 * @param latitude decimal degrees
 * @param translationMps forward speed of the storm
 * @see doi:10.1175/2008MWR2395.1 equation 11 (Holland 2008)
 */
export function hollandB(
  pressureDropHPa: number,
  dropChangeHPaPerHour: number,
  latitude: number,
  translationMps: number,
): number {
  const x = 0.6 * (1 - pressureDropHPa / 215);
  const b =
    -4.4e-5 * pressureDropHPa ** 2 +
    0.01 * pressureDropHPa +
    0.03 * dropChangeHPaPerHour -
    0.014 * Math.abs(latitude) +
    0.15 * Math.max(0, translationMps) ** x +
    1;
  return Math.min(B_MAX, Math.max(B_MIN, b));
}

/**
 * Holland's b [1] from the observed maximum wind, `vmax^2 rho e / dp`, before clipping.
 * @see doi:10.1175/2008MWR2395.1 equation 7
 */
export function hollandBFromMaxWindUnclipped(
  pressureDropHPa: number,
  maxWindMps: number,
  airDensity: number = AIR_DENSITY,
): number {
  return (maxWindMps ** 2 * airDensity * Math.E) / (pressureDropHPa * 100); // 100 Pa per hPa
}

/**
 * Holland's b [1] from the observed maximum wind, clipped to [1, 2.5].
 * @param pressureDropHPa environmental minus central pressure, positive
 * @param maxWindMps one-minute sustained wind at the radius of maximum wind, without translation
 * @param airDensity at the surface [kg/m3]
 * @see doi:10.1175/2008MWR2395.1 equation 7 (Holland 2008)
 */
export function hollandBFromMaxWind(
  pressureDropHPa: number,
  maxWindMps: number,
  airDensity: number = AIR_DENSITY,
): number {
  return Math.min(
    B_MAX,
    Math.max(B_MIN, hollandBFromMaxWindUnclipped(pressureDropHPa, maxWindMps, airDensity)),
  );
}

/**
 * Maximum sustained wind [m/s] for a pressure drop: `sqrt(b dp / (rho e))`.
 * @param pressureDropHPa environmental minus central pressure, positive
 * @param b Holland's b [1]
 * @param airDensity at the surface [kg/m3]
 * @see doi:10.1175/2008MWR2395.1 equation 7 (Holland 2008)
 */
export function hollandMaxWind(pressureDropHPa: number, b: number, airDensity: number = AIR_DENSITY): number {
  return Math.sqrt((b * pressureDropHPa * 100) / (airDensity * Math.E)); // 100 Pa per hPa
}

/**
 * Wind [m/s] at a distance from the centre, without translation: `vmax [(R/r)^b exp(1 - (R/r)^b)]^x`. The
 * exponent x is 0.5 inside R. Outside R it changes linearly with r so that the wind is 17 m/s at 300 km, but
 * stays within [0.4, 0.5]. The wind is 0 at the centre itself.
 * @param radiusKm r, distance from the centre
 * @param maxWindRadiusKm R, radius of maximum wind, below 300 km
 * @param maxWindMps wind at the radius of maximum wind
 * @param b Holland's b [1]
 * @see doi:10.1175/2010MWR3119.1 equations 6 to 10 (Holland, Belanger & Fritz 2010)
 */
export function hollandWind(
  radiusKm: number,
  maxWindRadiusKm: number,
  maxWindMps: number,
  b: number,
): number {
  if (radiusKm <= 0 || maxWindMps <= 0) return 0;
  const x =
    radiusKm <= maxWindRadiusKm ? INNER_EXPONENT : outerExponent(radiusKm, maxWindRadiusKm, maxWindMps, b);
  return maxWindMps * profile(radiusKm, maxWindRadiusKm, b) ** x;
}

function profile(radiusKm: number, maxWindRadiusKm: number, b: number): number {
  const ratio = (maxWindRadiusKm / radiusKm) ** b;
  return ratio * Math.exp(1 - ratio);
}

function outerExponent(radiusKm: number, maxWindRadiusKm: number, maxWindMps: number, b: number): number {
  if (maxWindMps <= OUTER_WIND_MPS || maxWindRadiusKm >= OUTER_RADIUS_KM) return INNER_EXPONENT;
  const atOuter =
    Math.log(OUTER_WIND_MPS / maxWindMps) / Math.log(profile(OUTER_RADIUS_KM, maxWindRadiusKm, b));
  const share = (radiusKm - maxWindRadiusKm) / (OUTER_RADIUS_KM - maxWindRadiusKm);
  const x = INNER_EXPONENT + share * (atOuter - INNER_EXPONENT);
  return Math.min(INNER_EXPONENT, Math.max(EXPONENT_FLOOR, x));
}

/**
 * Central pressures [hPa] and the mean radii of maximum wind for them [nautical miles] (methods.md, best-track
 * fit).
 */
const PRESSURES_HPA = [872, 940, 980, 1021] as const;
const RADII_NMI = [14.9073, 15.7269, 25.7421, 56.8565] as const;
const KM_PER_NMI = 1.852; // international nautical mile

/**
 * Radius of maximum wind [km] for a central pressure [hPa]: linear between fitted points from 872 to 1021 hPa,
 * constant beyond these pressures.
 */
export function maxWindRadiusKm(centralPressureHPa: number): number {
  const last = PRESSURES_HPA.length - 1;
  if (centralPressureHPa <= PRESSURES_HPA[0]) return RADII_NMI[0] * KM_PER_NMI;
  for (let i = 0; i < last; i++) {
    const to = PRESSURES_HPA[i + 1]!;
    if (centralPressureHPa > to) continue;
    const t = (centralPressureHPa - PRESSURES_HPA[i]!) / (to - PRESSURES_HPA[i]!);
    return (RADII_NMI[i]! + t * (RADII_NMI[i + 1]! - RADII_NMI[i]!)) * KM_PER_NMI;
  }
  return RADII_NMI[last]! * KM_PER_NMI;
}

/**
 * Radius of maximum wind [km] from the maximum wind and the latitude: `46.4 exp(-0.0155 V + 0.0169 |lat|)`.
 * @param maxWindMps maximum wind [m/s]
 * @param latitude decimal degrees
 * @see doi:10.1175/MWR3106.1 equation 7a (Willoughby, Darling & Rahn 2006)
 */
export function maxWindRadiusFromWindKm(maxWindMps: number, latitude: number): number {
  return 46.4 * Math.exp(-0.0155 * maxWindMps + 0.0169 * Math.abs(latitude));
}
