import { PixelSet } from '../../raster/pixel-set.ts';
import { ClearView } from '../../raster/quality/clear-view.ts';
import { QUALITY_ENCODINGS } from '../../raster/quality/encodings.ts';
import type { QualityName } from '../../raster/quality/encodings.ts';
import { CollectionWriter, MISSING_INT16 } from './collection-writer.ts';
import type { Deps } from '../deps.ts';
import type { SceneReading } from '../../contract/sources/scene-reading.ts';
import { InvalidInput } from '../../base/errors.ts';
import { refuseOutOfRange, refuseUnexplainedZeros } from './implausible-values.ts';
import { bandsAhead, refuseFillValues } from './undeclared-nodata.ts';
import type { BandDate, RasterStack } from './raster-stack.ts';
import type { Environment } from '../owner.ts';
import type { Samples, SampleType } from '../series/cube-store.ts';
import type { Collection } from '../series/collection-store.ts';
import { type ClearBand, KeptBands } from './kept-bands.ts';
import { futureText, latestObservation } from '../series/future-time.ts';
import { conversionTo } from '../series/units.ts';

const UNCHANGED = { factor: 1, shift: 0 };
/** Maximum number of bands dated in the future that a message names. */
const MOST_NAMED = 20;

/** Target of an open stack, and how its values are read. */
export interface StackTarget {
  readonly collection: string;
  readonly metric: string;
  readonly environment: Environment;
  /** Owner of the collection; null: it serves every account of the environment. */
  readonly accountId: string | null;
  readonly valuesPath: string;
  /** Table of acquisition dates; undefined: the file contains them. */
  readonly datesPath?: string | undefined;
  readonly maskPath?: string | undefined;
  /** Quality encoding of the mask; undefined: nonzero pixels are masked. */
  readonly maskEncoding?: string | undefined;
  /** Value = raw * scale + offset. For scale, offset and nodata, undefined means the value in the file. */
  readonly scale?: number | undefined;
  readonly offset?: number | undefined;
  readonly nodata?: number | undefined;
  /**
   * Unit of the values after scale and offset; undefined: the unit in the file, or the unit of the metric if the file
   * has none.
   */
  readonly unit?: string | undefined;
  /** Present when the stack comes from the sandbox's simulated region. */
  readonly simulated?: true;
}

/** Result of an ingest. */
export interface IngestReport {
  readonly collection: Collection;
  readonly scenes: number;
  readonly added: number;
}

/**
 * Writes the bands of an open stack to a collection, in order of time.
 * @param mask undefined: only nodata is masked
 * @throws InvalidInput for bands that are dated in the future, or values that are not those of the metric
 */
export async function writeStack(
  deps: Pick<Deps, 'clock' | 'storage' | 'cube'>,
  input: StackTarget,
  values: RasterStack,
  mask: RasterStack | undefined,
  dates: readonly BandDate[],
  progress: (done: number, total: number) => void,
): Promise<IngestReport> {
  // The simulated region has a clock of its own, which may be ahead.
  if (input.simulated !== true) checkTimes(input, values, dates, latestObservation(deps.clock.now()));
  const unit = input.unit ?? values.unit;
  const { factor, shift } = unit === undefined ? UNCHANGED : conversionTo(input.metric, unit);
  const writer = await CollectionWriter.open(deps, {
    name: input.collection,
    metric: input.metric,
    environment: input.environment,
    accountId: input.accountId,
    grid: values.grid,
    scale: (input.scale ?? values.scale) * factor,
    offset: (input.offset ?? values.offset) * factor + shift,
    sampleType: values.sampleType,
    ...(input.simulated && { simulated: true as const }),
  });
  const { collection } = writer;
  const view =
    input.maskEncoding !== undefined && isQualityName(input.maskEncoding)
      ? new ClearView(input.maskEncoding)
      : undefined;
  const file = fileName(input.valuesPath);
  const reading = readingOf(input, values);
  const isNodataGiven = input.simulated === true || input.nodata !== undefined;
  const read = async (band: number): Promise<ClearBand> => {
    const snow = view && new PixelSet(values.grid.width * values.grid.height);
    const hiding = { mask, view, snow };
    const samples = await readClear(values, hiding, band, collection.sampleType, input.nodata);
    const place = values.files?.[band] ?? `${file}, band ${band + 1}`;
    if (!isNodataGiven) {
      refuseFillValues(place, samples, collection.sampleType, values.nodata);
      if (values.nodata === null) refuseUnexplainedZeros(place, input.metric, samples, collection);
    }
    return { samples, snow };
  };
  const kept = new KeptBands(values.grid.width * values.grid.height * values.bandCount);
  if (!isNodataGiven) {
    const isFetched = /^[a-z][\w+.-]*:\/\//i.test(input.valuesPath);
    for (const band of bandsAhead(values.bandCount, isFetched)) kept.keep(band, await read(band));
  }
  let plausible = false;
  const ordered = dates.toSorted((a, b) => a.timeMs - b.timeMs || a.band - b.band);
  for (const [done, date] of ordered.entries()) {
    const { samples, snow } = kept.get(date.band - 1) ?? (await read(date.band - 1));
    const clear = countClear(samples);
    if (clear > 0 && !plausible) {
      refuseOutOfRange(`${input.valuesPath}: band ${date.band}`, input.metric, samples, collection);
      plausible = true;
    }
    const key = date.scene ?? new Date(date.timeMs).toISOString();
    const href = values.files?.[date.band - 1] ?? `${file}#band=${date.band}`;
    await writer.write({ key, timeMs: date.timeMs, href, reading }, samples, clear, { snow });
    progress(done + 1, ordered.length);
  }
  if (!writer.exists)
    throw new InvalidInput(
      `${input.valuesPath}: every pixel of every band is masked or nodata; check --nodata, and that the mask is non-zero where it is not clear`,
      { param: 'values' },
    );
  kept.free();
  await writer.finish();
  return { collection, scenes: writer.scenes, added: writer.added };
}

/** Whether a name is that of a quality encoding. */
export function isQualityName(name: string): name is QualityName {
  return Object.hasOwn(QUALITY_ENCODINGS, name);
}

/** @throws InvalidInput that names every band that is dated in the future, and its file */
function checkTimes(
  { datesPath, valuesPath }: StackTarget,
  values: RasterStack,
  dates: readonly BandDate[],
  latestMs: number,
): void {
  const future = dates.filter(({ timeMs }) => timeMs > latestMs);
  if (future.length === 0) return;
  const named = future
    .slice(0, MOST_NAMED)
    .map(({ band, timeMs }) => {
      const place = values.files?.[band - 1] ?? `band ${band}`;
      return `${place} is ${futureText(timeMs, latestMs)}`;
    })
    .join('; ');
  const more = future.length - MOST_NAMED;
  throw new InvalidInput(`${datesPath ?? valuesPath}: ${named}${more > 0 ? `; and ${more} more` : ''}`, {
    param: 'dates',
  });
}

function fileName(path: string): string {
  return path.replaceAll('\\', '/').replace(/\/+$/, '').split('/').at(-1)!;
}

/** How `readClear` makes samples of the bands, for provenance. */
function readingOf(
  { nodata: given, maskPath, maskEncoding = 'nonzero' }: StackTarget,
  { nodata: declared, validRange }: RasterStack,
): SceneReading {
  const nodata = given ?? declared;
  return {
    nodata: nodata === null || Number.isNaN(nodata) ? null : finite(nodata),
    ...(validRange && { valid_range: [...validRange] }),
    mask: maskPath === undefined ? null : { file: fileName(maskPath), encoding: maskEncoding },
  };
}

/** Infinity has no JSON form. */
function finite(value: number): number | 'inf' | '-inf' {
  if (Number.isFinite(value)) return value;
  return value > 0 ? 'inf' : '-inf';
}

/** Reads one band. Samples that are nodata, outside the valid range or masked become missing. Adds the pixels that show snow to `snow`. */
async function readClear(
  values: RasterStack,
  {
    mask,
    view,
    snow,
  }: {
    readonly mask: RasterStack | undefined;
    readonly view: ClearView | undefined;
    readonly snow: PixelSet | undefined;
  },
  band: number,
  sampleType: SampleType,
  nodataGiven: number | undefined,
): Promise<Samples> {
  const samples = await values.readBand(band);
  const missing = sampleType === 'int16' ? MISSING_INT16 : Number.NaN;
  const nodata = nodataGiven ?? values.nodata;
  if (nodata !== null && !Number.isNaN(nodata)) {
    const stored = sampleType === 'float32' ? Math.fround(nodata) : nodata;
    for (let i = 0; i < samples.length; i++) if (samples[i] === stored) samples[i] = missing;
  }
  if (values.validRange !== undefined) {
    const [lowest, highest] = values.validRange;
    for (let i = 0; i < samples.length; i++)
      if (samples[i]! < lowest || samples[i]! > highest) samples[i] = missing;
  }
  if (mask !== undefined) {
    const unclear = await mask.readBand(band);
    if (view !== undefined)
      view.hideUnclear(unclear, (pixel, shows) => {
        samples[pixel] = missing;
        if (shows === 'snow') snow?.add(pixel);
      });
    else for (let i = 0; i < samples.length; i++) if (unclear[i] !== 0) samples[i] = missing;
  }
  return samples;
}

function countClear(samples: Samples): number {
  let clear = 0;
  if (samples instanceof Int16Array) {
    for (let i = 0; i < samples.length; i++) if (samples[i] !== MISSING_INT16) clear++;
  } else {
    for (let i = 0; i < samples.length; i++) if (!Number.isNaN(samples[i]!)) clear++;
  }
  return clear;
}
