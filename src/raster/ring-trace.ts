import type { Runs } from './runs.ts';

/** Rings traced around the foreground of a mask, in flat arrays. */
export interface TracedRings {
  readonly count: number;
  /** Corners of all rings, `x0, y0, x1, y1, ...`. */
  readonly corners: Int32Array;
  /** Index in `corners` at which each ring starts, followed by one more entry: the end of the last ring. */
  readonly offsets: Int32Array;
  /** For each ring, the index of a foreground run that borders the ring. */
  readonly runs: Int32Array;
}

/** A mask with a border of one background pixel on all sides, so that access to neighbours needs no bounds check. */
export interface PaddedMask {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Bit that is set in a padded mask when the left edge of the pixel has been traced. */
const TRACED = 2;

function grown(array: Int32Array): Int32Array {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}

/**
 * Traces the edges between foreground and background, with the foreground on the left as seen on a screen (rows
 * downwards). Pixels are connected only through edges, not corners. Where a ring would visit a corner twice it is
 * split, so that every ring is simple. Straight sequences of edges become one edge. Sets the `TRACED` bits in the
 * mask.
 */
export function traceRings(mask: PaddedMask, runs: Runs): TracedRings {
  const { pixels, height } = mask;
  const stride = mask.width + 2;
  /** Offsets from a corner to the pixels ahead on the left and on the right, by heading (south, east, north, west). */
  const aheadLeft = [0, -stride, -stride - 1, -1];
  const aheadRight = [-1, 0, -stride, -stride - 1];
  const stepX = [0, 1, 0, -1];
  const stepY = [1, 0, -1, 0];
  const stepCorner = [stride, 1, -stride, -1];
  let corners: Int32Array = new Int32Array(4096);
  let offsets: Int32Array = new Int32Array(1024);
  let ringRuns: Int32Array = new Int32Array(1024);
  let count = 0;
  let used = 0;
  let path: Int32Array = new Int32Array(1024);
  /**
   * Index in the path at which a corner between two diagonal pixels was last visited. Entries are never cleared, so
   * each is verified against the path before use.
   */
  const passedAt = new Int32Array(pixels.length);

  const emit = (from: number, to: number, run: number): void => {
    while (used + (to - from) > corners.length) corners = grown(corners);
    if (count + 2 > offsets.length) {
      offsets = grown(offsets);
      ringRuns = grown(ringRuns);
    }
    for (let i = from; i < to; i++) corners[used++] = path[i]!;
    ringRuns[count++] = run;
    offsets[count] = used;
  };

  const trace = (startX: number, startY: number, run: number): void => {
    let x = startX;
    let y = startY;
    let corner = (y + 1) * stride + x + 1;
    const startCorner = corner;
    let heading = 0;
    path[0] = x;
    path[1] = y;
    let length = 2;
    while (true) {
      if (heading === 0) pixels[corner]! |= TRACED;
      x += stepX[heading]!;
      y += stepY[heading]!;
      corner += stepCorner[heading]!;
      const left = pixels[corner + aheadLeft[heading]!]! !== 0;
      const right = pixels[corner + aheadRight[heading]!]! !== 0;
      if (left && !right) continue;
      heading = left ? (heading + 3) & 3 : (heading + 1) & 3;
      if (corner === startCorner && heading === 0) break;
      if (!left && right) {
        const at = passedAt[corner]!;
        if (at < length && path[at] === x && path[at + 1] === y) {
          emit(at, length, run);
          length = at;
        }
        passedAt[corner] = length;
      }
      if (length + 2 > path.length) path = grown(path);
      path[length++] = x;
      path[length++] = y;
    }
    emit(0, length, run);
  };

  for (let row = 0; row < height; row++) {
    const base = (row + 1) * stride + 1;
    for (let run = runs.rowOffsets[row]!; run < runs.rowOffsets[row + 1]!; run++) {
      const col = runs.starts[run]!;
      if ((pixels[base + col]! & TRACED) === 0) trace(col, row, run);
    }
  }
  return { count, corners, offsets, runs: ringRuns };
}
