import { COAST_LAYER_REACH_KM } from '../coast-layer.ts';
/**
 * Ratio of the gust (3 s) to the ten-minute wind at sea [1].
 * @see WMO/TD-No. 1555, table 1.1, at-sea (Harper, Kepert & Ginger 2010)
 */
const SEA_GUST_FACTOR = 1.23;

/**
 * Fifty-year gust over open inland country [m/s] where no climate zone is known: 40 in most of the United States
 * (ASCE 7-05, 90 mph), 34 to 40 in central Europe (EN 1991-1-4: wind of 22 to 26 m/s, gust factor 1.53), 30 to 33 near
 * the equator (MS 1553).
 */
export const ANY_INLAND_GUST_50_MPS = 36;

/**
 * Distance inland over which the difference between the gust at sea and the inland gust decreases to 1/e [km]
 * (our choice).
 */
const INLAND_DECAY_KM = 40;
const SHARE_AT_REACH = Math.exp(-COAST_LAYER_REACH_KM / INLAND_DECAY_KM);

/** Constants K and n of the probability factor. @see EN 1991-1-4:2005, 4.2 note 5 */
const K = 0.2;
const N = 0.5;

/** Reduced variate of a return period of 50 years. */
const VARIATE_50 = -Math.log(-Math.log1p(-1 / 50));

/**
 * Ratio of the gust of one return period to the gust of another [1], which is the ratio of their probability
 * factors. Both return periods are given by their reduced variates, `-ln(-ln(1 - 1/T))`.
 * @see EN 1991-1-4:2005, equation 4.2
 */
export function gustGrowth(variate: number, fromVariate: number): number {
  return ((1 + K * variate) / (1 + K * fromVariate)) ** N;
}

/**
 * Ratio of the inland gust at a reduced variate to the fifty-year gust [1], by the probability factor of EN 1991-1-4.
 */
export function inlandGustRatio(variate: number): number {
  return gustGrowth(variate, VARIATE_50);
}

/**
 * Gust [m/s] of extratropical storms at a distance from the sea: the inland gust, increased near the shore if the
 * gust at sea is stronger.
 * @param inlandMps the inland gust of the return period
 * @param seaWindMps ten-minute wind at sea of the same return period; NaN where none is known
 * @param coastKm 0 or more
 */
export function windstormGust(inlandMps: number, seaWindMps: number, coastKm: number): number {
  const excess = SEA_GUST_FACTOR * seaWindMps - inlandMps;
  return excess > 0 ? inlandMps + excess * seaShare(coastKm) : inlandMps;
}

/** Share of the excess of the sea that is left at a distance from it [0-1]: 0 from the greatest mapped distance on. */
function seaShare(coastKm: number): number {
  return Math.max(0, (Math.exp(-coastKm / INLAND_DECAY_KM) - SHARE_AT_REACH) / (1 - SHARE_AT_REACH));
}
