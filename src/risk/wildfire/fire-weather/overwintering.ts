/** Lowest drought code of a spring, that of soaked ground after the thaw (FTR 33). */
const SPRING_DROUGHT_CODE = 15;

/**
 * Drought Code on the first day of the season, 15 or more, from last autumn's and the winter's rain and snow.
 * @param lastDroughtCode Drought Code at the end of the season
 * @param winterRainMm rain and water equivalent of snow since then
 * @param carryOver share of the autumn's moisture that carries over: 1 where the code was computed until the
 *   freeze, 0.75 when it stopped up to a month before, 0.5 when earlier
 * @param wetting share of the winter's water that reaches the ground: 0.9 poorly drained or boggy, 0.75 well
 *   drained, 0.5 on steep or dry ground and where soils freeze before the snow
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
  const springMoisture = carryOver * autumnMoisture + wetting * 3.94 * winterRainMm; // 3.94: units of 0.25 mm per mm
  return Math.max(SPRING_DROUGHT_CODE, 400 * Math.log(800 / springMoisture));
}
