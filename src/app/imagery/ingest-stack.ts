import { QUALITY_ENCODINGS } from '../../raster/quality/encodings.ts';
import { checkCollectionName, shapeOf } from './collection-writer.ts';
import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { BandDate, DatesReader, RasterStack, StackReader } from './raster-stack.ts';
import { type IngestReport, isQualityName, type StackTarget, writeStack } from './write-stack.ts';

/** Names of the quality encodings that a mask can have. */
export const MASK_ENCODINGS: readonly string[] = Object.keys(QUALITY_ENCODINGS);

/** Options of a stack ingest, as given on the command line. */
export interface StackIngest extends StackTarget {
  /** Variable to read; undefined: the variable that matches the metric. */
  readonly variable: string | undefined;
}

/**
 * Ingests an image stack scene by scene. Each scene is durable before the next one is written. Options and files are
 * validated before anything is written. Ingesting the same bytes again adds nothing, and repeating the command after
 * a crash resumes the ingest.
 * @throws InvalidInput that names the file and the problem
 */
export async function ingestStack(
  deps: Pick<Deps, 'clock' | 'storage' | 'cube'> & { readonly stacks: StackReader & DatesReader },
  input: StackIngest,
  progress: (done: number, total: number) => void,
): Promise<IngestReport> {
  checkNames(input);
  const { values, dates } = await openValues(deps.stacks, input);
  try {
    const mask =
      input.maskPath === undefined ? undefined : await openMask(deps.stacks, input.maskPath, values);
    try {
      if (mask !== undefined) checkMask(values, mask, input.maskPath!);
      return await writeStack(deps, input, values, mask, dates, progress);
    } finally {
      await mask?.close();
    }
  } finally {
    await values.close();
  }
}

/**
 * Bands of a file of bytes whose last one GDAL marks as alpha by itself. There a table or the values that have a date for
 * each of the bands say that it is none.
 */
const MARKED_BY_GDAL = 4;

async function openValues(
  stacks: StackReader & DatesReader,
  input: StackIngest,
): Promise<{ readonly values: RasterStack; readonly dates: readonly BandDate[] }> {
  const { valuesPath, datesPath } = input;
  const values = await stacks.open(valuesPath, input);
  try {
    if (datesPath === undefined) return { values, dates: ownDates(values, valuesPath) };
    return { values, dates: await stacks.readDates(datesPath, values.bandCount) };
  } catch (error) {
    await values.close();
    const { alphaBand = null } = values;
    if (datesPath === undefined || alphaBand === null || !(error instanceof InvalidInput)) throw error;
    const dates = await stacks.readDates(datesPath, alphaBand).catch(() => undefined);
    if (dates === undefined) throw error;
    if (alphaBand === MARKED_BY_GDAL)
      return { values: await stacks.open(valuesPath, { ...input, alphaIsDate: true }), dates };
    throw new InvalidInput(
      `${error.message}. Band ${alphaBand} of ${valuesPath} is marked as alpha, the mask of the other bands. ` +
        'If it is a date, name each band by its date in the file',
      { cause: error, param: 'dates' },
    );
  }
}

function ownDates({ dates, bandCount }: RasterStack, path: string): readonly BandDate[] {
  if (dates !== undefined) return dates;
  const way =
    bandCount === 1 ? '; or give the folder of files like it, if each has its date in its name' : '';
  throw new InvalidInput(
    `--dates: expected a table of dates, since ${path} has none of its own, nor one in the name of each band${way}`,
    { param: 'dates' },
  );
}

async function openMask(stacks: StackReader, path: string, values: RasterStack): Promise<RasterStack> {
  const mask = await stacks.open(path);
  if (mask.alphaBand !== MARKED_BY_GDAL || values.bandCount !== MARKED_BY_GDAL) return mask;
  await mask.close();
  return await stacks.open(path, { metric: undefined, variable: undefined, alphaIsDate: true });
}

function checkNames(input: StackIngest): void {
  checkCollectionName(input.collection, input.metric);
  if (input.maskEncoding !== undefined && !isQualityName(input.maskEncoding))
    throw new InvalidInput(
      `--mask-encoding: expected one of ${MASK_ENCODINGS.join(', ')}; got ${JSON.stringify(input.maskEncoding)}`,
      { param: 'mask-encoding' },
    );
  if (input.maskEncoding !== undefined && input.maskPath === undefined)
    throw new InvalidInput('--mask-encoding: expected together with --mask', { param: 'mask-encoding' });
  if (input.scale === 0)
    throw new InvalidInput('--scale: expected a number other than 0', { param: 'scale' });
}

function checkMask(values: RasterStack, mask: RasterStack, path: string): void {
  const [a, b] = [shapeOf(values.grid), shapeOf(mask.grid)];
  if (a !== b)
    throw new InvalidInput(`${path}: expected the grid of the values, ${a}; got ${b}`, { param: 'mask' });
  if (values.bandCount !== mask.bandCount)
    throw new InvalidInput(
      `${path}: expected ${values.bandCount} bands like the values, got ${mask.bandCount}`,
      {
        param: 'mask',
      },
    );
  if (values.files === undefined || mask.files === undefined) return;
  const [dates, others] = [values.dates!, mask.dates!];
  const apart = dates.findIndex(({ timeMs }, i) => timeMs !== others[i]!.timeMs);
  if (apart !== -1)
    throw new InvalidInput(
      `${path}: expected a mask of each date of the values; ${mask.files[apart]} stands where ${values.files[apart]} has its own`,
      { param: 'mask' },
    );
}
