import { ingestStack, MASK_ENCODINGS, type StackIngest } from '../../app/imagery/ingest-stack.ts';
import { accountOption, PRIVATE_TO } from '../account-option.ts';
import { ENVIRONMENT, environment, number, required, text, type Command } from '../command.ts';
import { progressNotes } from '../progress.ts';
import { waitForRoom } from '../../app/job-queue.ts';
import { searchIngested, WAITS } from './search-ingested.ts';

export const ingestStackCommand: Command = {
  name: 'ingest stack',
  summary:
    'Ingest an image stack (a GeoTIFF with one band per date, a folder of one file per date, or a grid in NetCDF, HDF5 or Zarr) and look for changes and anomalies',
  options: {
    collection: {
      value: 'NAME',
      meaning: 'collection to ingest into, created when it is new',
      required: true,
    },
    metric: { value: 'KEY', meaning: 'metric of the values, such as ndvi', required: true },
    values: {
      value: 'V.tif',
      meaning: 'the stack, or a folder of files of one band with their dates in their names',
      required: true,
    },
    variable: {
      value: 'NAME',
      meaning: 'variable of a NetCDF or HDF5 file, or of Zarr',
      fallback: 'the one that matches the metric, or the only one',
    },
    dates: {
      value: 'D.csv',
      meaning: 'columns band and one of date, datetime, datetime_utc; optionally scene',
      fallback: 'what NetCDF, HDF5 or Zarr, the names in a folder, or those of the bands say',
    },
    unit: {
      value: 'U',
      meaning: 'unit of the values',
      fallback: "what NetCDF, HDF5 or Zarr says, or the metric's",
    },
    mask: { value: 'M.tif', meaning: 'a stack of the same shape; pixels that are not zero are not clear' },
    'mask-encoding': {
      value: 'NAME',
      meaning: `the mask is a quality band as its provider codes it: ${MASK_ENCODINGS.join(', ')}`,
    },
    scale: {
      value: 'S',
      meaning: 'value = raw * scale + offset, before the unit',
      fallback: 'what the file says, or 1',
    },
    offset: { value: 'O', meaning: 'see scale', fallback: 'what the file says, or 0' },
    nodata: {
      value: 'N',
      meaning: 'raw value that means nothing was observed',
      fallback: 'what the file says',
    },
    environment: ENVIRONMENT,
    account: PRIVATE_TO,
    'no-wait': { meaning: 'leave the search for changes to the running service' },
  },
  async run(context, given) {
    const deps = await context.open();
    const input: StackIngest = {
      collection: required(given, 'collection'),
      metric: required(given, 'metric'),
      environment: environment(given),
      accountId: await accountOption(deps.storage, given),
      valuesPath: required(given, 'values'),
      variable: text(given, 'variable'),
      datesPath: text(given, 'dates'),
      maskPath: text(given, 'mask'),
      maskEncoding: text(given, 'mask-encoding'),
      scale: number(given, 'scale'),
      offset: number(given, 'offset'),
      nodata: number(given, 'nodata'),
      unit: text(given, 'unit'),
    };
    await waitForRoom(deps.storage.jobs, input.accountId, { onWait: () => context.note(WAITS) });
    const progress = progressNotes(context, deps.clock);
    await searchIngested(context, deps, given, await ingestStack(deps, input, progress('scenes')));
  },
};
