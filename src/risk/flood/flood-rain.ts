import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';

/**
 * Annual damage ratio [1/yr] by rain on the spot and by streams that no layer maps, where the highest rain of a day is
 * USUAL_RAIN_MM every ten years (our choice). In Europe flash floods alone cost 1.2 of 5.2 billion euro a year, some
 * 0.00002 of the value of buildings; streams below the scale of the maps cost at least as much.
 * @see doi:10.5194/essd-16-5145-2024 (Paprotny et al. 2024, HANZE: mean of 1981-2020)
 */
const USUAL_DAMAGE = 0.00005;
const USUAL_RAIN_MM = 65;

/**
 * Power of the damage by the rain [1] (our choice): drains are built for the rain of the place, so only the excess does
 * damage, which rises faster than the rain.
 */
const POWER = 1.5;

/** Log spread of this damage between places of the same rain [1] (our choice): a house on a hill and one in a hollow. */
export const RAIN_LOG_SPREAD = 1.8;

/** Mean annual damage ratio [1/yr]. @param rainMm highest rain of a day every ten years, NaN where no layer has it */
export function rainDamage(rainMm: number): number {
  return Number.isNaN(rainMm) ? USUAL_DAMAGE : USUAL_DAMAGE * (Math.max(0, rainMm) / USUAL_RAIN_MM) ** POWER;
}

/** Factor of the mean damage in each draw; its mean is 1. */
export const RAIN_FACTORS = lognormalDraws(DRAWS[3]!, RAIN_LOG_SPREAD);

function lognormalDraws(z: Float64Array, logSpread: number): Float64Array {
  const draws = z.map((value) => Math.exp(logSpread * value));
  const scale = DRAW_COUNT / draws.reduce((sum, value) => sum + value, 0);
  return draws.map((value) => value * scale);
}
