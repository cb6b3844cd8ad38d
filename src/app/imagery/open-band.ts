import type { Grid } from '../../geo/grid.ts';
import { planResampling, type Rows } from '../../raster/resample.ts';
import type { SceneBand, SceneSource, WindowedRaster } from './scene-source.ts';

/** An open file of one band, and how it comes onto a grid. */
export class OpenBand {
  readonly scale: number;
  readonly offset: number;
  readonly #band: SceneBand;
  readonly #raster: WindowedRaster;
  readonly #grid: Grid;

  private constructor(band: SceneBand, raster: WindowedRaster, grid: Grid) {
    this.scale = band.scale ?? raster.scale;
    this.offset = band.offset ?? raster.offset;
    this.#band = band;
    this.#raster = raster;
    this.#grid = grid;
  }

  /** @returns null if the file does not overlap the grid */
  static async open(source: SceneSource, band: SceneBand, grid: Grid): Promise<OpenBand | null> {
    const raster = await source.open(band.href);
    try {
      if (planResampling(raster.grid, grid) !== null) return new OpenBand(band, raster, grid);
    } catch (error) {
      await raster.close();
      throw error;
    }
    await raster.close();
    return null;
  }

  /** Reads rows of the grid; NaN where the file has nothing. */
  async read(rows: Rows, kind: 'values' | 'classes'): Promise<Float32Array> {
    const plan = planResampling(this.#raster.grid, this.#grid, rows);
    if (plan === null) return new Float32Array(this.#grid.width * (rows.last - rows.first)).fill(Number.NaN);
    const samples = await this.#raster.read(this.#band.band, plan.window);
    const nodata = this.#band.nodata ?? this.#raster.nodata;
    if (kind === 'values' && nodata !== null)
      for (let i = 0; i < samples.length; i++) if (samples[i] === nodata) samples[i] = Number.NaN;
    return plan.apply(samples, kind);
  }

  close(): Promise<void> {
    return this.#raster.close();
  }
}
