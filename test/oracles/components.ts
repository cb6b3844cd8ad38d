import { findRuns, labelRuns } from '../../src/raster/runs.ts';

/** The connected components of a mask. */
export interface Components {
  readonly count: number;
  /**
   * Label of each pixel, row-major: 0 for background, otherwise the number of its component. Components are numbered
   * from 1 in the row-major order of their first pixels.
   */
  readonly labels: Int32Array;
}

/**
 * Labels connected components. Pixels that touch only at a corner are connected too (8-neighbour).
 * @param mask row-major, `width * height` long, non-zero is foreground
 */
export function connectedComponents(mask: Uint8Array, width: number, height: number): Components {
  const runs = findRuns(mask, width, height);
  const { labels: runLabels, count } = labelRuns(runs, 1);
  const labels = new Int32Array(width * height);
  let row = 0;
  for (let run = 0; run < runs.count; run++) {
    while (run >= runs.rowOffsets[row + 1]!) row++;
    labels.fill(runLabels[run]! + 1, row * width + runs.starts[run]!, row * width + runs.ends[run]!);
  }
  return { count, labels };
}

/**
 * Returns the pixels of each connected component (8-neighbour) as ascending row-major indices. The components are in
 * the order of their first pixels.
 * @param mask row-major, `width * height` long, non-zero is foreground
 */
export function componentPixels(mask: Uint8Array, width: number, height: number): Uint32Array[] {
  const runs = findRuns(mask, width, height);
  const { labels, count } = labelRuns(runs, 1);
  const sizes = new Uint32Array(count);
  for (let run = 0; run < runs.count; run++) sizes[labels[run]!]! += runs.ends[run]! - runs.starts[run]!;
  const pixels = Array.from(sizes, (size) => new Uint32Array(size));
  const filled = new Uint32Array(count);
  let row = 0;
  for (let run = 0; run < runs.count; run++) {
    while (run >= runs.rowOffsets[row + 1]!) row++;
    const label = labels[run]!;
    const list = pixels[label]!;
    for (let col = runs.starts[run]!; col < runs.ends[run]!; col++) {
      list[filled[label]!++] = row * width + col;
    }
  }
  return pixels;
}
