import { release } from '../../base/release.ts';
import type { Grid } from '../../geo/grid.ts';
import type { BandAdjustment } from '../../raster/band-adjustment.ts';
import { ClearView } from '../../raster/quality/clear-view.ts';
import type { Rows } from '../../raster/resample.ts';
import {
  type Band,
  SPECTRAL_INDICES,
  spectralIndex,
  type SpectralIndex,
} from '../../raster/spectral-index.ts';
import { InvalidInput } from '../../base/errors.ts';
import { FIRST_BAND, type OpenBand, openBands } from './open-band.ts';
import { ScenePicture } from './scene-picture.ts';
import type { SceneBand, SceneItem, SceneSource } from './scene-source.ts';
import { stripsOf } from './strips.ts';

/**
 * Maximum share of clear land pixels with negative reflectance in a band. Above it, the declared offset is considered
 * wrong (own choice).
 */
const MAX_NEGATIVE_SHARE = 0.1;
/** Number of clear land pixels of a band that suffice to judge its offset. */
const ENOUGH_LAND = 100_000;
/** Returns the bands that the given indices are computed from. */
export function bandsOf(metrics: readonly SpectralIndex[]): readonly Band[] {
  return [...new Set(metrics.flatMap((metric) => [...SPECTRAL_INDICES[metric]]))];
}

/** What some rows of a scene show: the indices, NaN where it does not show the ground, and 1 for pixels with snow. */
export interface ShownRows {
  readonly indices: ReadonlyMap<SpectralIndex, Float32Array>;
  readonly isSnow: Uint8Array;
}

/** How a scene is read. */
interface SceneReadingOptions {
  readonly adjustment: BandAdjustment | undefined;
  readonly isTrueColour: boolean;
}

/** The bands of rows of a scene as they are in the files; NaN: nodata. */
interface RawRows {
  readonly quality: Float32Array;
  readonly values: ReadonlyMap<Band, Float32Array>;
}

/** A scene whose files are open. Its rows are read strip by strip, from the first to the last. */
export class OpenScene {
  readonly #grid: Grid;
  readonly #metrics: readonly SpectralIndex[];
  readonly #view: ClearView;
  readonly #quality: OpenBand;
  readonly #bands: ReadonlyMap<Band, OpenBand>;
  readonly #adjustment: BandAdjustment | undefined;
  #picture: ScenePicture | null;
  /** Whether the declared offset is wrong; undefined until it is judged. */
  #isShifted: boolean | undefined;
  /** The only strip, if it was read to judge the offset. */
  #ahead: RawRows | undefined;

  private constructor(
    grid: Grid,
    metrics: readonly SpectralIndex[],
    files: { readonly quality: OpenBand; readonly bands: ReadonlyMap<Band, OpenBand> },
    view: ClearView,
    picture: ScenePicture | null,
    adjustment: BandAdjustment | undefined,
  ) {
    this.#grid = grid;
    this.#metrics = metrics;
    this.#view = view;
    this.#quality = files.quality;
    this.#bands = files.bands;
    this.#picture = picture;
    this.#adjustment = adjustment;
  }

  /**
   * Opens the files of a scene; null if it does not overlap the grid.
   * @throws InvalidInput when the scene lacks a band; the errors of the files
   */
  static async open(
    source: SceneSource,
    item: SceneItem,
    metrics: readonly SpectralIndex[],
    grid: Grid,
    { adjustment, isTrueColour }: SceneReadingOptions,
  ): Promise<OpenScene | null> {
    const wanted = bandsOf(metrics);
    const lacking = wanted.find((band) => item.bands[band] === undefined);
    if (lacking !== undefined) throw new InvalidInput(`${item.id}: expected a band of ${lacking}`);
    if (item.quality === null) throw new InvalidInput(`${item.id}: expected a quality band`);
    const fileOf = (band: Band): SceneBand =>
      band === 'nir' && adjustment?.narrowNir === true ? item.narrowNir! : item.bands[band]!;
    const files = [{ ...FIRST_BAND, href: item.quality.href }, ...wanted.map(fileOf)];
    const open = await openBands(source, files, grid);
    const close = (): Promise<unknown> => Promise.all(open.map(async (band) => band?.close()));
    if (open.includes(null)) {
      await close();
      return null;
    }
    const [quality, ...bands] = open as [OpenBand, ...OpenBand[]];
    const known = new Map(wanted.map((band, b) => [band, bands[b]!]));
    try {
      const picture = isTrueColour ? await ScenePicture.open(source, item, grid, known) : null;
      const view = new ClearView(item.quality.encoding);
      return new OpenScene(grid, metrics, { quality, bands: known }, view, picture, adjustment);
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Computes the indices of some rows. @throws the errors of the files */
  async read(rows: Rows): Promise<ShownRows> {
    this.#isShifted ??= await this.#judgeOffset();
    const { quality, values } = this.#ahead ?? (await this.#raw(rows));
    this.#ahead = undefined;
    if (this.#picture !== null && !(await this.#picture.add(values, rows))) await this.#dropPicture();
    const hidden = new Uint8Array(quality.length);
    const isSnow = new Uint8Array(quality.length);
    this.#view.hideUnclear(quality, (pixel, shows) => {
      hidden[pixel] = 1;
      if (shows === 'snow') isSnow[pixel] = 1;
    });
    const bands: Partial<Record<Band, Float32Array>> = {};
    for (const [band, raw] of values) {
      const { scale, offset } = this.#bands.get(band)!;
      const shift = this.#isShifted ? 0 : offset;
      const line = this.#adjustment?.lines.find((each) => each.band === band);
      const { slope, intercept } = line ?? { slope: 1, intercept: 0 };
      for (let p = 0; p < raw.length; p++)
        raw[p] = hidden[p] === 1 ? Number.NaN : (raw[p]! * scale + shift) * slope + intercept;
      bands[band] = raw;
    }
    const indices = new Map(this.#metrics.map((metric) => [metric, spectralIndex(metric, bands)]));
    for (const used of [quality, hidden, ...values.values()]) release(used);
    return { indices, isSnow };
  }

  /** The picture of all rows, which were read; null if the scene has none. */
  picture(): Uint8Array | null {
    return this.#picture?.planes(this.#isShifted === true) ?? null;
  }

  async close(): Promise<void> {
    await this.#dropPicture();
    await Promise.all([this.#quality, ...this.#bands.values()].map((band) => band.close()));
  }

  async #dropPicture(): Promise<void> {
    await this.#picture?.close();
    this.#picture = null;
  }

  async #raw(rows: Rows): Promise<RawRows> {
    const names = [...this.#bands.keys()];
    const [quality, ...values] = await Promise.all([
      this.#quality.read(rows, 'classes'),
      ...names.map((band) => this.#bands.get(band)!.read(rows, 'values')),
    ]);
    return { quality, values: new Map(names.map((band, b) => [band, values[b]!])) };
  }

  /**
   * Returns whether the declared negative offset has already been applied to the pixels. Applying it again would give
   * many clear land pixels a negative reflectance. Some public catalogues declare offsets that are already applied
   * (Earth Search, issues 66 and 71). Looks at strips, from the middle on, until they show enough land.
   */
  async #judgeOffset(): Promise<boolean> {
    const judged = [...this.#bands].filter(([, { offset }]) => offset < 0);
    if (judged.length === 0) return false;
    const counts = judged.map(() => ({ land: 0, negative: 0 }));
    const strips = stripsOf(this.#grid);
    const middle = strips.length >> 1;
    for (const rows of [...strips.slice(middle), ...strips.slice(0, middle)]) {
      const raw = await this.#raw(rows);
      // A scene of one strip is not read again. Of others, one strip more would have to be kept.
      if (strips.length === 1) this.#ahead = raw;
      for (const [b, [band, { scale, offset }]] of judged.entries()) {
        const count = counts[b]!;
        const values = raw.values.get(band)!;
        for (let p = 0; p < values.length; p++) {
          const value = values[p]!;
          if (Number.isNaN(value) || this.#view.view(raw.quality[p]!) !== 'clear') continue;
          count.land++;
          if (value * scale + offset < 0) count.negative++;
        }
      }
      if (strips.length > 1) for (const used of [raw.quality, ...raw.values.values()]) release(used);
      if (counts.every(({ land }) => land >= ENOUGH_LAND)) break;
    }
    return counts.some(({ land, negative }) => negative > MAX_NEGATIVE_SHARE * land);
  }
}
