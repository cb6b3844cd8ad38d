import { KM_PER_DEGREE } from '../../geo/earth.ts';
import { interpolateTrack, type TrackFix } from './cyclone-track.ts';
import { tailedLevels } from './cyclone-tail.ts';
import { FIELD_RADIUS_KM, cycloneWindField } from './cyclone-wind.ts';
import { rateOfReturnPeriod } from '../exceedance-rate.ts';
import { decayedWind } from './inland-decay.ts';

/**
 * Return periods [years] that a few decades of tracks support if neighbouring tracks are pooled (about 300
 * storm-years within the kernel).
 */
export const WIND_RETURN_PERIODS = [2, 5, 10, 25, 50, 100, 250] as const;

/**
 * A grid in longitude and latitude; the centre of cell (0, 0) is `(west, north)`. Longitudes may extend beyond
 * 180 degrees, and the grid may span all longitudes.
 */
export interface CycloneGrid {
  readonly width: number;
  readonly height: number;
  /** Spacing [degrees]. */
  readonly step: number;
  readonly west: number;
  readonly north: number;
}

/** Minimum wind for a storm to count [m/s]: gale force, 34 kn. */
const GALE_MPS = 17;
/**
 * Wind levels whose exceedances are counted [m/s]. No storm on record exceeds the highest level by more than one
 * step.
 */
const LEVELS = Array.from({ length: 31 }, (_, i) => GALE_MPS + 2.5 * i);

/**
 * Standard deviation of the kernel that pools neighbouring tracks [km]: about the error of a one-day track
 * forecast (our choice).
 */
const KERNEL_KM = 80;
/** The same for the shape of the tail, which needs more storms than the rates [km] (our choice). */
const REGION_KM = 300;
/** Number of standard deviations at which the kernel is truncated. */
const KERNEL_REACH = 3;

const STEP_HOURS = 0.5;

/**
 * Least speed at which a storm is taken to carry its winds inland [m/s]: a slow storm at sea does not fill because
 * its outer winds blow over land (our choice; a typical speed in the tropics).
 */
const LEAST_INLAND_SPEED_MPS = 5;

/** Climate of tropical cyclones on a grid; arrays are row-major. */
export interface CycloneClimate {
  /**
   * Return levels of the one-minute wind [m/s], one array per return period; 0 if gales occur less often than the
   * return period.
   */
  readonly levels: readonly Float32Array[];
  /** Number of storms with gales at each cell, pooled by the same kernel as the levels. */
  readonly storms: Float32Array;
}

/**
 * Number of cells that the wider kernel reaches along a row at a latitude. In cells closer than this to the edge of the
 * grid, the results lack the storms beyond the edge.
 */
export function kernelReachCells(step: number, latitude: number): number {
  const squeeze = Math.cos((latitude * Math.PI) / 180);
  return Math.ceil((KERNEL_REACH * REGION_KM) / (KM_PER_DEGREE * step * squeeze));
}

/** Counts, at each cell of a grid and for each wind level, the storms whose wind exceeds the level. */
export class CycloneCounter {
  readonly #grid: CycloneGrid;
  readonly #wraps: boolean;
  readonly #counts: readonly Float32Array[];
  readonly #peak: Float32Array;
  readonly #inlandKm: Float32Array | null;
  #stormCount = 0;

  /**
   * @param inlandKm distance of each cell from the sea [km], 0 at sea; without it, winds are those over open water
   * @throws RangeError when there is not one distance per cell
   */
  constructor(grid: CycloneGrid, inlandKm: Float32Array | null = null) {
    const cells = grid.width * grid.height;
    if (inlandKm !== null && inlandKm.length !== cells)
      throw new RangeError(`${inlandKm.length} distances for ${cells} cells`);
    this.#grid = grid;
    this.#inlandKm = inlandKm;
    this.#wraps = Math.round(grid.width * grid.step) >= 360;
    this.#counts = LEVELS.map(() => new Float32Array(cells));
    this.#peak = new Float32Array(cells);
  }

  /** Number of added storms that had a gale in at least one cell. */
  get stormCount(): number {
    return this.#stormCount;
  }

  /**
   * Adds one storm. Where a cell is farther inland than the centre, the wind decays for the time that the storm needs
   * for the difference.
   * @param parts fixes of each part of the track, ascending in time; usually one part
   * @throws RangeError when they do not ascend
   */
  add(...parts: readonly (readonly TrackFix[])[]): void {
    const peak = this.#peak;
    const touched = new Set<number>();
    for (const state of parts.flatMap((fixes) => interpolateTrack(fixes, STEP_HOURS))) {
      if (state.maxWindMps < GALE_MPS) continue;
      const field = cycloneWindField(state);
      const centreKm = this.#inlandKmAt(state.lat, state.lng);
      const speed = Math.max(LEAST_INLAND_SPEED_MPS, Math.hypot(state.eastMps, state.northMps));
      const hoursPerKm = 1000 / (3600 * speed);
      this.#forEachCellNear(state.lat, state.lng, (cell, lat, lng) => {
        let wind = field.windAt(lat, lng);
        if (wind < GALE_MPS || wind <= peak[cell]!) return;
        const farther = this.#inlandKm === null ? 0 : this.#inlandKm[cell]! - centreKm;
        if (farther > 0) {
          wind = decayedWind(wind, farther * hoursPerKm);
          if (wind < GALE_MPS || wind <= peak[cell]!) return;
        }
        peak[cell] = wind;
        touched.add(cell);
      });
    }
    if (touched.size > 0) this.#stormCount++;
    for (const cell of touched) {
      for (let k = 0; k < LEVELS.length && peak[cell]! > LEVELS[k]!; k++) this.#counts[k]![cell]! += 1;
      peak[cell] = 0;
    }
  }

  /**
   * Climate of the added storms, which cover a record of `years` years. Counts are smoothed by the kernel; the
   * level of return period T is where the annual rate is `-ln(1 - 1/T)`, with a fitted tail (`tailedLevels`).
   * @throws RangeError when the years are not positive
   */
  climate(years: number, returnPeriodsYears: readonly number[]): CycloneClimate {
    if (!(years > 0)) throw new RangeError(`${years} years`);
    const pooled = this.#counts.map((count) => this.#smoothed(count, KERNEL_KM));
    const wide = this.#counts.map((count) => this.#smoothed(count, REGION_KM));
    const cells = this.#peak.length;
    const rates = new Float64Array(LEVELS.length);
    const regional = new Float64Array(LEVELS.length);
    const wanted = returnPeriodsYears.map(rateOfReturnPeriod);
    const levels = returnPeriodsYears.map(() => new Float32Array(cells));
    const rarest = Math.min(...wanted);
    for (let cell = 0; cell < cells; cell++) {
      if (!(pooled[0]![cell]! / years >= rarest)) continue;
      for (let k = 0; k < rates.length; k++) {
        rates[k] = pooled[k]![cell]! / years;
        regional[k] = wide[k]![cell]! / years;
      }
      const found = tailedLevels(LEVELS, rates, regional, wanted);
      for (let i = 0; i < wanted.length; i++) levels[i]![cell] = found[i]!;
    }
    return { levels, storms: pooled[0]! };
  }

  /** Distance of the nearest cell from the sea [km]; 0 beyond the grid, or if no distances are known. */
  #inlandKmAt(lat: number, lng: number): number {
    if (this.#inlandKm === null) return 0;
    const { width, height, step, west, north } = this.#grid;
    const row = Math.round((north - lat) / step);
    const column = Math.round(((((lng - west) % 360) + 360) % 360) / step);
    const wrapped = this.#wraps ? column % width : column;
    return row < 0 || row >= height || wrapped >= width ? 0 : this.#inlandKm[row * width + wrapped]!;
  }

  #forEachCellNear(lat: number, lng: number, visit: (cell: number, lat: number, lng: number) => void): void {
    const { width, height, step, west, north } = this.#grid;
    const dLat = FIELD_RADIUS_KM / KM_PER_DEGREE;
    const dLng = dLat / Math.cos((lat * Math.PI) / 180);
    const top = Math.max(0, Math.ceil((north - lat - dLat) / step));
    const bottom = Math.min(height - 1, Math.floor((north - lat + dLat) / step));
    const east = (((lng - west) % 360) + 360) % 360;
    // For a storm just west of the first column, `east` is nearly 360. Therefore try also `east - 360`, the
    // position west of the grid.
    for (const x of this.#wraps ? [east] : [east, east - 360]) {
      let left = Math.ceil((x - dLng) / step);
      let right = Math.floor((x + dLng) / step);
      if (!this.#wraps) {
        left = Math.max(0, left);
        right = Math.min(width - 1, right);
      }
      for (let row = top; row <= bottom; row++)
        for (let col = left; col <= right; col++) {
          const wrapped = ((col % width) + width) % width;
          visit(row * width + wrapped, north - row * step, wrapLng(west + wrapped * step));
        }
    }
  }

  /**
   * Gaussian smoothing along rows, then columns. Weights beyond the edge of the grid are left out and the others
   * normalised to a sum of 1.
   */
  #smoothed(field: Float32Array, kernelKm: number): Float32Array {
    const { width, height, step, north } = this.#grid;
    const kmPerCell = step * KM_PER_DEGREE;
    const along = new Float32Array(field.length);
    for (let row = 0; row < height; row++) {
      const squeeze = Math.cos(((north - row * step) * Math.PI) / 180);
      convolve(field, along, row * width, 1, width, kernelKm / (kmPerCell * squeeze), this.#wraps);
    }
    const both = new Float32Array(field.length);
    for (let col = 0; col < width; col++)
      convolve(along, both, col, width, height, kernelKm / kmPerCell, false);
    return both;
  }
}

function wrapLng(lng: number): number {
  return lng >= 180 ? lng - 360 : lng;
}

function convolve(
  from: Float32Array,
  to: Float32Array,
  start: number,
  stride: number,
  n: number,
  sigma: number,
  wraps: boolean,
): void {
  const reach = Math.min(Math.ceil(KERNEL_REACH * sigma), wraps ? (n - 1) >> 1 : n);
  const kernel = Float64Array.from({ length: reach + 1 }, (_, d) => Math.exp(-0.5 * (d / sigma) ** 2));
  for (let i = 0; i < n; i++) {
    let sum = 0;
    let weights = 0;
    const first = wraps ? i - reach : Math.max(0, i - reach);
    const last = wraps ? i + reach : Math.min(n - 1, i + reach);
    for (let k = first; k <= last; k++) {
      const weight = kernel[Math.abs(k - i)]!;
      sum += weight * from[start + (wraps ? (k + n) % n : k) * stride]!;
      weights += weight;
    }
    to[start + i * stride] = sum / weights;
  }
}
