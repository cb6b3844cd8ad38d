import { readBands, readRecords } from '../data-set.ts';
import type { SampleStack } from '../engine.ts';

const NODATA = -32_768; // value of missing pixels, in the README of each set that is read so
const SCALE = 1e-4; // NDVI per stored unit: the same READMEs

/** Reads an NDVI stack from one file with one band per date. */
export async function readNdviStack(set: string, file: string, pixelAreaM2: number): Promise<SampleStack> {
  const { width, height, bands } = await readBands(set, file);
  const timesMs = Float64Array.from(readRecords(set, 'dates.csv'), (row) =>
    Date.parse((row['date'] ?? row['datetime_utc'])!),
  );
  const times = timesMs.length;
  const ndvi = new Float32Array(width * height * times);
  for (let p = 0; p < width * height; p++)
    for (let t = 0; t < times; t++) {
      const stored = bands[t]![p]!;
      ndvi[p * times + t] = stored === NODATA ? Number.NaN : stored * SCALE;
    }
  return { width, height, pixelAreaM2, timesMs, metrics: { ndvi } };
}
