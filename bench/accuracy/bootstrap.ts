/** Percentile interval of a statistic from resampling. */
export interface ResampledInterval {
  readonly low: number;
  readonly high: number;
  /** Share of resamples below zero: for a difference, the confidence that it is negative. */
  readonly belowZero: number;
}

/** Random numbers in [0, 1). */
export type Uniform = () => number;

/**
 * Percentile interval (95 %) of a statistic over clusters drawn with replacement within strata. When the statistic is
 * a difference, both sides are computed from the same draw (a paired bootstrap), so that the effect of clusters that
 * are hard for both sides cancels out.
 * @param strata for each stratum, the indices of its clusters
 * @param statistic computes the statistic from the number of times that each cluster was drawn; draws for which it
 *   returns NaN are left out
 * @param uniform numbers in [0, 1)
 * @see doi:10.1214/aos/1176344552 (Efron 1979)
 */
export function bootstrapInterval(
  strata: readonly (readonly number[])[],
  statistic: (times: Uint32Array) => number,
  draws: number,
  uniform: Uniform,
): ResampledInterval {
  const clusters = strata.reduce((most, members) => Math.max(most, ...members), -1) + 1;
  const values: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    const times = new Uint32Array(clusters);
    for (const members of strata)
      for (let i = 0; i < members.length; i++) {
        const drawn = members[Math.floor(uniform() * members.length)]!;
        times[drawn] = times[drawn]! + 1;
      }
    const value = statistic(times);
    if (!Number.isNaN(value)) values.push(value);
  }
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return {
    low: at(0.025),
    high: at(0.975),
    belowZero: values.filter((value) => value < 0).length / values.length,
  };
}
