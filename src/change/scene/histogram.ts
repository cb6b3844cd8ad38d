/**
 * Many histograms in one array: counts of values in bins of equal width over `[low, high]`. Counting is exact and
 * commutative, so the result of a survey does not depend on the order in which a grid is read.
 */
export interface Histograms {
  readonly low: number;
  readonly binWidth: number;
  readonly bins: number;
  /** Counts of histogram `h`: `counts[h * bins + bin]`. */
  readonly counts: Uint32Array | Uint16Array;
}

/**
 * Creates `size` empty histograms over `[low, high]`.
 * @param most most values that a histogram will count. Counts of few values take half of the memory
 */
export function createHistograms(
  size: number,
  low: number,
  high: number,
  bins: number,
  most = Number.POSITIVE_INFINITY,
): Histograms {
  const Counts = most < 2 ** 16 ? Uint16Array : Uint32Array;
  return { low, binWidth: (high - low) / bins, bins, counts: new Counts(size * bins) };
}

/** Counts a value in histogram `h`. A value outside the range is counted in the first or the last bin. */
export function countValue(histograms: Histograms, h: number, value: number): void {
  const bin = Math.floor((value - histograms.low) / histograms.binWidth);
  const last = histograms.bins - 1;
  const slot = h * histograms.bins + (bin < 0 ? 0 : bin > last ? last : bin);
  histograms.counts[slot] = histograms.counts[slot]! + 1;
}

/** Adds the counts of `other` to those of `histograms`. */
export function addHistograms(histograms: Histograms, other: Histograms): void {
  if (other.counts.length !== histograms.counts.length) throw new RangeError('histograms differ in shape');
  addHistogramsAt(histograms, other, 0);
}

/** Adds the counts of `other` to those of `histograms`. @param first histogram to which its first one is added */
export function addHistogramsAt(histograms: Histograms, other: Histograms, first: number): void {
  const from = first * histograms.bins;
  if (other.bins !== histograms.bins || from + other.counts.length > histograms.counts.length)
    throw new RangeError('histograms differ in shape');
  for (let i = 0; i < other.counts.length; i++)
    histograms.counts[from + i] = histograms.counts[from + i]! + other.counts[i]!;
}

/** Returns the sum of an array of counts. */
export function totalCount(counts: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += counts[i]!;
  return total;
}

/** The counts above 0 of many histograms: most bins of a histogram of few values are empty. */
export interface SparseCounts {
  /** The entries of histogram `h` have the indices `[starts[h], starts[h + 1])` in `bins` and `counts`. */
  readonly starts: Uint32Array;
  readonly bins: Uint16Array;
  readonly counts: Uint32Array;
  /** Number of values in each histogram. */
  readonly totals: Uint32Array;
}

/** Returns the counts above 0 of histograms of up to 65,536 bins. */
export function sparseCounts({ bins, counts }: Histograms): SparseCounts {
  const size = counts.length / bins;
  const starts = new Uint32Array(size + 1);
  for (let h = 0; h < size; h++) starts[h + 1] = starts[h]! + entriesIn(counts, h * bins, (h + 1) * bins);
  const entries = starts[size]!;
  const totals = new Uint32Array(size);
  const sparse = { starts, totals, bins: new Uint16Array(entries), counts: new Uint32Array(entries) };
  for (let h = 0; h < size; h++)
    if (starts[h + 1]! > starts[h]!) totals[h] = copyEntries(counts, h, bins, sparse);
  return sparse;
}

/** Number of counts `[from, to)` above 0. */
function entriesIn(counts: Histograms['counts'], from: number, to: number): number {
  let entries = 0;
  for (let i = from; i < to; i++) entries += Number(counts[i]! > 0);
  return entries;
}

/** Copies the counts above 0 of histogram `h` of `bins` bins. Returns their sum. */
function copyEntries(counts: Histograms['counts'], h: number, bins: number, sparse: SparseCounts): number {
  let total = 0;
  let n = sparse.starts[h]!;
  for (let bin = 0; bin < bins; bin++) {
    const count = counts[h * bins + bin]!;
    if (count === 0) continue;
    sparse.bins[n] = bin;
    sparse.counts[n++] = count;
    total += count;
  }
  return total;
}

/** Adds the counts of histogram `h` to `pooled`. */
export function addSparse({ starts, bins, counts }: SparseCounts, h: number, pooled: Uint32Array): void {
  const end = starts[h + 1]!;
  for (let i = starts[h]!; i < end; i++) pooled[bins[i]!] = pooled[bins[i]!]! + counts[i]!;
}

/** Returns quantile `q` of binned counts, interpolated linearly within its bin; NaN if all counts are 0. */
export function binnedQuantile(counts: ArrayLike<number>, low: number, binWidth: number, q: number): number {
  const target = q * totalCount(counts);
  let below = 0;
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin]!;
    if (count > 0 && below + count >= target) return low + (bin + (target - below) / count) * binWidth;
    below += count;
  }
  return Number.NaN;
}

/** Counts below each bin of the histogram that `binnedDeviation` measures; the last entry is the sum of all counts. */
let sums = new Float64Array(0);

/** Returns the median absolute distance of binned values from `centre`; NaN if all counts are 0. */
export function binnedDeviation(
  counts: ArrayLike<number>,
  low: number,
  binWidth: number,
  centre: number,
): number {
  if (sums.length <= counts.length) sums = new Float64Array(counts.length + 1);
  let total = 0;
  for (let bin = 0; bin < counts.length; bin++) {
    sums[bin] = total;
    total += counts[bin]!;
  }
  sums[counts.length] = total;
  if (total === 0) return Number.NaN;
  // Bisection for the distance from `centre` within which half of the values are, to a thousandth of a bin. It works
  // because the share of the values within a distance grows with the distance.
  let inside = 0;
  let outside = counts.length * binWidth + Math.abs(centre - low);
  while (outside - inside > binWidth / 1000) {
    const half = (inside + outside) / 2;
    const share =
      countBelow(counts, low, binWidth, centre + half) - countBelow(counts, low, binWidth, centre - half);
    if (share * 2 >= total) outside = half;
    else inside = half;
  }
  return outside;
}

/** Returns the number of values below a value, of the histogram that `sums` belongs to. */
function countBelow(counts: ArrayLike<number>, low: number, binWidth: number, value: number): number {
  const position = (value - low) / binWidth;
  const whole = Math.max(0, Math.min(counts.length, Math.floor(position)));
  const below = sums[whole]!;
  return whole < counts.length && position > whole ? below + (position - whole) * counts[whole]! : below;
}
