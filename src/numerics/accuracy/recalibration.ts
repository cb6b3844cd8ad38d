/**
 * One level of a recalibrated forecast: the observed frequency of the outcome over all forecasts within `[from,
 * to]`.
 */
export interface Level {
  readonly from: number;
  readonly to: number;
  readonly frequency: number;
  /** Total weight of the cases in the level; if no weights were given, the number of cases. */
  readonly weight: number;
}

interface Pool {
  readonly from: number;
  readonly to: number;
  readonly sum: number;
  readonly weight: number;
}

/**
 * Frequency of an outcome as a non-decreasing function of its forecast: isotonic regression by pooling adjacent
 * violators. Levels ascend in forecast and in frequency.
 * @param leastWeight minimum weight of a level: levels with less weight are merged with their neighbours, so that no
 *   level depends on a few cases
 * @throws RangeError when the lengths differ or there are no cases
 * @see doi:10.1214/aoms/1177728423 (Ayer et al. 1955)
 */
export function recalibrate(
  forecasts: ArrayLike<number>,
  outcomes: ArrayLike<number>,
  weights?: ArrayLike<number>,
  leastWeight = 0,
): readonly Level[] {
  const n = forecasts.length;
  if (n === 0 || outcomes.length !== n || (weights !== undefined && weights.length !== n))
    throw new RangeError(`expected as many outcomes as forecasts, got ${outcomes.length} and ${n}`);
  const order = Uint32Array.from({ length: n }, (_, i) => i).sort((a, b) => forecasts[a]! - forecasts[b]!);
  const levels: Pool[] = [];
  for (let next = 0; next < n;) {
    const forecast = forecasts[order[next]!]!;
    // Cases with equal forecasts are pooled, because the function has one value per forecast.
    let [sum, total] = [0, 0];
    for (; next < n && forecasts[order[next]!] === forecast; next++) {
      const weight = weights?.[order[next]!] ?? 1;
      sum += weight * outcomes[order[next]!]!;
      total += weight;
    }
    let pool: Pool = { from: forecast, to: forecast, sum, weight: total };
    // A pool whose frequency is not above that of the previous level is merged with that level.
    for (let last = levels.at(-1); last !== undefined; last = levels.at(-1)) {
      if (last.sum * pool.weight < pool.sum * last.weight) break;
      levels.pop();
      pool = joined(last, pool);
    }
    levels.push(pool);
  }
  return filled(levels, leastWeight).map(({ from, to, sum, weight }) => ({
    from,
    to,
    frequency: sum / weight,
    weight,
  }));
}

function joined(low: Pool, high: Pool): Pool {
  return { from: low.from, to: high.to, sum: low.sum + high.sum, weight: low.weight + high.weight };
}

/**
 * Merges neighbouring levels until each has enough weight; a remainder at the end is merged into the last level.
 */
function filled(levels: readonly Pool[], leastWeight: number): readonly Pool[] {
  const kept: Pool[] = [];
  for (const level of levels) {
    const last = kept.at(-1);
    if (last !== undefined && last.weight < leastWeight) kept[kept.length - 1] = joined(last, level);
    else kept.push(level);
  }
  const [before, last] = [kept.at(-2), kept.at(-1)];
  if (before === undefined || last === undefined || last.weight >= leastWeight) return kept;
  return [...kept.slice(0, -2), joined(before, last)];
}

/** Recalibrated frequency of a forecast: constant within a level, linear between levels, constant beyond the ends. */
export function frequencyAt(levels: readonly Level[], forecast: number): number {
  let [low, high] = [0, levels.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (levels[middle]!.to < forecast) low = middle + 1;
    else high = middle;
  }
  const level = levels[low]!;
  const before = levels[low - 1];
  if (forecast >= level.from || before === undefined) return level.frequency;
  const along = (forecast - before.to) / (level.from - before.to);
  return before.frequency + along * (level.frequency - before.frequency);
}
