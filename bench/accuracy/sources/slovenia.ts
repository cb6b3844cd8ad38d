import { readBands } from '../data-set.ts';
import type { SampleStack } from '../engine.ts';
import { readNdviStack } from './ndvi-stack.ts';

/** Name of the set. */
export const SLOVENIA_SET = 'slovenia-sentinel2-ndvi';

const PIXEL_AREA_M2 = 100; // Sentinel-2, 10 m

/** Reads the stack of Slovenia; NaN where its cloud mask says cloud. Snow is not masked. */
export async function readSlovenia(): Promise<SampleStack> {
  const stack = await readNdviStack(SLOVENIA_SET, 'ndvi.tif', PIXEL_AREA_M2);
  const clouds = await readBands(SLOVENIA_SET, 'cloud_mask.tif');
  const times = stack.timesMs.length;
  const ndvi = stack.metrics['ndvi']!;
  for (let i = 0; i < ndvi.length; i++)
    if (clouds.bands[i % times]![Math.floor(i / times)] !== 0) ndvi[i] = Number.NaN;
  return stack;
}
