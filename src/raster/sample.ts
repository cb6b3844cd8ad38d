/** A rectangle of samples, row-major, with its nodata value. */
export interface SampleWindow {
  readonly values: ArrayLike<number>;
  readonly width: number;
  readonly height: number;
  /** The value that means nodata, in addition to NaN; null if there is no such value. */
  readonly nodata: number | null;
}

/** Weight below which a neighbour is ignored [1]: at a pixel centre, rounding errors cause such weights. */
const NO_WEIGHT = 1e-9;

function valueAt({ values, width, nodata }: SampleWindow, col: number, row: number): number {
  const value = values[row * width + col]!;
  return value === nodata ? Number.NaN : value;
}

function isOff({ width, height }: SampleWindow, x: number, y: number): boolean {
  return !(x >= 0 && x <= width && y >= 0 && y <= height);
}

/**
 * Value of the pixel that contains a place. `x` and `y` are in pixels: the first pixel spans [0, 1), its centre is at
 * 0.5. NaN for nodata and outside the window. The last edges of the window belong to the last pixels.
 */
export function sampleNearest(window: SampleWindow, x: number, y: number): number {
  if (isOff(window, x, y)) return Number.NaN;
  const col = Math.min(Math.floor(x), window.width - 1);
  const row = Math.min(Math.floor(y), window.height - 1);
  return valueAt(window, col, row);
}

/**
 * Value at a place between pixel centres by bilinear interpolation. Neighbours that are nodata are left out, and the
 * weights of the valid neighbours are renormalised. NaN where the pixel at the place is nodata, so that the data do
 * not extend beyond their edge. Constant in the outer half pixel of the window.
 */
export function sampleBilinear(window: SampleWindow, x: number, y: number): number {
  const own = sampleNearest(window, x, y);
  if (Number.isNaN(own)) return own;
  const { width, height } = window;
  const u = Math.min(Math.max(x - 0.5, 0), width - 1);
  const v = Math.min(Math.max(y - 0.5, 0), height - 1);
  const [col, row] = [Math.floor(u), Math.floor(v)];
  const [fx, fy] = [u - col, v - row];
  let sum = 0;
  let weights = 0;
  for (let k = 0; k < 4; k++) {
    const weight = ((k & 1) === 1 ? fx : 1 - fx) * ((k & 2) === 2 ? fy : 1 - fy);
    if (weight < NO_WEIGHT) continue;
    const value = valueAt(window, col + (k & 1), row + (k >> 1));
    if (Number.isNaN(value)) continue;
    sum += weight * value;
    weights += weight;
  }
  return sum / weights;
}
