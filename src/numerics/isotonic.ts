/** A monotone broken line: y by ascending x, held beyond its ends. */
export type Knots = readonly (readonly [x: number, y: number])[];

/** A run of observations that share one value. */
interface Pool {
  readonly from: number;
  to: number;
  sum: number;
  count: number;
}

/**
 * Isotonic regression by pooling adjacent violators: the never-falling function of x that is nearest to y in least
 * squares. Flat over each pool, linear between pools.
 * @param leastCount pools of fewer observations join their neighbours, so that no value rests on a handful
 * @throws RangeError when the lengths differ or nothing is given
 * @see doi:10.1214/aoms/1177728423 (Ayer et al. 1955)
 */
export function isotonicFit(x: ArrayLike<number>, y: ArrayLike<number>, leastCount = 1): Knots {
  if (x.length === 0 || x.length !== y.length) throw new RangeError('one y for each x expected');
  const order = Array.from({ length: x.length }, (_, i) => i).sort((a, b) => x[a]! - x[b]!);
  const singles: Pool[] = [];
  for (const i of order) {
    const last = singles.at(-1);
    // Ties in x are one observation: a function has one value there.
    if (last !== undefined && last.to === x[i]) {
      last.sum += y[i]!;
      last.count++;
    } else singles.push({ from: x[i]!, to: x[i]!, sum: y[i]!, count: 1 });
  }
  const pools: Pool[] = [];
  for (const single of singles) {
    let pool = single;
    for (let last = pools.at(-1); last !== undefined; last = pools.at(-1)) {
      if (last.sum / last.count < pool.sum / pool.count) break;
      pools.pop();
      pool = { from: last.from, to: pool.to, sum: last.sum + pool.sum, count: last.count + pool.count };
    }
    pools.push(pool);
  }
  return filled(pools, leastCount).flatMap(({ from, to, sum, count }) => {
    const value = sum / count;
    return from === to ? [[from, value] as const] : [[from, value] as const, [to, value] as const];
  });
}

/** Joins neighbouring pools until each holds enough; what is left at the end joins the last. */
function filled(pools: readonly Pool[], leastCount: number): readonly Pool[] {
  const kept: Pool[] = [];
  const join = (into: Pool, pool: Pool): void => {
    into.to = pool.to;
    into.sum += pool.sum;
    into.count += pool.count;
  };
  for (const pool of pools) {
    const last = kept.at(-1);
    if (last !== undefined && last.count < leastCount) join(last, pool);
    else kept.push({ ...pool });
  }
  if (kept.length > 1 && kept.at(-1)!.count < leastCount) {
    const rest = kept.pop()!;
    join(kept.at(-1)!, rest);
  }
  return kept;
}

/** Value of a monotone broken line at x. */
export function knotsAt(knots: Knots, x: number): number {
  const first = knots[0]!;
  if (!(x > first[0])) return first[1];
  for (let i = 1; i < knots.length; i++) {
    const to = knots[i]!; // by index, as in regions
    if (x > to[0]) continue;
    const from = knots[i - 1]!;
    return from[1] + ((x - from[0]) / (to[0] - from[0])) * (to[1] - from[1]);
  }
  return knots[knots.length - 1]![1];
}
