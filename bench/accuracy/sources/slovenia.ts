import { readBands, readJson } from '../data-set.ts';
import type { TrueChange } from '../detections/detection.ts';
import type { SampleStack } from '../engine.ts';
import { readNdviStack } from './ndvi-stack.ts';
import { DAY_MS } from '../../../src/base/time.ts';

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

// A change must be dated at most this long after the first image that shows it: from 16 May to the end of August.
const SEASON_MS = 107 * DAY_MS;

/** The pixels within the lasting changes of expected.json, each with its change. */
export function sloveniaEvents(width: number): Map<number, TrueChange> {
  const { events } = readJson(SLOVENIA_SET, 'expected.json') as {
    events: readonly {
      readonly rows: readonly [number, number];
      readonly cols: readonly [number, number];
      readonly last_normal: string;
      readonly first_low: string;
    }[];
  };
  const changes = new Map<number, TrueChange>();
  for (const { rows, cols, last_normal, first_low } of events) {
    const fromMs = Date.parse(last_normal) + DAY_MS;
    const change = { changedMs: fromMs, fromMs, toMs: Date.parse(first_low) + SEASON_MS, knownMs: fromMs };
    for (let row = rows[0]; row <= rows[1]; row++)
      for (let col = cols[0]; col <= cols[1]; col++) changes.set(row * width + col, change);
  }
  return changes;
}
