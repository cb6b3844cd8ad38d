import { exportStack } from '../app/imagery/export-stack.ts';
import { collectionNamed } from '../app/imagery/manage-collections.ts';
import { COLLECTION_OPTIONS, collectionName } from './collections.ts';
import { moment, required, type Command } from './command.ts';
import { progressNotes } from './progress.ts';

export const exportStackCommand: Command = {
  name: 'export stack',
  summary: 'Write scenes of a collection as a GeoTIFF with one band per date, and their dates',
  options: {
    ...COLLECTION_OPTIONS,
    metric: { value: 'KEY', meaning: 'one of its metrics; required when it has several' },
    values: { value: 'V.tif', meaning: 'the stack to write, as ingest stack takes it', required: true },
    dates: { value: 'D.csv', meaning: 'the dates to write', required: true },
    from: { value: 'TIME', meaning: 'first time', fallback: 'the first' },
    to: { value: 'TIME', meaning: 'time before which scenes are written', fallback: 'the last' },
  },
  async run(context, given) {
    const [fromMs, toMs] = [moment(given, 'from'), moment(given, 'to')];
    const deps = await context.open();
    const collection = await collectionNamed(deps, await collectionName(deps, given));
    const [valuesPath, datesPath] = [required(given, 'values'), required(given, 'dates')];
    const scenes = await exportStack(
      deps,
      { collection, valuesPath, datesPath, fromMs, toMs },
      progressNotes(context, deps.clock)('rows'),
    );
    context.print(
      { collection: collection.id, name: collection.name, metric: collection.metric, scenes },
      `${scenes} scenes of ${collection.name} written to ${valuesPath}, their dates to ${datesPath}`,
    );
  },
};
