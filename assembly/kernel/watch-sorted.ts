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

/** Median of the absolute differences from the median, of a list that is not empty. */
export function deviationOfSorted(list: usize, count: i32, median: f64): f64 {
  const middle = count >> 1;
  let above = middle;
  while (above > 0 && valueAt(list, above - 1) >= median) above -= 1;
  let below = above - 1;
  let previous: f64 = 0;
  let latest: f64 = 0;
  for (let i = 0; i <= middle; i++) {
    previous = latest;
    const down = below >= 0 ? median - valueAt(list, below) : Infinity;
    const up = above < count ? valueAt(list, above) - median : Infinity;
    if (down < up) below -= 1;
    else above += 1;
    latest = min(down, up);
  }
  return (count & 1) == 1 ? latest : (previous + latest) / 2;
}
