/**
 * Amplitude of the yearly movement assumed if a series is too short to fit it [mm] (our choice; GNSS heights and
 * radar show 1 to 10).
 */
const SEASON_MM = 3;
const YEARLY = 2 * Math.PI; // angular frequency [radians per year]

/**
 * Standard error [mm/yr] of a velocity fitted without seasons, caused by a yearly movement of unknown phase: the
 * root mean square, over all phases, of the slope of a sinusoid of 3 mm over the span [years].
 * @see doi:10.1029/2001JB000570 (Blewitt & Lavallee 2002)
 */
export function seasonTilt(spanYears: number): number {
  const half = (YEARLY * spanYears) / 2; // radians
  const moment = (2 * (Math.sin(half) - half * Math.cos(half))) / YEARLY ** 2;
  return Math.abs((12 * SEASON_MM * moment) / spanYears ** 3) * Math.SQRT1_2;
}
