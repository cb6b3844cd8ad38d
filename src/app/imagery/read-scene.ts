import { release } from '../../base/release.ts';
import type { Grid } from '../../geo/grid.ts';
import { PixelSet } from '../../raster/pixel-set.ts';
import { SPECTRAL_INDICES, type SpectralIndex } from '../../raster/spectral-index.ts';
import { COLOUR_BANDS, UNSEEN } from '../../raster/true-colour.ts';
import { adjustmentOf } from './adjusted-scenes.ts';
import { MISSING_INT16 } from './collection-writer.ts';
import { OpenScene, type ShownRows } from './open-scene.ts';
import type { SceneItem, SceneSource } from './scene-source.ts';
import { stripsOf } from './strips.ts';

/** Difference in an index between two consecutive stored integers [1]: smaller than the noise of any sensor. */
export const INDEX_SCALE = 1e-4;

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
  const snow = new PixelSet(pixels);
  let colours: Uint8Array | null = null;
  for (const item of items) {
    const adjustment = isAdjusted ? adjustmentOf(item) : undefined;
    const scene = await OpenScene.open(source, item, metrics, grid, { adjustment, isTrueColour });
    if (scene === null) continue;
    try {
      for (const rows of stripsOf(grid)) addRows(pass, snow, await scene.read(rows), rows.first * grid.width);
      colours = merged(colours, scene.picture());
    } finally {
      await scene.close();
    }
  }
  if (!snow.isEmpty)
    for (const into of pass.values())
      for (let p = 0; p < pixels; p++) if (into[p] !== MISSING_INT16) snow.remove(p);
  return { indices: pass, snow, colours };
}

/**
 * Adds rows of a scene, of which the first pixel is `from`, where no scene before it shows the ground, and releases
 * them.
 */
function addRows(
  pass: ReadonlyMap<SpectralIndex, Int16Array>,
  snow: PixelSet,
  { indices, isSnow }: ShownRows,
  from: number,
): void {
  for (let p = 0; p < isSnow.length; p++) if (isSnow[p] === 1) snow.add(from + p);
  for (const [metric, into] of pass) {
    const values = indices.get(metric)!;
    for (let p = 0; p < values.length; p++) {
      const value = values[p]!;
      if (into[from + p] === MISSING_INT16 && !Number.isNaN(value))
        into[from + p] = Math.round(value / INDEX_SCALE);
    }
    release(values);
  }
  release(isSnow);
}

/** Fills what the first picture does not show from another. */
function merged(first: Uint8Array | null, other: Uint8Array | null): Uint8Array | null {
  if (first === null || other === null) return first ?? other;
  const pixels = first.length / COLOUR_BANDS.length;
  for (let p = 0; p < pixels; p++)
    if (first[p] === UNSEEN) for (let at = p; at < first.length; at += pixels) first[at] = other[at]!;
  return first;
}
