import type { LayerSample } from '../app/ports.ts';
import type { Grid } from '../geo/grid.ts';
import { type Projection, projectionOf } from '../geo/projection.ts';
import { TILE_EDGE, tilesAcross } from './band-file.ts';
import type { BandFile } from './band-file.ts';
import type { TileCache } from './tile-cache.ts';
import type { BlockSamples } from './tiff-block.ts';

/** How far off its edge a grid still takes a point: rounding of coordinates [pixels]. */
const EDGE_TOLERANCE = 1e-6;

const OUTSIDE: LayerSample = { ok: false, reason: 'outside' };
const NODATA: LayerSample = { ok: false, reason: 'nodata' };
/** Stands for a point off the grid. A sample that is infinite itself is no value either. */
const OFF = Infinity;

/** How a band's raw samples become the layer's values. */
export interface SampleReading {
  /** Value = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** `nearest` for classes, `bilinear` for fields. */
  readonly interpolation: 'nearest' | 'bilinear';
}

/** Weights below this are rounding of a place that sits on a pixel centre [1]; as in raster/sample. */
const NO_WEIGHT = 1e-9;

/** Columns of a whole turn, when the grid is in degrees along the axes; else null. */
function columnsOfTurn(grid: Grid): number | null {
  const [, t1, t2, , t4] = grid.transform;
  return projectionOf(grid.proj4).isGeographic && t2 === 0 && t4 === 0 ? 360 / Math.abs(t1) : null;
}

/** Samples one served band at points, by its own interpolation. */
export class LayerSampler {
  readonly #reading: SampleReading;
  readonly #band: BandFile;
  readonly #id: number;
  readonly #tiles: TileCache;
  readonly #projection: Projection;
  readonly #isNearest: boolean;
  readonly #nodata: number | null;
  readonly #width: number;
  readonly #height: number;
  readonly #across: number;
  /** Whether the last column is the neighbour of the first. */
  readonly #wraps: boolean;
  /** Columns until the grid repeats. */
  readonly #period: number;
  /** Whether the grid is in degrees along its axes: it may begin at any longitude, and run over the antimeridian. */
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

  constructor(reading: SampleReading, band: BandFile, id: number, tiles: TileCache) {
    const { grid } = band.header;
    const turn = columnsOfTurn(grid);
    this.#reading = reading;
    this.#band = band;
    this.#id = id;
    this.#tiles = tiles;
    this.#across = tilesAcross(grid.width);
    this.#wraps = turn !== null && grid.width > turn - 0.5;
    // A grid registered at its nodes repeats its first column as its last.
    this.#period = this.#wraps ? Math.min(grid.width, Math.round(turn!)) : grid.width;
    this.#turn = turn !== null;
    this.#projection = projectionOf(grid.proj4);
    this.#isNearest = reading.interpolation === 'nearest';
    this.#nodata = band.header.nodata;
    this.#width = grid.width;
    this.#height = grid.height;
    const [t0, t1, t2, t3, t4, t5] = grid.transform;
    [this.#x0, this.#y0] = [t0, t3];
    [this.#dxCol, this.#dxRow, this.#dyCol, this.#dyRow] = [t1, t2, t4, t5];
    this.#determinant = t1 * t5 - t2 * t4;
  }

  /** Answers in the order of the points. */
  sample(lngs: Float64Array, lats: Float64Array): readonly LayerSample[] {
    if (lngs.length !== lats.length) {
      throw new RangeError(`${lngs.length} longitudes and ${lats.length} latitudes`);
    }
    const answers: LayerSample[] = [];
    const { scale, offset } = this.#reading;
    for (let i = 0; i < lngs.length; i++) {
      const value = this.#sampleOne(lngs[i]!, lats[i]!);
      if (Number.isNaN(value)) answers.push(NODATA);
      else answers.push(value === OFF ? OUTSIDE : { ok: true, value: value * scale + offset });
    }
    // The tile of the last point must not be kept alive beyond the cache's bound.
    this.#last = null;
    this.#lastTile = -1;
    return answers;
  }

  /** Raw value at a point, NaN for nodata, `OFF` off the grid. */
  #sampleOne(lng: number, lat: number): number {
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
    const inRows = row >= -EDGE_TOLERANCE && row <= this.#height + EDGE_TOLERANCE;
    const inColumns = this.#wraps
      ? Number.isFinite(col)
      : col >= -EDGE_TOLERANCE && col <= this.#width + EDGE_TOLERANCE;
    if (!inRows || !inColumns) return OFF;
    return this.#isNearest ? this.#raw(Math.floor(col), Math.floor(row)) : this.#bilinear(col, row);
  }

  /** As `sampleBilinear` of raster/sample, without a window to fill: a batch is thousands of these. */
  #bilinear(col: number, row: number): number {
    const left = Math.floor(col - 0.5);
    const top = Math.floor(row - 0.5);
    const fx = Math.min(Math.max(col - left - 0.5, 0), 1);
    const fy = Math.min(Math.max(row - top - 0.5, 0), 1);
    const v00 = this.#raw(left, top);
    let v10: number;
    let v01: number;
    let v11: number;
    const x = left % TILE_EDGE;
    const y = top % TILE_EDGE;
    const isInside =
      x >= 0 &&
      y >= 0 &&
      x < TILE_EDGE - 1 &&
      y < TILE_EDGE - 1 &&
      left < this.#period - 1 &&
      top < this.#height - 1;
    if (isInside) {
      const tile = this.#last!;
      const at = y * TILE_EDGE + x;
      v10 = this.#known(tile[at + 1]!);
      v01 = this.#known(tile[at + TILE_EDGE]!);
      v11 = this.#known(tile[at + TILE_EDGE + 1]!);
    } else {
      v10 = this.#raw(left + 1, top);
      v01 = this.#raw(left, top + 1);
      v11 = this.#raw(left + 1, top + 1);
    }
    // Data never grow beyond their own edge: the pixel that the place is in must have a value.
    const own = col - left < 1 ? (row - top < 1 ? v00 : v01) : row - top < 1 ? v10 : v11;
    if (Number.isNaN(own)) return own;
    let sum = 0;
    let weights = 0;
    for (let k = 0; k < 4; k++) {
      const weight = ((k & 1) === 1 ? fx : 1 - fx) * ((k & 2) === 2 ? fy : 1 - fy);
      const value = k === 0 ? v00 : k === 1 ? v10 : k === 2 ? v01 : v11;
      if (weight < NO_WEIGHT || Number.isNaN(value)) continue;
      sum += weight * value;
      weights += weight;
    }
    return sum / weights;
  }

  #known(value: number): number {
    return value === this.#nodata ? Number.NaN : value;
  }

  /** Raw value of a pixel, NaN for nodata; columns wrap where the grid goes round, rows end at the poles. */
  #raw(col: number, row: number): number {
    const y = Math.min(Math.max(row, 0), this.#height - 1);
    const x = this.#wraps
      ? ((col % this.#period) + this.#period) % this.#period
      : Math.min(Math.max(col, 0), this.#width - 1);
    const tile = Math.floor(y / TILE_EDGE) * this.#across + Math.floor(x / TILE_EDGE);
    if (tile !== this.#lastTile || this.#last === null) {
      this.#last = this.#tiles.tile(this.#band, this.#id, tile);
      this.#lastTile = tile;
    }
    return this.#known(this.#last[(y % TILE_EDGE) * TILE_EDGE + (x % TILE_EDGE)]!);
  }
}
