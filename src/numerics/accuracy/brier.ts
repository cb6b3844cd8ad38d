/**
 * Brier score: mean squared difference between probabilities and outcomes (0 or 1); lower is better.
 * @param weights one per case, equal by default
 * @throws RangeError when the lengths differ or there are no cases
 * @see doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2 (Brier 1950, whose score sums over both outcomes and
 *   is twice this one)
 */
export function brierScore(
  probabilities: ArrayLike<number>,
  outcomes: ArrayLike<number>,
  weights?: ArrayLike<number>,
): number {
  const n = probabilities.length;
  if (n === 0 || outcomes.length !== n || (weights !== undefined && weights.length !== n))
    throw new RangeError(`expected as many outcomes as probabilities, got ${outcomes.length} and ${n}`);
  let [sum, total] = [0, 0];
  for (let i = 0; i < n; i++) {
    const weight = weights?.[i] ?? 1;
    sum += weight * (probabilities[i]! - outcomes[i]!) ** 2;
    total += weight;
  }
  return sum / total;
}
