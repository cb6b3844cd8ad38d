import { isInterpolated } from '../../src/change/pixel/interpolation.ts';
import { median } from './median.ts';

const QUANTUM = 1e-4; // step of the stored values: README
const HISTORY = 3; // number of first observations, whose median is the initial level; as in the monitor (docs/methods)
const NEAREST = 27; // number of series with similar initial levels that define the season; the size of a class

/**
 * Largest sustained fall of each series [metric unit]: the largest fall that two consecutive observations both reach.
 * A fall is measured from the median of the first three observations, less the median fall of the series with similar
 * initial levels on the same date. This uses hindsight: whether a value was observed or interpolated is decided
 * from the values before and after it. If no threshold on this fall separates two classes, a monitor that needs
 * two outliers in a row cannot separate them.
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
