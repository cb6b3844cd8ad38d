import { join } from 'node:path';
import type { BandDate } from '../../src/app/imagery/raster-stack.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../src/base/time.ts';
import { GeoTiffStackWriter } from '../../src/sources/imagery/geotiff-stack-writer.ts';

/** A square of pixels that loses its vegetation, and the first scene in which it is gone. */
export interface PlantedLoss {
  readonly column: number;
  readonly row: number;
  readonly edge: number;
  readonly scene: number;
}

/** A stack of NDVI in one file, with planted losses and nothing else that lasts. */
export interface PlantedStack {
  readonly values: string;
  readonly dates: string;
  readonly losses: readonly PlantedLoss[];
}

export const EDGE = Number(process.env['GROUNDWATCH_BENCH_EDGE'] ?? 512);
export const SCENES = 100;
/** Scenes before the first planted loss; a method with a fixed history fits to these. */
export const HISTORY = 60;
const LOSSES = 40;
const LOSS_SCENES = 20; // the losses begin in this many scenes, so that the last ones are seen twenty times
const LOSS_EDGE = 10;
const DAYS_APART = 16; // the repeat cycle of Landsat
const CLOUD_CELL = 16; // edge of a cloud [pixels]
const PATCH = 24; // edge of ground of one kind [pixels]
const NOISE = 300; // half the range of the noise [NDVI x 10,000]

export const GRID = {
  width: EDGE,
  height: EDGE,
  proj4: '',
  crs: 'EPSG:32633',
  transform: [500_000, 30, 0, 5_100_000, 0, -30],
} as const;

/** A number from 0 to 1 that depends on three whole numbers only (the mixer of SplitMix32). */
function hashed(a: number, b: number, c: number): number {
  let x = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77) ^ Math.imul(c, 0xc2b2ae3d)) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
}

/** Squares on a lattice, one scene after another. */
function plantedLosses(): readonly PlantedLoss[] {
  const across = Math.ceil(Math.sqrt(LOSSES));
  const step = Math.floor(EDGE / across);
  return Array.from({ length: LOSSES }, (_, i) => ({
    column: (i % across) * step + Math.floor(hashed(i, 1, 7) * (step - LOSS_EDGE - 2)) + 1,
    row: Math.floor(i / across) * step + Math.floor(hashed(i, 2, 7) * (step - LOSS_EDGE - 2)) + 1,
    edge: LOSS_EDGE,
    scene: HISTORY + (i % LOSS_SCENES),
  }));
}

/** Times of the scenes [ms since the Unix epoch]. */
export const TIMES_MS = Float64Array.from(
  { length: SCENES },
  (_, t) => Date.UTC(2019, 0, 3) + t * DAYS_APART * DAY_MS,
);

const LOSS_SQUARES = plantedLosses();

/** First scene in which each pixel has lost its vegetation; `SCENES` where it does not. */
const GONE_FROM = new Uint16Array(EDGE * EDGE).fill(SCENES);
for (const { column, row, edge, scene } of LOSS_SQUARES)
  for (let r = row; r < row + edge; r++) GONE_FROM.fill(scene, r * EDGE + column, r * EDGE + column + edge);

/**
 * Samples of the rows `[first, last)` of a scene [NDVI x 10,000]; -32,768 under clouds, which hide a tenth to seven
 * tenths of a scene, in squares.
 */
export function plantedSamples(t: number, first: number, last: number): Int16Array {
  const season = Math.cos((2 * Math.PI * (TIMES_MS[t]! - Date.UTC(2019, 6, 1))) / JULIAN_YEAR_MS);
  const cloudy = 0.1 + 0.6 * hashed(t, 3, 11);
  const samples = new Int16Array((last - first) * EDGE);
  for (let i = 0; i < samples.length; i++) {
    const [row, column] = [first + Math.floor(i / EDGE), i % EDGE];
    const cell = Math.floor(row / CLOUD_CELL) * 4096 + Math.floor(column / CLOUD_CELL);
    if (hashed(cell, t, 5) < cloudy) {
      samples[i] = -32_768;
      continue;
    }
    const kind = hashed(Math.floor(row / PATCH), Math.floor(column / PATCH), 3);
    const noise = (hashed(row * EDGE + column, t, 1) + hashed(row * EDGE + column, t, 2) - 1) * NOISE;
    const own = hashed(row, column, 9) * 400;
    const isGone = t >= GONE_FROM[row * EDGE + column]!;
    const level = isGone ? 2200 + 300 * season : 6000 + 1200 * kind + (400 + 1400 * kind) * season;
    samples[i] = Math.round(level + own + noise);
  }
  return samples;
}

/** Writes the stack and its dates. */
export async function writePlantedStack(folder: string): Promise<PlantedStack> {
  const bands = Array.from(TIMES_MS, (timeMs, i): BandDate => ({ band: i + 1, timeMs, scene: `scene-${i}` }));
  const [values, dates] = [join(folder, 'planted.tif'), join(folder, 'planted.csv')];
  const writer = new GeoTiffStackWriter();
  const layout = { grid: GRID, sampleType: 'int16', scale: 1e-4, offset: 0, bands, rowsAtOnce: 64 } as const;
  await writer.write(values, layout, async (first, last) =>
    bands.map((_, t) => plantedSamples(t, first, last)),
  );
  await writer.writeDates(dates, bands);
  return { values, dates, losses: LOSS_SQUARES };
}
