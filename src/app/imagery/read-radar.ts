import { release } from '../../base/release.ts';
import type { Grid } from '../../geo/grid.ts';
import { pixelAreaM2 } from '../../geo/pixel-outline.ts';
import {
  decibelsOf,
  lookWeights,
  orbitMetric,
  type Polarisation,
  StripLooks,
} from '../../raster/backscatter.ts';
import { PixelSet } from '../../raster/pixel-set.ts';
import type { Rows } from '../../raster/resample.ts';
import { MISSING_INT16 } from './collection-writer.ts';
import { OpenRadar, type RadarItem } from './open-radar.ts';
import type { PassSamples } from './read-scene.ts';
import type { SceneItem, SceneSource } from './scene-source.ts';
import { stripsOf } from './strips.ts';

/** Difference in backscatter between two consecutive stored integers [dB]: far below speckle. */
export const BACKSCATTER_SCALE = 0.01;

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
 * @param strips rows that are in memory at a time; the result does not depend on them
 * @throws InvalidInput when a file is damaged or its samples contradict its unit; UpstreamUnavailable when a file cannot
 * be fetched
 */
export async function readRadarPass(
  source: SceneSource,
  items: readonly RadarItem[],
  polarisations: readonly Polarisation[],
  grid: Grid,
  strips: readonly Rows[] = stripsOf(grid),
): Promise<PassSamples> {
  const pixels = grid.width * grid.height;
  const [{ radar }] = items as readonly [RadarItem];
  const made = polarisations.map((polarisation) => ({
    polarisation,
    metric: orbitMetric(polarisation, radar.orbit),
    samples: new Int16Array(pixels),
    looks: new StripLooks(grid.width, looksOf(grid)),
    filled: 0,
  }));
  const scenes: OpenRadar[] = [];
  try {
    for (const item of items) {
      const scene = await OpenRadar.open(source, item, polarisations, grid);
      if (scene !== null) scenes.push(scene);
    }
    for (const rows of strips) {
      const power = await mergedPower(scenes, polarisations, grid, rows);
      for (const one of made) {
        const own = power.get(one.polarisation)!;
        const looked = one.looks.add(own, rows.last === grid.height);
        for (const value of looked) one.samples[one.filled++] = storedOf(value);
        release(own);
      }
    }
    for (const scene of scenes) scene.checkUnit();
  } finally {
    await Promise.all(scenes.map((scene) => scene.close()));
  }
  const indices = new Map(made.map(({ metric, samples }) => [metric, samples]));
  return { indices, snow: new PixelSet(pixels), colours: null };
}

/** Linear power of some rows by polarisation: of the first scene that has a value, else NaN. */
async function mergedPower(
  scenes: readonly OpenRadar[],
  polarisations: readonly Polarisation[],
  { width }: Grid,
  rows: Rows,
): Promise<ReadonlyMap<Polarisation, Float32Array>> {
  const merged = new Map<Polarisation, Float32Array>();
  for (const scene of scenes)
    for (const [polarisation, values] of await scene.read(rows)) {
      const power = merged.get(polarisation);
      if (power === undefined) {
        merged.set(polarisation, values);
        continue;
      }
      for (let p = 0; p < power.length; p++) if (Number.isNaN(power[p]!)) power[p] = values[p]!;
      release(values);
    }
  for (const polarisation of polarisations)
    if (!merged.has(polarisation))
      merged.set(polarisation, new Float32Array(width * (rows.last - rows.first)).fill(Number.NaN));
  return merged;
}

function storedOf(power: number): number {
  const decibels = decibelsOf(power);
  return Number.isNaN(decibels) ? MISSING_INT16 : Math.round(decibels / BACKSCATTER_SCALE);
}
