import type { LayerSample } from '../../app/risk/layer-reader.ts';
import type { Grid } from '../../geo/grid.ts';
import { type Projection, projectionOf } from '../../geo/projection.ts';
import type { BandHeader } from './band-file.ts';
import type { BandTiles } from './tile-cache.ts';
import type { BlockSamples } from '../../formats/tiff/block.ts';

/** Distance beyond the grid's edge that still counts as inside, for rounding of coordinates [pixels]. */
const EDGE_TOLERANCE = 1e-6;

const OUTSIDE: LayerSample = { ok: false, reason: 'outside' };
const NODATA: LayerSample = { ok: false, reason: 'nodata' };
/** Marks a point outside the grid. An infinite sample is never a value, so the mark is unambiguous. */
export const OFF = Infinity;

/** Returns the sample for a value that was written by `read`. */
export function sampleOf(value: number): LayerSample {
  if (Number.isNaN(value)) return NODATA;
  return value === OFF ? OUTSIDE : { ok: true, value };
}

/** Returns the value that `read` writes for a sample; the reverse of `sampleOf`. */
export function valueOfSample(sample: LayerSample): number {
  if (sample.ok) return sample.value;
  return sample.reason === 'nodata' ? Number.NaN : OFF;
}

/** How the raw samples of a band are converted to values of the layer. */
export interface SampleReading {
  /** Value = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** `nearest` for classes, `bilinear` for fields. */
  readonly interpolation: 'nearest' | 'bilinear';
}

/** Weights below this [1] are rounding errors of a point on a pixel centre. They are treated as 0. */
const NO_WEIGHT = 1e-9;

/** Number of grid columns that 360 degrees of longitude take, for an unrotated grid in degrees; null for others. */
function columnsOfTurn(grid: Grid): number | null {
  const [, t1, t2, , t4] = grid.transform;
  return projectionOf(grid.proj4).isGeographic && t2 === 0 && t4 === 0 ? 360 / Math.abs(t1) : null;
}

/**
 * Samples maps of one grid at points: one map, or several whose samples are interleaved in the tiles, such as the
 * return periods of a hazard. A point is then located once for all maps.
 */
export class LayerSampler {
  readonly #scale: number;
  readonly #offset: number;
  readonly #tiles: BandTiles;
  readonly #bands: number;
  readonly #projection: Projection;
  readonly #isNearest: boolean;
  readonly #nodata: number;
  readonly #width: number;
  readonly #height: number;
  readonly #across: number;
  /** log2 of a tile's edge. */
  readonly #tileBits: number;
  /** Mask of the bits of a column or row number that are its position in the tile. */
  readonly #inTile: number;
  /** Whether the last column is next to the first, around the globe. */
  readonly #wraps: boolean;
  /** Number of columns after which the grid repeats. */
  readonly #period: number;
  /** Whether the grid is in degrees and not rotated. Such a grid may start anywhere and cross the antimeridian. */
  readonly #turn: boolean;
  readonly #x0: number;
  readonly #y0: number;
  readonly #dxCol: number;
  readonly #dxRow: number;
  readonly #dyCol: number;
  readonly #dyRow: number;
  readonly #determinant: number;
  #lastTile = -1;
  #last: BlockSamples | null = null;
  /** Column and row of the current point. */
  readonly #place = new Float64Array(2);
  /** Weights of the four pixels around the current point: upper left, upper right, lower left, lower right. */
  readonly #weights = new Float64Array(4);

  /** @param bands number of maps whose samples are interleaved in the tiles */
  constructor(reading: SampleReading, header: BandHeader, tiles: BandTiles, bands = 1) {
    const { grid } = header;
    const turn = columnsOfTurn(grid);
    this.#scale = reading.scale;
    this.#offset = reading.offset;
    this.#tiles = tiles;
    this.#bands = bands;
    this.#across = Math.ceil(grid.width / header.tileEdge);
    this.#tileBits = Math.log2(header.tileEdge);
    this.#inTile = header.tileEdge - 1;
    this.#wraps = turn !== null && grid.width > turn - 0.5;
    // In a global node-registered grid the last column repeats the first and is not counted.
    this.#period = this.#wraps ? Math.min(grid.width, Math.round(turn!)) : grid.width;
    this.#turn = turn !== null;
    this.#projection = projectionOf(grid.proj4);
    this.#isNearest = reading.interpolation === 'nearest';
    this.#nodata = header.nodata ?? Number.NaN;
    this.#width = grid.width;
    this.#height = grid.height;
    const [t0, t1, t2, t3, t4, t5] = grid.transform;
    [this.#x0, this.#y0] = [t0, t3];
    [this.#dxCol, this.#dxRow, this.#dyCol, this.#dyRow] = [t1, t2, t4, t5];
    this.#determinant = t1 * t5 - t2 * t4;
  }

  /** Samples of a single map, in the order of the points. */
  sample(lngs: Float64Array, lats: Float64Array): readonly LayerSample[] {
    if (lngs.length !== lats.length) {
      throw new RangeError(`${lngs.length} longitudes and ${lats.length} latitudes`);
    }
    const values = new Float64Array(lngs.length);
    this.read(lngs, lats, values, [0]);
    return Array.from(values, sampleOf);
  }

  /**
   * Fills a column of `into` for each map, `into[columns[b] * lngs.length + i]`: NaN for nodata, `OFF` outside the
   * grid.
   */
  read(lngs: Float64Array, lats: Float64Array, into: Float64Array, columns: ArrayLike<number>): void {
    const count = lngs.length;
    for (let i = 0; i < count; i++) {
      if (!this.#locate(lngs[i]!, lats[i]!))
        for (let b = 0; b < this.#bands; b++) into[columns[b]! * count + i] = OFF;
      else if (this.#isNearest) this.#nearest(into, columns, count, i);
      else this.#bilinear(into, columns, count, i);
    }
    // Releases the last tile, because only the cache decides how many tiles stay in memory.
    this.#last = null;
    this.#lastTile = -1;
  }

  /** Sets the column and row of a point; false when it is outside the grid. */
  #locate(lng: number, lat: number): boolean {
    let dx = lng - this.#x0;
    let dy = lat - this.#y0;
    if (this.#turn) {
      const sign = this.#dxCol < 0 ? -1 : 1;
      const turns = Math.floor((dx * sign) / 360 + EDGE_TOLERANCE * ((this.#dxCol * sign) / 360));
      dx -= turns * 360 * sign;
    } else if (!this.#projection.isGeographic) {
      const [x, y] = this.#projection.fromLngLat(lng, lat);
      dx = x - this.#x0;
      dy = y - this.#y0;
    }
    const col = (dx * this.#dyRow - dy * this.#dxRow) / this.#determinant;
    const row = (dy * this.#dxCol - dx * this.#dyCol) / this.#determinant;
    this.#place[0] = col;
    this.#place[1] = row;
    const inRows = row >= -EDGE_TOLERANCE && row <= this.#height + EDGE_TOLERANCE;
    return this.#wraps
      ? inRows && Number.isFinite(col)
      : inRows && col >= -EDGE_TOLERANCE && col <= this.#width + EDGE_TOLERANCE;
  }

  #nearest(into: Float64Array, columns: ArrayLike<number>, count: number, i: number): void {
    const col = Math.floor(this.#place[0]!);
    const row = Math.floor(this.#place[1]!);
    for (let b = 0; b < this.#bands; b++) {
      const raw = this.#raw(col, row, b);
      into[columns[b]! * count + i] = this.#isKnown(raw) ? this.#scaled(raw) : Number.NaN;
    }
  }

  /** Bilinear sampling of all maps at the current point, without allocation: a batch has thousands of points. */
  #bilinear(into: Float64Array, columns: ArrayLike<number>, count: number, i: number): void {
    const col = this.#place[0]!;
    const row = this.#place[1]!;
    const left = Math.floor(col - 0.5);
    const top = Math.floor(row - 0.5);
    const fx = Math.min(Math.max(col - left - 0.5, 0), 1);
    const fy = Math.min(Math.max(row - top - 0.5, 0), 1);
    const w00 = (1 - fx) * (1 - fy);
    const w10 = fx * (1 - fy);
    const w01 = (1 - fx) * fy;
    const w11 = fx * fy;
    const weights = this.#weights;
    weights[0] = w00;
    weights[1] = w10;
    weights[2] = w01;
    weights[3] = w11;
    // Values are not extrapolated: the pixel that contains the point must have a value.
    const own = (col - left < 1 ? 0 : 1) + (row - top < 1 ? 0 : 2);
    const bands = this.#bands;
    const isWithin = left >= 0 && top >= 0 && left < this.#period - 1 && top < this.#height - 1;
    if (isWithin && (left & this.#inTile) < this.#inTile && (top & this.#inTile) < this.#inTile) {
      const tile = this.#tile((top >> this.#tileBits) * this.#across + (left >> this.#tileBits));
      const upper = (((top & this.#inTile) << this.#tileBits) + (left & this.#inTile)) * bands;
      const lower = upper + (bands << this.#tileBits);
      const nodata = this.#nodata;
      const scale = this.#scale;
      const offset = this.#offset;
      const isBetween = w00 >= NO_WEIGHT && w10 >= NO_WEIGHT && w01 >= NO_WEIGHT && w11 >= NO_WEIGHT;
      const total = w00 + w10 + w01 + w11;
      for (let b = 0; b < bands; b++) {
        const v00 = tile[upper + b]!;
        const v10 = tile[upper + bands + b]!;
        const v01 = tile[lower + b]!;
        const v11 = tile[lower + bands + b]!;
        // Most points have four valid neighbours: one check covers all four.
        const mean = (w00 * v00 + w10 * v10 + w01 * v01 + w11 * v11) / total;
        const isKnown = v00 !== nodata && v10 !== nodata && v01 !== nodata && v11 !== nodata;
        into[columns[b]! * count + i] =
          isBetween && isKnown && Number.isFinite(mean)
            ? mean * scale + offset
            : this.#scaled(this.#blend(v00, v10, v01, v11, own));
      }
      return;
    }
    for (let b = 0; b < bands; b++) {
      const value = this.#blend(
        this.#raw(left, top, b),
        this.#raw(left + 1, top, b),
        this.#raw(left, top + 1, b),
        this.#raw(left + 1, top + 1, b),
        own,
      );
      into[columns[b]! * count + i] = this.#scaled(value);
    }
  }

  /** Weighted mean of four raw samples, leaving out nodata; NaN when the sample with index `own` is nodata. */
  #blend(v00: number, v10: number, v01: number, v11: number, own: number): number {
    const center = own === 0 ? v00 : own === 1 ? v10 : own === 2 ? v01 : v11;
    if (!this.#isKnown(center)) return Number.NaN;
    const weights = this.#weights;
    let sum = 0;
    let total = 0;
    if (weights[0]! >= NO_WEIGHT && this.#isKnown(v00)) {
      sum += weights[0]! * v00;
      total += weights[0]!;
    }
    if (weights[1]! >= NO_WEIGHT && this.#isKnown(v10)) {
      sum += weights[1]! * v10;
      total += weights[1]!;
    }
    if (weights[2]! >= NO_WEIGHT && this.#isKnown(v01)) {
      sum += weights[2]! * v01;
      total += weights[2]!;
    }
    if (weights[3]! >= NO_WEIGHT && this.#isKnown(v11)) {
      sum += weights[3]! * v11;
      total += weights[3]!;
    }
    return sum / total;
  }

  #isKnown(raw: number): boolean {
    return raw !== this.#nodata && !Number.isNaN(raw);
  }

  #scaled(raw: number): number {
    return raw === OFF ? OFF : raw * this.#scale + this.#offset;
  }

  /** Raw sample of a pixel. Columns wrap in a global grid; rows are limited to the grid. */
  #raw(col: number, row: number, band: number): number {
    const y = Math.min(Math.max(row, 0), this.#height - 1);
    const x = this.#wraps
      ? ((col % this.#period) + this.#period) % this.#period
      : Math.min(Math.max(col, 0), this.#width - 1);
    const tile = this.#tile((y >> this.#tileBits) * this.#across + (x >> this.#tileBits));
    return tile[(((y & this.#inTile) << this.#tileBits) + (x & this.#inTile)) * this.#bands + band]!;
  }

  #tile(tile: number): BlockSamples {
    if (tile !== this.#lastTile || this.#last === null) {
      this.#last = this.#tiles.tile(tile);
      this.#lastTile = tile;
    }
    return this.#last;
  }
}
