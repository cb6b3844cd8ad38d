import type { Grid } from '../../geo/grid.ts';
import { pixelAreaM2 } from '../../geo/pixel-outline.ts';
import { InvalidInput } from '../../base/errors.ts';
import {
  decibelsOf,
  lookWeights,
  multiLook,
  type OrbitMetric,
  orbitMetric,
  type Polarisation,
  powerOf,
} from '../../raster/backscatter.ts';
import { PixelSet } from '../../raster/pixel-set.ts';
import { ClearView } from '../../raster/quality/clear-view.ts';
import { planResampling } from '../../raster/resample.ts';
import { MISSING_INT16 } from './collection-writer.ts';
import type { PassSamples } from './read-scene.ts';
import type { RadarScene, SceneBand, SceneItem, SceneSource } from './scene-source.ts';

/** Difference in backscatter between two consecutive stored integers [dB]: far below speckle. */
export const BACKSCATTER_SCALE = 0.01;
/** Maximum share of samples that contradict the declared unit (our choice). */
const MAX_CONTRARY = 0.1;

/** A radar scene. */
export type RadarItem = SceneItem & { readonly radar: RadarScene };

/** Whether a scene is of a radar. */
export function isRadar(item: SceneItem): item is RadarItem {
  return item.radar !== undefined;
}

/** Weights by which power is averaged over neighbouring pixels of a grid. */
export function looksOf(grid: Grid): readonly number[] {
  return lookWeights(Math.sqrt(pixelAreaM2(grid)));
}

/**
 * Reads the backscatter of one pass on a grid [.01 dB]. Where bursts or frames overlap, the first one with a value is
 * used. Pixels in layover or radar shadow, where a mask says so, and pixels without power are missing.
 * @throws InvalidInput when a file is damaged or its samples contradict its unit; UpstreamUnavailable when a file cannot
 * be fetched
 */
export async function readRadarPass(
  source: SceneSource,
  items: readonly RadarItem[],
  polarisations: readonly Polarisation[],
  grid: Grid,
): Promise<PassSamples> {
  const pixels = grid.width * grid.height;
  const [{ radar }] = items as readonly [RadarItem];
  const indices = new Map<OrbitMetric, Int16Array>();
  const hidden = await Promise.all(items.map((item) => hiddenPixels(source, item, grid)));
  for (const polarisation of polarisations) {
    const power = new Float32Array(pixels).fill(Number.NaN);
    for (const [i, item] of items.entries()) {
      const band = item.radar.polarisations[polarisation];
      const values = band && (await readPower(source, item, band, grid));
      if (values === undefined || values === null) continue;
      for (let p = 0; p < pixels; p++)
        if (Number.isNaN(power[p]!) && hidden[i]![p] === 0) power[p] = values[p]!;
    }
    const looked = multiLook(power, grid.width, looksOf(grid));
    indices.set(
      orbitMetric(polarisation, radar.orbit),
      Int16Array.from(looked, (value) => {
        const decibels = decibelsOf(value);
        return Number.isNaN(decibels) ? MISSING_INT16 : Math.round(decibels / BACKSCATTER_SCALE);
      }),
    );
  }
  return { indices, snow: new PixelSet(pixels), colours: null };
}

/** 1 for each pixel that the mask of a scene hides; all 0 for a scene without a mask. */
async function hiddenPixels(source: SceneSource, item: RadarItem, grid: Grid): Promise<Uint8Array> {
  const hidden = new Uint8Array(grid.width * grid.height);
  if (item.quality === null) return hidden;
  const raster = await source.open(item.quality.href);
  try {
    const plan = planResampling(raster.grid, grid);
    if (plan === null) return hidden.fill(1);
    const classes = plan.apply(await raster.read(0, plan.window), 'classes');
    new ClearView(item.quality.encoding).hideUnclear(
      classes.map((value) => (Number.isNaN(value) ? -1 : value)),
      (pixel) => (hidden[pixel] = 1),
    );
    return hidden;
  } finally {
    await raster.close();
  }
}

/** Reads one polarisation as linear power, NaN where there is none; null if it does not overlap the grid. */
async function readPower(
  source: SceneSource,
  { id, radar: { unit } }: RadarItem,
  band: SceneBand,
  grid: Grid,
): Promise<Float32Array | null> {
  const raster = await source.open(band.href);
  try {
    const plan = planResampling(raster.grid, grid);
    if (plan === null) return null;
    const samples = await raster.read(band.band, plan.window);
    const nodata = band.nodata ?? raster.nodata;
    const [scale, offset] = [band.scale ?? raster.scale, band.offset ?? raster.offset];
    let [seen, negative] = [0, 0];
    for (let i = 0; i < samples.length; i++) {
      const raw = samples[i]!;
      if (raw === nodata || !Number.isFinite(raw)) {
        samples[i] = Number.NaN;
        continue;
      }
      const value = raw * scale + offset;
      seen++;
      if (value < 0) negative++;
      // Some pixels of thermal noise have no power left after its subtraction. They stay part of the average.
      samples[i] = unit === 'dB' ? powerOf(value) : value;
    }
    checkUnit(id, unit, seen, negative);
    // Power is averaged before it becomes decibels.
    return plan.apply(samples, 'values');
  } finally {
    await raster.close();
  }
}

/**
 * Land scatters back less than it receives: gamma-0 is nearly always below 1, which is negative in decibels.
 * @throws InvalidInput when the samples contradict their unit
 */
function checkUnit(id: string, unit: RadarScene['unit'], seen: number, negative: number): void {
  const contrary = unit === 'power' ? negative : seen - negative;
  // A few bright targets or a very small window say nothing about decibels.
  const most = unit === 'power' ? MAX_CONTRARY : 1 - MAX_CONTRARY;
  if (seen === 0 || contrary <= most * seen) return;
  const share = Math.round((100 * contrary) / seen);
  throw new InvalidInput(
    unit === 'power'
      ? `${id}: expected linear power, as its metadata says; ${share} % of its samples are negative, as decibels are`
      : `${id}: expected decibels, as its metadata says; ${share} % of its samples are not negative, as linear power is`,
  );
}
