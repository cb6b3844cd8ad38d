/** The value of some at or below which a share of them lies, by the nearest rank; NaN of none. @param share 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * values.length));
  return values.toSorted((a, b) => a - b)[rank - 1] ?? Number.NaN;
}
