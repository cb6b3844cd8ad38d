import type { Grid } from '../../geo/grid.ts';
import { ClearView } from '../../raster/quality/clear-view.ts';
import type { BandAdjustment } from '../../raster/band-adjustment.ts';
import { PixelSet } from '../../raster/pixel-set.ts';
import { planResampling } from '../../raster/resample.ts';
import {
  type Band,
  SPECTRAL_INDICES,
  spectralIndex,
  type SpectralIndex,
} from '../../raster/spectral-index.ts';
import { adjustmentOf } from './adjusted-scenes.ts';
import { MISSING_INT16 } from './collection-writer.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import { blockMeans, brightnessOf, COLOUR_BANDS, UNSEEN } from '../../raster/true-colour.ts';
import { pictureGrid, pictureStep } from '../series/colour-cube.ts';
import type { SceneBand, SceneItem, SceneSource, WindowedRaster } from './scene-source.ts';

/** Difference in an index between two consecutive stored integers [1]: smaller than the noise of any sensor. */
export const INDEX_SCALE = 1e-4;
/**
 * Maximum share of clear land pixels with negative reflectance in a band. Above it, the declared offset is considered
 * wrong (own choice).
 */
const MAX_NEGATIVE_SHARE = 0.1;

/** What one pass shows. */
export interface PassSamples {
  /** Values for each metric, as stored integers. MISSING_INT16 marks a missing value. */
  readonly indices: ReadonlyMap<string, Int16Array>;
  /** The pixels that show snow, and in no scene of the pass the ground. */
  readonly snow: PixelSet;
  /**
   * Its picture in true colour: brightness of red, green and blue on `pictureGrid`, plane by plane; null if no scene of
   * the pass has these three bands.
   */
  readonly colours: Uint8Array | null;
}

/** How scenes are read. */
export interface ReadingOptions {
  /** Whether the bands are adjusted to the reference sensor; by default they are not. */
  readonly isAdjusted?: boolean;
  /** Whether they get a picture in true colour; by default they do. */
  readonly isTrueColour?: boolean;
}

/** Returns the bands that the given indices are computed from. */
export function bandsOf(metrics: readonly SpectralIndex[]): readonly Band[] {
  return [...new Set(metrics.flatMap((metric) => [...SPECTRAL_INDICES[metric]]))];
}

/** Returns the indices that can be computed from the bands of a scene. */
export function indicesOf({ bands }: SceneItem): readonly SpectralIndex[] {
  return (Object.keys(SPECTRAL_INDICES) as SpectralIndex[]).filter((metric) =>
    SPECTRAL_INDICES[metric].every((band) => bands[band] !== undefined),
  );
}

/**
 * Computes the indices of one pass on a grid. Where scenes overlap, the first one that shows the ground is used.
 * Pixels under cloud, shadow or snow and pixels outside all scenes are missing.
 * @throws InvalidInput when a scene lacks a band or a file is damaged; UpstreamUnavailable when a file cannot be
 * fetched
 */
export async function readPass(
  source: SceneSource,
  items: readonly SceneItem[],
  metrics: readonly SpectralIndex[],
  grid: Grid,
  { isAdjusted = false, isTrueColour = true }: ReadingOptions = {},
): Promise<PassSamples> {
  const pixels = grid.width * grid.height;
  const pass = new Map(metrics.map((metric) => [metric, new Int16Array(pixels).fill(MISSING_INT16)]));
  const isSnow = new Uint8Array(pixels);
  let colours: Uint8Array | null = null;
  for (const item of items) {
    const adjustment = isAdjusted ? adjustmentOf(item) : undefined;
    const shown = await readScene(source, item, metrics, grid, { adjustment, isTrueColour });
    if (shown === null) continue;
    colours = merged(colours, shown.colours);
    for (let p = 0; p < pixels; p++) isSnow[p]! |= shown.isSnow[p]!;
    for (const metric of metrics) {
      const into = pass.get(metric)!;
      const values = shown.indices.get(metric)!;
      for (let p = 0; p < pixels; p++) {
        const value = values[p]!;
        if (into[p] === MISSING_INT16 && !Number.isNaN(value)) into[p] = Math.round(value / INDEX_SCALE);
      }
    }
  }
  const snow = new PixelSet(pixels);
  const values = [...pass.values()];
  const isSeen = (p: number): boolean => values.some((into) => into[p] !== MISSING_INT16);
  for (let p = 0; p < pixels; p++) if (isSnow[p] === 1 && !isSeen(p)) snow.add(p);
  return { indices: pass, snow, colours };
}

/**
 * What one scene shows: the indices, NaN where it does not show the ground, 1 for each pixel with snow, and its picture,
 * clouds included.
 */
interface ShownScene {
  readonly indices: ReadonlyMap<SpectralIndex, Float32Array>;
  readonly isSnow: Uint8Array;
  readonly colours: Uint8Array | null;
}

/** Fills what the first picture does not show from another. */
function merged(first: Uint8Array | null, other: Uint8Array | null): Uint8Array | null {
  if (first === null || other === null) return first ?? other;
  const pixels = first.length / COLOUR_BANDS.length;
  for (let p = 0; p < pixels; p++)
    if (first[p] === UNSEEN) for (let at = p; at < first.length; at += pixels) first[at] = other[at]!;
  return first;
}

/** Computes the indices of one scene; null if it does not overlap the grid. */
async function readScene(
  source: SceneSource,
  item: SceneItem,
  metrics: readonly SpectralIndex[],
  grid: Grid,
  how: { readonly adjustment: BandAdjustment | undefined; readonly isTrueColour: boolean },
): Promise<ShownScene | null> {
  const { adjustment, isTrueColour } = how;
  const wanted = bandsOf(metrics);
  const lacking = wanted.find((band) => item.bands[band] === undefined);
  if (lacking !== undefined) throw new InvalidInput(`${item.id}: expected a band of ${lacking}`);
  if (item.quality === null) throw new InvalidInput(`${item.id}: expected a quality band`);
  const bandFile = (band: Band): SceneBand =>
    band === 'nir' && adjustment?.narrowNir === true ? item.narrowNir! : item.bands[band]!;
  const [quality, ...raw] = await Promise.all([
    readOnto(source, { ...NO_SCALE, href: item.quality.href }, grid, 'classes'),
    ...wanted.map((band) => readOnto(source, bandFile(band), grid, 'values')),
  ]);
  if (quality === null || raw.some((band) => band === null)) return null;
  const view = new ClearView(item.quality.encoding);
  const isLand = Array.from(quality.values, (value) => view.view(value) === 'clear');
  const hidden = new Uint8Array(isLand.length);
  const isSnow = new Uint8Array(isLand.length);
  view.hideUnclear(
    quality.values.map((value) => (Number.isNaN(value) ? -1 : value)),
    (pixel, shows) => {
      hidden[pixel] = 1;
      if (shows === 'snow') isSnow[pixel] = 1;
    },
  );
  const bands: Partial<Record<Band, Float32Array>> = {};
  const read = raw as readonly OnGrid[];
  const isShifted = read.some((band) => isOffsetWrong(band, isLand));
  for (const [b, { values, scale, offset }] of read.entries()) {
    const shift = isShifted ? 0 : offset;
    const line = adjustment?.lines.find(({ band }) => band === wanted[b]);
    const { slope, intercept } = line ?? { slope: 1, intercept: 0 };
    bands[wanted[b]!] = values.map((value, p) =>
      hidden[p] === 1 || Number.isNaN(quality.values[p]!)
        ? Number.NaN
        : (value * scale + shift) * slope + intercept,
    );
  }
  const indices = new Map(metrics.map((metric) => [metric, spectralIndex(metric, bands)]));
  const known = new Map(read.map((band, b) => [wanted[b]!, band]));
  const colours = isTrueColour ? await readColours(source, item, grid, known, isShifted) : null;
  return { indices, isSnow, colours };
}

/**
 * Reads the picture of a scene in true colour: the bands that are not `known`, and clouds too.
 * @returns null for a scene without red, green and blue, or with such a band that cannot be used: an index needs none
 * @throws UpstreamUnavailable when a file cannot be fetched now
 */
async function readColours(
  source: SceneSource,
  { bands }: SceneItem,
  grid: Grid,
  known: ReadonlyMap<Band, OnGrid>,
  isShifted: boolean,
): Promise<Uint8Array | null> {
  if (COLOUR_BANDS.some((band) => bands[band] === undefined)) return null;
  const { width, height } = pictureGrid(grid);
  const pixels = width * height;
  const planes = new Uint8Array(COLOUR_BANDS.length * pixels);
  for (const [b, band] of COLOUR_BANDS.entries()) {
    let read: OnGrid | null;
    try {
      read = known.get(band) ?? (await readOnto(source, bands[band]!, grid, 'values'));
    } catch (error) {
      if (error instanceof InvalidInput || error instanceof NotFound) return null;
      throw error;
    }
    if (read === null) return null;
    const { scale, offset } = read;
    const shift = isShifted ? 0 : offset;
    const means = blockMeans(read.values, grid.width, grid.height, pictureStep(grid));
    for (let p = 0; p < pixels; p++) planes[b * pixels + p] = brightnessOf(means[p]! * scale + shift);
  }
  // A pixel without one of its bands has no colour.
  for (let p = 0; p < pixels; p++)
    if (planes[p] === UNSEEN || planes[p + pixels] === UNSEEN || planes[p + 2 * pixels] === UNSEEN)
      for (let at = p; at < planes.length; at += pixels) planes[at] = UNSEEN;
  return planes;
}

/** Raw values of one band on the grid; NaN: nodata. */
interface OnGrid {
  readonly values: Float32Array;
  readonly scale: number;
  readonly offset: number;
}

const NO_SCALE = { band: 0, scale: 1, offset: 0, nodata: null } as const;

async function readOnto(
  source: SceneSource,
  band: SceneBand,
  grid: Grid,
  kind: 'values' | 'classes',
): Promise<OnGrid | null> {
  const raster: WindowedRaster = await source.open(band.href);
  try {
    const plan = planResampling(raster.grid, grid);
    if (plan === null) return null;
    const samples = await raster.read(band.band, plan.window);
    const nodata = band.nodata ?? raster.nodata;
    if (kind === 'values' && nodata !== null)
      for (let i = 0; i < samples.length; i++) if (samples[i] === nodata) samples[i] = Number.NaN;
    return {
      values: plan.apply(samples, kind),
      scale: band.scale ?? raster.scale,
      offset: band.offset ?? raster.offset,
    };
  } finally {
    await raster.close();
  }
}

/**
 * Returns whether the declared negative offset has already been applied to the pixels. Applying it again would give
 * many clear land pixels a negative reflectance. Some public catalogues declare offsets that are already applied
 * (Earth Search, issues 66 and 71).
 */
function isOffsetWrong({ values, scale, offset }: OnGrid, isLand: readonly boolean[]): boolean {
  if (offset >= 0) return false;
  let [land, negative] = [0, 0];
  for (const [p, value] of values.entries()) {
    if (!isLand[p] || Number.isNaN(value)) continue;
    land++;
    if (value * scale + offset < 0) negative++;
  }
  return negative > MAX_NEGATIVE_SHARE * land;
}
