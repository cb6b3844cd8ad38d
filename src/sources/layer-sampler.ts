import type { LayerSample } from '../app/ports.ts';
import type { Grid } from '../geo/grid.ts';
import { projectionOf } from '../geo/projection.ts';
import { sampleBilinear } from '../raster/sample.ts';
import { TILE_EDGE, tilesAcross } from './band-file.ts';
import type { BandFile } from './band-file.ts';
import type { TileCache } from './tile-cache.ts';
import type { BlockSamples } from './tiff-block.ts';

/** How far off its edge a grid still takes a point: rounding of coordinates [pixels]. */
const EDGE_TOLERANCE = 1e-6;

const OUTSIDE: LayerSample = { ok: false, reason: 'outside' };
const NODATA: LayerSample = { ok: false, reason: 'nodata' };

/** How a band's raw samples become the layer's values. */
export interface SampleReading {
  /** Value = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** `nearest` for classes, `bilinear` for fields. */
  readonly interpolation: 'nearest' | 'bilinear';
}

/** Column and row of a point on a grid, in pixels from the first pixel's outer corner. */
type ToPixel = (lng: number, lat: number) => readonly [col: number, row: number];

function pixelMap(grid: Grid, period: number | null): ToPixel {
  const [t0, t1, t2, t3, t4, t5] = grid.transform;
  const determinant = t1 * t5 - t2 * t4;
  const projection = projectionOf(grid.proj4);
  return (lng, lat) => {
    const [x, y] = projection.fromLngLat(lng, lat);
    let dx = x - t0;
    // A grid of longitudes may begin anywhere, and run over the antimeridian.
    if (period !== null) {
      const turns = Math.floor((dx * Math.sign(t1)) / 360 + EDGE_TOLERANCE * (Math.abs(t1) / 360));
      dx -= turns * 360 * Math.sign(t1);
    }
    const dy = y - t3;
    return [(dx * t5 - dy * t2) / determinant, (dy * t1 - dx * t4) / determinant];
  };
}

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
  readonly #toPixel: ToPixel;
  readonly #across: number;
  /** Whether the last column is the neighbour of the first. */
  readonly #wraps: boolean;
  /** Columns until the grid repeats. */
  readonly #period: number;
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
    this.#toPixel = pixelMap(grid, turn);
  }

  /** Answers in the order of the points. */
  sample(lngs: Float64Array, lats: Float64Array): readonly LayerSample[] {
    if (lngs.length !== lats.length) {
      throw new RangeError(`${lngs.length} longitudes and ${lats.length} latitudes`);
    }
    const values = new Float64Array(4);
    const window = { values, width: 2, height: 2, nodata: null };
    const answers: LayerSample[] = [];
    for (let i = 0; i < lngs.length; i++) answers.push(this.#sampleOne(lngs[i]!, lats[i]!, window));
    // The tile of the last point must not be kept alive beyond the cache's bound.
    this.#last = null;
    this.#lastTile = -1;
    return answers;
  }

  #sampleOne(
    lng: number,
    lat: number,
    window: {
      readonly values: Float64Array;
      readonly width: number;
      readonly height: number;
      readonly nodata: null;
    },
  ): LayerSample {
    const { width, height } = this.#band.header.grid;
    const [col, row] = this.#toPixel(lng, lat);
    const inRows = row >= -EDGE_TOLERANCE && row <= height + EDGE_TOLERANCE;
    const inColumns = this.#wraps
      ? Number.isFinite(col)
      : col >= -EDGE_TOLERANCE && col <= width + EDGE_TOLERANCE;
    if (!inRows || !inColumns) return OUTSIDE;
    let value: number;
    if (this.#reading.interpolation === 'nearest') {
      value = this.#raw(Math.floor(col), Math.floor(row));
    } else {
      const left = Math.floor(col - 0.5);
      const top = Math.floor(row - 0.5);
      for (let k = 0; k < 4; k++) window.values[k] = this.#raw(left + (k & 1), top + (k >> 1));
      value = sampleBilinear(window, col - left, row - top);
    }
    if (Number.isNaN(value)) return NODATA;
    return { ok: true, value: value * this.#reading.scale + this.#reading.offset };
  }

  /** Raw value of a pixel, NaN for nodata; columns wrap where the grid goes round, rows end at the poles. */
  #raw(col: number, row: number): number {
    const { grid, nodata } = this.#band.header;
    const y = Math.min(Math.max(row, 0), grid.height - 1);
    const x = this.#wraps
      ? ((col % this.#period) + this.#period) % this.#period
      : Math.min(Math.max(col, 0), grid.width - 1);
    const tile = Math.floor(y / TILE_EDGE) * this.#across + Math.floor(x / TILE_EDGE);
    if (tile !== this.#lastTile || this.#last === null) {
      this.#last = this.#tiles.tile(this.#band, this.#id, tile);
      this.#lastTile = tile;
    }
    const value = this.#last[(y % TILE_EDGE) * TILE_EDGE + (x % TILE_EDGE)]!;
    return value === nodata ? Number.NaN : value;
  }
}
