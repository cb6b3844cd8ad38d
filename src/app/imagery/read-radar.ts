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
import { OpenRadar, type RadarItem, UnitCheck } from './open-radar.ts';
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
  const bursts = items.map((item) => new Burst(source, item, polarisations, grid, strips));
  for (const rows of strips) {
    const power = await mergedPower(bursts, polarisations, grid, rows);
    for (const one of made) {
      const own = power.get(one.polarisation)!;
      const looked = one.looks.add(own, rows.last === grid.height);
      for (const value of looked) one.samples[one.filled++] = storedOf(value);
      release(own);
    }
  }
  for (const { unit } of bursts) unit.check();
  const indices = new Map(made.map(({ metric, samples }) => [metric, samples]));
  return { indices, snow: new PixelSet(pixels), colours: null };
}

/**
 * A burst or frame of a pass. A pass of a large grid has hundreds of them, so its files are open only while rows are read
 * that it overlaps.
 */
class Burst {
  readonly unit: UnitCheck;
  readonly #open: () => Promise<OpenRadar | null>;
  readonly #strips: readonly Rows[];
  /** The strips that it overlaps; undefined until it was opened. */
  #its: ReadonlySet<Rows> | undefined;

  constructor(
    source: SceneSource,
    item: RadarItem,
    polarisations: readonly Polarisation[],
    grid: Grid,
    strips: readonly Rows[],
  ) {
    this.unit = new UnitCheck(item);
    this.#open = () => OpenRadar.open(source, item, polarisations, grid, this.unit);
    this.#strips = strips;
  }

  /** Reads a strip; undefined where it does not overlap it. @throws the errors of the files */
  async read(rows: Rows): Promise<ReadonlyMap<Polarisation, Float32Array> | undefined> {
    if (this.#its?.has(rows) === false) return undefined;
    const scene = await this.#open();
    if (scene === null) {
      this.#its = new Set();
      return undefined;
    }
    try {
      this.#its ??= new Set(this.#strips.filter((strip) => scene.overlaps(strip)));
      return this.#its.has(rows) ? await scene.read(rows) : undefined;
    } finally {
      await scene.close();
    }
  }
}

/** Linear power of some rows by polarisation: of the first burst that has a value, else NaN. */
async function mergedPower(
  bursts: readonly Burst[],
  polarisations: readonly Polarisation[],
  { width }: Grid,
  rows: Rows,
): Promise<ReadonlyMap<Polarisation, Float32Array>> {
  const merged = new Map<Polarisation, Float32Array>();
  for (const burst of bursts)
    for (const [polarisation, values] of (await burst.read(rows)) ?? []) {
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
