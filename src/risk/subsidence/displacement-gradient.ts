/** A velocity field on a grid, row-major, with the size of the cells on the ground for each row. */
export interface VelocityGrid {
  /** Velocity [mm/yr]; NaN where unknown. */
  readonly velocity: Float32Array;
  /** Part of the standard error of the velocity that is independent between cells [mm/yr]. */
  readonly ownError: Float32Array;
  readonly width: number;
  readonly height: number;
  /** Width and height of the cells [m], one value per row. */
  readonly cellWidthM: Float64Array;
  readonly cellHeightM: Float64Array;
}

/**
 * Minimum number of known cells in the window of 3 x 3, including the centre, for a slope: a plane has three
 * terms.
 */
const LEAST_CELLS = 4;
/**
 * Cells of a window count as lying on one line if the determinant of their second moments is below this share of
 * the product of the variances [1] (our choice).
 */
const IN_LINE = 1e-6;
/** Minimum error of a velocity [mm/yr], so that weights stay finite (our choice). */
const LEAST_ERROR = 0.01;

/**
 * Magnitude of the velocity gradient [mm/yr per m] at each cell: the slope of a plane fitted to the window of 3 x
 * 3 cells by weighted least squares. The part expected from errors alone is subtracted, `g^2 - var(gx) -
 * var(gy)`, never below 0. NaN where the cell or too much of the window is unknown.
 */
export function velocityGradient(field: VelocityGrid): Float32Array {
  const { velocity, width, height } = field;
  const gradient = new Float32Array(velocity.length).fill(Number.NaN);
  for (let row = 0; row < height; row++) {
    for (let col = 0; col < width; col++) {
      const i = row * width + col;
      if (Number.isFinite(velocity[i]!)) gradient[i] = slopeAt(field, row, col);
    }
  }
  return gradient;
}

function slopeAt(
  { velocity, ownError, width, height, cellWidthM, cellHeightM }: VelocityGrid,
  row: number,
  col: number,
): number {
  let [count, w, wx, wy, wxx, wxy, wyy, wv, wxv, wyv] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const centre = velocity[row * width + col]!;
  for (let dr = -1; dr <= 1; dr++) {
    if (row + dr < 0 || row + dr >= height) continue;
    for (let dc = -1; dc <= 1; dc++) {
      if (col + dc < 0 || col + dc >= width) continue;
      const j = (row + dr) * width + col + dc;
      const v = velocity[j]! - centre;
      if (!Number.isFinite(v)) continue;
      const weight = 1 / Math.max(LEAST_ERROR, ownError[j]!) ** 2;
      if (!(weight > 0)) continue;
      const x = dc * cellWidthM[row]!;
      const y = dr * cellHeightM[row]!;
      count++;
      w += weight;
      wx += weight * x;
      wy += weight * y;
      wxx += weight * x * x;
      wxy += weight * x * y;
      wyy += weight * y * y;
      wv += weight * v;
      wxv += weight * x * v;
      wyv += weight * y * v;
    }
  }
  if (count < LEAST_CELLS) return Number.NaN;
  // Moments about the weighted mean, so that the constant term of the plane drops out.
  const xx = wxx - (wx * wx) / w;
  const xy = wxy - (wx * wy) / w;
  const yy = wyy - (wy * wy) / w;
  const xv = wxv - (wx * wv) / w;
  const yv = wyv - (wy * wv) / w;
  const determinant = xx * yy - xy * xy;
  if (!(determinant > IN_LINE * xx * yy)) return Number.NaN;
  const gx = (yy * xv - xy * yv) / determinant;
  const gy = (xx * yv - xy * xv) / determinant;
  const byErrors = (xx + yy) / determinant;
  return Math.sqrt(Math.max(0, gx * gx + gy * gy - byErrors));
}
