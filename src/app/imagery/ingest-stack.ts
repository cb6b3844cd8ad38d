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
  const values = await deps.stacks.open(input.valuesPath, input);
  try {
    const mask = input.maskPath === undefined ? undefined : await deps.stacks.open(input.maskPath);
    try {
      const dates = await datesOf(deps.stacks, input, values);
      if (mask !== undefined) checkMask(values, mask, input.maskPath!);
      return await writeStack(deps, input, values, mask, dates, progress);
    } finally {
      await mask?.close();
    }
  } finally {
    await values.close();
  }
}

async function datesOf(
  stacks: DatesReader,
  { datesPath, valuesPath }: StackIngest,
  values: RasterStack,
): Promise<readonly BandDate[]> {
  if (datesPath !== undefined) {
    try {
      return await stacks.readDates(datesPath, values.bandCount);
    } catch (error) {
      const { alphaBand = null } = values;
      if (!(error instanceof InvalidInput) || alphaBand === null) throw error;
      throw new InvalidInput(
        `${error.message}. Band ${alphaBand} of ${valuesPath} is marked as alpha, the mask of the other bands. ` +
          'If it is a date, name each band by its date in the file',
        { cause: error, param: 'dates' },
      );
    }
  }
  if (values.dates !== undefined) return values.dates;
  throw new InvalidInput(
    `--dates: expected a table of dates, since ${valuesPath} has none of its own, nor one in the name of each band`,
    {
      param: 'dates',
    },
  );
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
