import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import { MISSING_INT16 } from './collection-writer.ts';
import type { BandDate, StackWriter } from './raster-stack.ts';
import type { CubeScene, Samples } from '../series/cube-store.ts';
import type { Collection } from '../series/collection-store.ts';

/** Maximum number of samples, over all dates, in memory at once: 64 MB of float64. */
const SAMPLES_AT_ONCE = 8_000_000;

/** Options of an export: the part of a collection, and the files to write. */
export interface StackExport {
  readonly collection: Collection;
  readonly valuesPath: string;
  readonly datesPath: string;
  /** Scenes at or after this time are exported [ms since the Unix epoch]; undefined: no limit. */
  readonly fromMs: number | undefined;
  /** Scenes before this time are exported [ms since the Unix epoch]; undefined: no limit. */
  readonly toMs: number | undefined;
}

/**
 * Writes scenes of a collection as a stack with one band per date, and a table of the dates. `ingestStack`
 * reads both. Samples are written as they are stored.
 * @returns the number of scenes written
 * @throws InvalidInput when no scene is in the requested time range, or the file cannot store the reference system
 */
export async function exportStack(
  deps: Pick<Deps, 'cube'> & { readonly stackWriter: StackWriter },
  { collection, valuesPath, datesPath, fromMs = -Infinity, toMs = Infinity }: StackExport,
  progress: (done: number, total: number) => void,
): Promise<number> {
  const { grid, sampleType, scale, offset } = collection;
  const scenes = await deps.cube.scenes(collection.id);
  const wanted = scenes.filter(({ timeMs }) => timeMs >= fromMs && timeMs < toMs);
  if (wanted.length === 0)
    throw new InvalidInput(
      `${collection.name} has no scene in the time asked for; it has ${scenes.length} from ${dayOf(scenes[0])} to ${dayOf(scenes.at(-1))}`,
      { param: 'from' },
    );
  const rowsAtOnce = Math.max(
    1,
    Math.min(grid.height, Math.floor(SAMPLES_AT_ONCE / (grid.width * scenes.length))),
  );
  const rows = async (firstRow: number, lastRow: number): Promise<readonly Samples[]> => {
    const strip = await deps.cube.readStrip(collection.id, firstRow * grid.width, lastRow * grid.width);
    const slots = new Map(strip.scenes.map((scene, t) => [scene.key, { t, sha256: scene.sha256 }]));
    const pixels = (lastRow - firstRow) * grid.width;
    const bands = wanted.map(({ key, sha256 }) => {
      const slot = slots.get(key);
      if (slot?.sha256 !== sha256)
        throw new InvalidInput(`${collection.name}: scenes came in while it was written; export it again`);
      const band = emptyBand(sampleType, pixels);
      for (let p = 0; p < pixels; p++) {
        const value = strip.values[p * strip.scenes.length + slot.t]!;
        band[p] = sampleType === 'int16' && Number.isNaN(value) ? MISSING_INT16 : value;
      }
      return band;
    });
    progress(lastRow, grid.height);
    return bands;
  };
  const bands: BandDate[] = wanted.map(({ key, timeMs }, i) => ({ band: i + 1, timeMs, scene: key }));
  await deps.stackWriter.write(valuesPath, { grid, sampleType, scale, offset, bands, rowsAtOnce }, rows);
  await deps.stackWriter.writeDates(datesPath, bands);
  return wanted.length;
}

function dayOf(scene: CubeScene | undefined): string {
  return scene === undefined ? 'no day' : new Date(scene.timeMs).toISOString().slice(0, 10);
}

function emptyBand(sampleType: Collection['sampleType'], length: number): Samples {
  if (sampleType === 'int16') return new Int16Array(length);
  return sampleType === 'float32' ? new Float32Array(length) : new Float64Array(length);
}
