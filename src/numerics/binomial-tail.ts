/**
 * Probability of `least` or more successes among `trials` independent trials.
 * @param rate probability of a success, 0 to 1
 */
export function binomialTail(least: number, trials: number, rate: number): number {
  let tail = 0;
  let ways = 1; // of choosing `k` of the trials
  for (let k = 0; k <= trials; k++) {
    if (k >= least) tail += ways * rate ** k * (1 - rate) ** (trials - k);
    ways = (ways * (trials - k)) / (k + 1);
  }
  return Math.min(1, tail);
}
