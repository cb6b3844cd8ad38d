import { readdirSync } from 'node:fs';
import { pathOf, readBands } from '../data-set.ts';
import type { SampleStack } from '../engine.ts';
import { MODIS_PIXEL_AREA_M2 } from './mato-grosso.ts';

/** Name of the set. */
export const SINOP_SET = 'sinop-modis-ndvi';

const SCALE = 1e-4; // NDVI per stored unit: README
const NAME = /_NDVI_(\d{4}-\d{2}-\d{2})\.tif$/;

/** Reads the year of monthly images over Sinop. */
export async function readSinop(): Promise<SampleStack> {
  const files = readdirSync(pathOf(SINOP_SET, ''))
    .filter((file) => NAME.test(file))
    .toSorted();
  const scenes = await Promise.all(files.map((file) => readBands(SINOP_SET, file)));
  const { width, height } = scenes[0]!;
  const times = files.length;
  const ndvi = new Float32Array(width * height * times);
  for (const [t, { bands }] of scenes.entries())
    for (let p = 0; p < width * height; p++) ndvi[p * times + t] = bands[0]![p]! * SCALE;
  const timesMs = Float64Array.from(files, (file) => Date.parse(NAME.exec(file)![1]!));
  return { width, height, pixelAreaM2: MODIS_PIXEL_AREA_M2, timesMs, metrics: { ndvi } };
}
