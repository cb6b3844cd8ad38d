import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import {
  cycloneDamageRatio,
  type CycloneRegion,
  CYCLONE_HALF_DAMAGE_MPS,
  CYCLONE_THRESHOLD_MPS,
} from './emanuel.ts';

/**
 * Spread of the half-damage wind above the threshold in each calibration, as the standard deviation of its logarithm
 * [1] (our choice). Damage goes with its third power: a factor of 1.7 between modelled and reported damage of nine
 * regions (docs/methods/storm.md), and as much again and more between places of a region.
 */
const HALF_DAMAGE_LOG_SPREAD = 0.35;

/**
 * Return period [years] at which cyclones take half of the value of a building that is made for its climate, and the
 * standard deviation of its logarithm between draws (our choice). The period is that of the design wind of ordinary
 * buildings in ASCE 7-10 (risk category II). Calibrations of a whole region would have the houses of its windiest
 * islands lost every few years.
 */
const DESIGN_PERIOD_YEARS = 700;
const DESIGN_LOG_SPREAD = 1;

/**
 * Expected annual damage ratio [1/yr] by the cyclones of places that no cyclone layer covers: the mean, and the
 * standard deviation of the logarithm of the draws (our choice, as wide as the shipped layer has it between
 * coasts of the tropics).
 */
const UNKNOWN_CYCLONES = { mean: 0.002, logSpread: 2.5 } as const;

/** Draws that take the first of the two calibrations of the half-damage winds: the lower half of a dimension. */
const BY_TOTAL_DAMAGE = new Set(
  [...DRAWS[4]!.keys()].sort((a, b) => DRAWS[4]![a]! - DRAWS[4]![b]!).slice(0, DRAW_COUNT / 2),
);

/** Factors of the draws. The shift of 1.5 s^2 keeps the mean of the damage, which the calibrations are fitted to. */
const HALF_DAMAGE_FACTORS = DRAWS[3]!.map((z) =>
  Math.exp(HALF_DAMAGE_LOG_SPREAD * (z + 1.5 * HALF_DAMAGE_LOG_SPREAD)),
);

/** The shift of s^2 / 2 keeps the mean of the damage, which goes with the inverse period, at that of the design period. */
const DESIGN_PERIODS = DRAWS[5]!.map(
  (z) => DESIGN_PERIOD_YEARS * Math.exp(DESIGN_LOG_SPREAD * (z + DESIGN_LOG_SPREAD / 2)),
);

/** Half-damage winds of all draws [m/s], by region: half of them from each calibration. */
export const HALF_DAMAGES: ReadonlyMap<CycloneRegion, Float64Array> = new Map(
  (Object.keys(CYCLONE_HALF_DAMAGE_MPS) as CycloneRegion[]).map((region) => [
    region,
    HALF_DAMAGE_FACTORS.map((factor, k) => {
      const half = CYCLONE_HALF_DAMAGE_MPS[region][BY_TOTAL_DAMAGE.has(k) ? 0 : 1];
      return CYCLONE_THRESHOLD_MPS + (half - CYCLONE_THRESHOLD_MPS) * factor;
    }),
  ]),
);

/** Annual damage ratios [1/yr] of all draws where no cyclone layer covers a place that cyclones may reach. */
export const UNKNOWN_CYCLONE_DAMAGES = DRAWS[1]!.map(
  (z) => UNKNOWN_CYCLONES.mean * Math.exp(UNKNOWN_CYCLONES.logSpread * (z - UNKNOWN_CYCLONES.logSpread / 2)),
);

/**
 * Damage ratio [0-1] in one draw by the cyclone wind of a return period. A building that stands is made for its
 * climate: the ratio is at most `T/(T + N)`, with N the design period of the draw.
 * @param halfDamages one row of `HALF_DAMAGES`
 */
export function drawnCycloneDamage(
  windMps: number,
  returnPeriodYears: number,
  halfDamages: Float64Array,
  draw: number,
): number {
  const limit = returnPeriodYears / (returnPeriodYears + DESIGN_PERIODS[draw]!);
  return Math.min(limit, cycloneDamageRatio(windMps, halfDamages[draw]!));
}
