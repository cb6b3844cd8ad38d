// Sorted lists of f64, as src/change/pixel/sorted-values.ts has them.

/** Inserts a value, which is not NaN, into the `count` values that are already sorted. */
export function insert(list: usize, count: i32, value: f64): void {
  let slot = list + ((<usize>count) << 3);
  for (; slot > list && load<f64>(slot - 8) > value; slot -= 8) store<f64>(slot, load<f64>(slot - 8));
  store<f64>(slot, value);
}

export function valueAt(list: usize, rank: i32): f64 {
  return load<f64>(list + ((<usize>rank) << 3));
}

/** Median of a list that is not empty. */
export function medianOfSorted(list: usize, count: i32): f64 {
  const middle = count >> 1;
  if ((count & 1) == 1) return valueAt(list, middle);
  return (valueAt(list, middle - 1) + valueAt(list, middle)) / 2;
}
