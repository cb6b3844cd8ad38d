/** Minimum Drought Code in spring: the code of ground that is soaked after the thaw (FTR 33). */
const SPRING_DROUGHT_CODE = 15;

/**
 * Drought Code on the first day of the season, 15 or more, from the code of last autumn and the rain and snow of
 * the winter.
 * @param lastDroughtCode Drought Code at the end of the last season
 * @param winterRainMm rain and water equivalent of snow since the last season
 * @param carryOver share of the autumn moisture that carries over: 1 if the code was computed until the freeze,
 *   0.75 if the computation stopped up to a month before the freeze, 0.5 if it stopped earlier
 * @param wetting share of the winter precipitation that reaches the ground: 0.9 on poorly drained or boggy
 *   ground, 0.75 on well drained ground, 0.5 on steep or dry ground and where soils freeze before the snow
 * @throws RangeError on negative codes or rain, or shares outside their range
 * @see Lawson & Armitage 2008, Weather Guide, eq. 3; Van Wagner 1985
 */
export function overwinteredDroughtCode(
  lastDroughtCode: number,
  winterRainMm: number,
  carryOver = 0.75,
  wetting = 0.75,
): number {
  if (!(lastDroughtCode >= 0) || !(winterRainMm >= 0)) throw new RangeError('codes and rain are 0 or more');
  if (!(carryOver > 0 && carryOver <= 1) || !(wetting >= 0 && wetting <= 1))
    throw new RangeError('fractions lie within (0, 1]');
  const autumnMoisture = 800 * Math.exp(-lastDroughtCode / 400); // [0.25 mm]
  const springMoisture = carryOver * autumnMoisture + wetting * 3.94 * winterRainMm; // 3.94 units of 0.25 mm per mm
  return Math.max(SPRING_DROUGHT_CODE, 400 * Math.log(800 / springMoisture));
}
