import { release } from '../../base/release.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import type { Grid } from '../../geo/grid.ts';
import type { Rows } from '../../raster/resample.ts';
import type { Band } from '../../raster/spectral-index.ts';
import { BlockMeans, brightnessOf, COLOUR_BANDS, UNSEEN } from '../../raster/true-colour.ts';
import { pictureGrid, pictureStep } from '../series/colour-cube.ts';
import { OpenBand } from './open-band.ts';
import type { SceneItem, SceneSource } from './scene-source.ts';

/** The picture of a scene in true colour, clouds included. */
export class ScenePicture {
  readonly #grid: Grid;
  readonly #bands: readonly {
    readonly band: Band;
    readonly file: OpenBand;
    readonly isOwn: boolean;
    readonly means: BlockMeans;
  }[];

  private constructor(
    grid: Grid,
    bands: ReadonlyMap<Band, { readonly file: OpenBand; readonly isOwn: boolean }>,
  ) {
    this.#grid = grid;
    this.#bands = [...bands].map(([band, open]) => ({
      band,
      ...open,
      means: new BlockMeans(grid.width, grid.height, pictureStep(grid)),
    }));
  }

  /**
   * Opens the bands that are not `known`.
   * @returns null for a scene without red, green and blue, or with such a band that cannot be used: an index needs none
   * @throws UpstreamUnavailable when a file cannot be fetched now
   */
  static async open(
    source: SceneSource,
    { bands }: SceneItem,
    grid: Grid,
    known: ReadonlyMap<Band, OpenBand>,
  ): Promise<ScenePicture | null> {
    if (COLOUR_BANDS.some((band) => bands[band] === undefined)) return null;
    const opened = new Map<Band, { readonly file: OpenBand; readonly isOwn: boolean }>();
    for (const band of COLOUR_BANDS) {
      let file = known.get(band);
      const isOwn = file === undefined;
      let failure: unknown;
      try {
        file ??= (await OpenBand.open(source, bands[band]!, grid)) ?? undefined;
      } catch (error) {
        failure = error;
      }
      if (file === undefined) {
        for (const other of opened.values()) if (other.isOwn) await other.file.close();
        if (failure === undefined || isUnusable(failure)) return null;
        throw failure;
      }
      opened.set(band, { file, isOwn });
    }
    return new ScenePicture(grid, opened);
  }

  /** Adds rows. @returns false if a band cannot be used. @throws UpstreamUnavailable */
  async add(known: ReadonlyMap<Band, Float32Array>, rows: Rows): Promise<boolean> {
    for (const { band, file, isOwn, means } of this.#bands) {
      try {
        const values = isOwn ? await file.read(rows, 'values') : known.get(band)!;
        means.add(values, rows.first);
        if (isOwn) release(values);
      } catch (error) {
        if (isUnusable(error)) return false;
        throw error;
      }
    }
    return true;
  }

  planes(isShifted: boolean): Uint8Array {
    const { width, height } = pictureGrid(this.#grid);
    const pixels = width * height;
    const planes = new Uint8Array(this.#bands.length * pixels);
    for (const [b, { file, means }] of this.#bands.entries()) {
      const shift = isShifted ? 0 : file.offset;
      for (const [p, mean] of means.means().entries())
        planes[b * pixels + p] = brightnessOf(mean * file.scale + shift);
    }
    // A pixel without one of its bands has no colour.
    for (let p = 0; p < pixels; p++)
      if (planes[p] === UNSEEN || planes[p + pixels] === UNSEEN || planes[p + 2 * pixels] === UNSEEN)
        for (let at = p; at < planes.length; at += pixels) planes[at] = UNSEEN;
    return planes;
  }

  async close(): Promise<void> {
    for (const { file, isOwn } of this.#bands) if (isOwn) await file.close();
  }
}

function isUnusable(error: unknown): boolean {
  return error instanceof InvalidInput || error instanceof NotFound;
}
