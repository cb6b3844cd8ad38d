/** Foreground runs of a mask: stretches of neighbouring set pixels within a row, in row-major order. */
export interface Runs {
  readonly count: number;
  /** First column of each run. */
  readonly starts: Int32Array;
  /** Column after the last column of each run. */
  readonly ends: Int32Array;
  /** Index of the first run of each row, followed by one more entry: the number of runs. */
  readonly rowOffsets: Int32Array;
}

/**
 * Finds the runs of set (non-zero) pixels in a row-major mask. `stride` is the distance between the starts of two
 * rows, `offset` the index of the first pixel.
 */
export function findRuns(
  mask: Uint8Array,
  width: number,
  height: number,
  stride: number = width,
  offset: number = 0,
): Runs {
  let room = 1024;
  let starts = new Int32Array(room);
  let ends = new Int32Array(room);
  const rowOffsets = new Int32Array(height + 1);
  let count = 0;
  for (let row = 0; row < height; row++) {
    const base = offset + row * stride;
    const stop = base + width;
    if (count + width / 2 + 1 > room) {
      room = Math.max(2 * room, count + width);
      const [oldStarts, oldEnds] = [starts, ends];
      starts = new Int32Array(room);
      ends = new Int32Array(room);
      starts.set(oldStarts.subarray(0, count));
      ends.set(oldEnds.subarray(0, count));
    }
    for (let i = base; i < stop; i++) {
      if (mask[i] === 0) continue;
      starts[count] = i - base;
      do i++;
      while (i < stop && mask[i] !== 0);
      ends[count++] = i - base;
    }
    rowOffsets[row + 1] = count;
  }
  return { count, starts, ends, rowOffsets };
}

/**
 * Labels the connected components of runs. Returns one label per run. Labels count from 0 in the row-major order in
 * which the components first appear.
 * @param reach 1 connects pixels that touch at a corner (8-neighbour), 0 only those that share an edge (4-neighbour)
 */
export function labelRuns(runs: Runs, reach: 0 | 1): { readonly labels: Int32Array; readonly count: number } {
  const { starts, ends, rowOffsets } = runs;
  const parents = new Int32Array(runs.count);
  for (let i = 0; i < parents.length; i++) parents[i] = i;
  const root = (run: number): number => {
    let at = run;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  };
  for (let row = 1; row < rowOffsets.length - 1; row++) {
    let above = rowOffsets[row - 1]!;
    const aboveStop = rowOffsets[row]!;
    const stop = rowOffsets[row + 1]!;
    for (let run = aboveStop; run < stop && above < aboveStop; run++) {
      const from = starts[run]! - reach;
      const to = ends[run]! + reach;
      while (above < aboveStop && ends[above]! <= from) above++;
      while (above < aboveStop && starts[above]! < to) {
        const [a, b] = [root(above), root(run)];
        if (a < b) parents[b] = a;
        else parents[a] = b;
        if (ends[above]! >= to) break;
        above++;
      }
    }
  }
  const labels = parents;
  let count = 0;
  for (let i = 0; i < labels.length; i++) labels[i] = labels[i] === i ? count++ : labels[labels[i]!]!;
  return { labels, count };
}
