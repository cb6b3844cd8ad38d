import { isInterpolated } from '../../src/change/pixel/interpolation.ts';

const QUANTUM = 1e-4; // step of the stored values: README
const HISTORY = 3; // first observations, which a fall is from: methods.md asks for as many
const NEAREST = 27; // series that began nearest in level, which tell what the season does: as many as a class has

/** Middle value. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/**
 * For each series the largest fall that two observations in a row share, from the level of its first three and beyond what
 * the series that began like it fell by [metric unit]. Known in hindsight: which values are observations is told by both
 * neighbours. What no threshold on this tells apart, a monitor that asks for two outliers in a row cannot.
 * @param series values at the same dates
 */
export function sustainedFalls(series: readonly (readonly number[])[]): number[] {
  const observed = series.map((values) =>
    [...values.keys()].filter((t) => !isInterpolated(values[t - 1]!, values[t]!, values[t + 1]!, QUANTUM)),
  );
  const levels = series.map((values, p) => median(observed[p]!.slice(0, HISTORY).map((t) => values[t]!)));
  return series.map((values, p) => {
    const like = [...series.keys()]
      .filter((q) => q !== p)
      .toSorted((a, b) => Math.abs(levels[a]! - levels[p]!) - Math.abs(levels[b]! - levels[p]!))
      .slice(0, NEAREST);
    const falls = observed[p]!.slice(HISTORY).map((t) => {
      const common = Math.min(0, median(like.map((q) => series[q]![t]! - levels[q]!)));
      return levels[p]! + common - values[t]!;
    });
    return falls.slice(1).reduce((most, fall, i) => Math.max(most, Math.min(fall, falls[i]!)), 0);
  });
}
