import type { SpectralIndex } from './spectral-index.ts';

/** Polarisations of Sentinel-1 that are read: sent vertically, received vertically or horizontally. */
export const POLARISATIONS = ['vv', 'vh'] as const;

/** One of POLARISATIONS. */
export type Polarisation = (typeof POLARISATIONS)[number];

/** Metric of one polarisation, seen from one relative orbit: its incidence angle differs from those of others. */
export type OrbitMetric = `${Polarisation}_orbit_${number}`;

/** A metric that can be asked of scenes: an index of optical scenes, or a polarisation of radar scenes. */
export type SceneMetric = SpectralIndex | Polarisation;

/** Relative orbits of Sentinel-1, which repeats after 12 days. */
export const MOST_ORBIT = 175;

/** The metric of a polarisation in a relative orbit. */
export function orbitMetric(polarisation: Polarisation, orbit: number): OrbitMetric {
  return `${polarisation}_orbit_${orbit}`;
}

/** The polarisation of a metric of one orbit, such as `vh` for `vh_orbit_98`; undefined for other metrics. */
export function orbitPolarisation(metric: string): Polarisation | undefined {
  return /^(vv|vh)_orbit_[1-9]\d{0,2}$/.exec(metric)?.[1] as Polarisation | undefined;
}

/** Unit of the samples of a backscatter file. */
export type BackscatterUnit = 'power' | 'dB';

/** Backscatter in decibels as linear power. */
export function powerOf(decibels: number): number {
  return 10 ** (decibels / 10);
}

/** Linear power in decibels; NaN where it is not above 0. */
export function decibelsOf(power: number): number {
  return power > 0 && power < Infinity ? 10 * Math.log10(power) : Number.NaN;
}

/** Pixel size from which on a pixel is an average already [m] (our choice). */
const COARSE_M = 25;
/** Side of the square over which the power of finer pixels is averaged [m] (our choice). */
const LOOK_M = 50;

/**
 * Weights along one axis by which the power of a pixel and its neighbours is averaged, from `-side` to `side`: equal
 * ones over 50 m, or 1, 2, 1 for pixels of 25 m and more, which keep clearings of two pixels apart from what is around
 * them.
 * @param pixelM size of a pixel [m]
 */
export function lookWeights(pixelM: number): readonly number[] {
  if (!(pixelM > 0)) throw new RangeError(`expected a pixel size above 0 m, got ${pixelM}`);
  if (pixelM >= COARSE_M) return [1, 2, 1];
  const half = Math.max(1, Math.round((LOOK_M / pixelM - 1) / 2));
  return Array.from({ length: 2 * half + 1 }, () => 1);
}

/** Least share of the weight of a neighbourhood that must have been observed (our choice). */
const MIN_SEEN = 0.5;

/**
 * Averages linear power over neighbouring pixels (multi-looking), which lowers speckle and keeps the mean (Oliver &
 * Quegan 2004, chapter 6). Pixels without an observation stay without; those of which less than half of the
 * neighbourhood was observed become NaN.
 * @param power row-major, NaN where nothing was observed
 * @param weights along both axes, an odd number
 */
export function multiLook(power: Float32Array, width: number, weights: readonly number[]): Float32Array {
  const height = power.length / width;
  const half = (weights.length - 1) / 2;
  const total = weights.reduce((sum, weight) => sum + weight, 0) ** 2;
  return Float32Array.from(power, (own, p) => {
    if (Number.isNaN(own)) return Number.NaN;
    const [row, col] = [Math.floor(p / width), p % width];
    let [sum, seen] = [0, 0];
    for (let i = Math.max(-half, -row); i <= half && row + i < height; i++)
      for (let j = Math.max(-half, -col); j <= half && col + j < width; j++) {
        const value = power[p + i * width + j]!;
        if (Number.isNaN(value)) continue;
        const weight = weights[i + half]! * weights[j + half]!;
        sum += weight * value;
        seen += weight;
      }
    // At an edge of the grid less of the neighbourhood exists.
    const isEnough =
      seen >= MIN_SEEN * total || seen >= MIN_SEEN * reachable(row, col, width, height, weights);
    return isEnough ? sum / seen : Number.NaN;
  });
}

/** Averages linear power like {@link multiLook}, for a grid whose rows come strip by strip from the first to the last. */
export class StripLooks {
  readonly #width: number;
  readonly #weights: readonly number[];
  /** The last rows that came: those that wait for their neighbours, after the neighbours above them. */
  #held = new Float32Array(0);
  /** Number of rows of `#held` that are only neighbours. */
  #known = 0;

  constructor(width: number, weights: readonly number[]) {
    this.#width = width;
    this.#weights = weights;
  }

  /**
   * Takes the next rows, and returns the averages of those, and of rows before them, whose neighbours are all known.
   * @param isLast whether these are the last rows of the grid
   */
  add(power: Float32Array, isLast: boolean): Float32Array {
    const width = this.#width;
    const half = (this.#weights.length - 1) / 2;
    const rows = new Float32Array(this.#held.length + power.length);
    rows.set(this.#held);
    rows.set(power, this.#held.length);
    const count = rows.length / width;
    const end = isLast ? count : Math.max(this.#known, count - half);
    const averages = multiLook(rows, width, this.#weights).subarray(this.#known * width, end * width);
    const from = Math.max(0, end - half);
    this.#held = rows.slice(from * width);
    this.#known = end - from;
    return averages;
  }
}

/** The weight of the part of a neighbourhood that lies on the grid. */
function reachable(
  row: number,
  col: number,
  width: number,
  height: number,
  weights: readonly number[],
): number {
  const half = (weights.length - 1) / 2;
  const along = (at: number, size: number): number =>
    weights.reduce((sum, weight, k) => (at + k - half >= 0 && at + k - half < size ? sum + weight : sum), 0);
  return along(row, height) * along(col, width);
}
