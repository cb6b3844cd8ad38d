import { DRAWS } from '../predictive-draws.ts';

/**
 * Annual damage ratio [1/yr] caused by soils that shrink and swell, by clay content [%]. The clay contents are the
 * limits of soil texture classes (FAO: medium from 18 %, fine from 35 %, very fine from 60 %). The damage ratios
 * are our choice, compared with the damage ratio of Britain, 0.00006: over 400 million pounds per year (British
 * Geological Survey, Harrison et al. 2012) on dwellings worth about 6e12 pounds.
 */
const CLAY_DAMAGE = [
  [18, 0.00002],
  [35, 0.0002],
  [60, 0.0008],
] as const;

/**
 * Annual damage ratio where clay is unknown [1/yr], and the spreads with known and with unknown clay, as standard
 * deviations of the logarithm [1] (our choice).
 */
const UNKNOWN_DAMAGE = 0.00005;
const CLAY_LOG_SPREAD = 1.1;
const UNKNOWN_LOG_SPREAD = 1.6;

/** Annual damage ratio caused by the soil, independent of measured displacement. */
export interface SoilDamage {
  /** Median [1/yr]. */
  readonly annual: number;
  /** Factor that multiplies the median in each draw. */
  readonly factors: Float64Array;
}

const factorsOf = (logSpread: number): Float64Array => DRAWS[3]!.map((z) => Math.exp(logSpread * z));
const CLAY_FACTORS = factorsOf(CLAY_LOG_SPREAD);
const UNKNOWN_FACTORS = factorsOf(UNKNOWN_LOG_SPREAD);

/** Returns the annual damage caused by the soil at a clay content. @param clay [%]; NaN where it is unknown */
export function soilDamage(clay: number): SoilDamage {
  if (Number.isNaN(clay)) return { annual: UNKNOWN_DAMAGE, factors: UNKNOWN_FACTORS };
  let [from, annual] = CLAY_DAMAGE[0] as readonly [number, number];
  for (const [to, damage] of CLAY_DAMAGE) {
    if (clay <= to) {
      const t = to === from ? 1 : Math.max(0, clay - from) / (to - from);
      return { annual: annual * (damage / annual) ** t, factors: CLAY_FACTORS };
    }
    [from, annual] = [to, damage];
  }
  return { annual, factors: CLAY_FACTORS };
}
