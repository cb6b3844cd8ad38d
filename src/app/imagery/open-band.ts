import { release } from '../../base/release.ts';
import type { Grid } from '../../geo/grid.ts';
import { planResampling, type Rows } from '../../raster/resample.ts';
import type { SceneBand, SceneSource, WindowedRaster } from './scene-source.ts';

/** The first band of a file, with its samples as they are. */
export const FIRST_BAND = { band: 0, scale: 1, offset: 0, nodata: null } as const;

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

  /** Whether the file has pixels in rows of the grid. */
  overlaps(rows: Rows): boolean {
    return planResampling(this.#raster.grid, this.#grid, rows) !== null;
  }

  /**
   * Reads rows of the grid; NaN where the file has nothing.
   * @param convert changes the samples in place before they come onto the grid
   */
  async read(
    rows: Rows,
    kind: 'values' | 'classes',
    convert?: (samples: Float32Array) => void,
  ): Promise<Float32Array> {
    const plan = planResampling(this.#raster.grid, this.#grid, rows);
    if (plan === null) return new Float32Array(this.#grid.width * (rows.last - rows.first)).fill(Number.NaN);
    const samples = await this.#raster.read(this.#band.band, plan.window);
    const nodata = this.#band.nodata ?? this.#raster.nodata;
    if (kind === 'values' && nodata !== null)
      for (let i = 0; i < samples.length; i++) if (samples[i] === nodata) samples[i] = Number.NaN;
    convert?.(samples);
    const values = plan.apply(samples, kind);
    if (values !== samples) release(samples);
    return values;
  }

  close(): Promise<void> {
    return this.#raster.close();
  }
}

/**
 * Opens files of a scene together; null for each that does not overlap the grid.
 * @throws the error of the first one that cannot be opened; none stays open then
 */
export async function openBands(
  source: SceneSource,
  bands: readonly SceneBand[],
  grid: Grid,
): Promise<readonly (OpenBand | null)[]> {
  const opening = await Promise.allSettled(bands.map((band) => OpenBand.open(source, band, grid)));
  const open = opening.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = opening.find((one) => one.status === 'rejected');
  if (failed === undefined) return open;
  await Promise.all(open.map(async (band) => band?.close()));
  throw failed.reason;
}
