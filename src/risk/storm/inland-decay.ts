/**
 * Wind that remains long after landfall [m/s] (26.7 kn), and the rate of decay towards it [1/h].
 * @see Kaplan & DeMaria 1995, Journal of Applied Meteorology 34, 2499-2512
 */
const BACKGROUND_MPS = 13.7;
const DECAY_PER_HOUR = 0.095;

/**
 * One-minute wind of a tropical cyclone after some hours over land [m/s]: `Vb + (V - Vb) exp(-alpha t)`. The paper's
 * step at the shore (R = 0.9) is left out: the winds of the damage curves have no such step, and winds recorded over
 * land already include it. A wind of 13.7 m/s or less is unchanged.
 * @param hours 0 or more
 */
export function decayedWind(windMps: number, hours: number): number {
  if (windMps <= BACKGROUND_MPS) return windMps;
  return BACKGROUND_MPS + (windMps - BACKGROUND_MPS) * Math.exp(-DECAY_PER_HOUR * hours);
}
