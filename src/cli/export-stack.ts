import { exportStack } from '../app/imagery/export-stack.ts';
import { collectionNamed } from '../app/imagery/manage-collections.ts';
import { COLLECTION_OPTIONS, collectionName } from './collections.ts';
import { moment, required, type Command } from './command.ts';

const PROGRESS_EVERY_MS = 1000;

export const exportStackCommand: Command = {
  name: 'export stack',
  summary: 'Write scenes of a collection as a GeoTIFF with one band per date, and their dates',
  options: {
    ...COLLECTION_OPTIONS,
    metric: { value: 'KEY', meaning: 'which of its metrics, where it holds several' },
    values: { value: 'V.tif', meaning: 'the stack to write, as ingest stack takes it', required: true },
    dates: { value: 'D.csv', meaning: 'the dates to write', required: true },
    from: { value: 'TIME', meaning: 'scenes from here on', fallback: 'the first' },
    to: { value: 'TIME', meaning: 'scenes before this', fallback: 'the last' },
  },
  async run(context, given) {
    const [fromMs, toMs] = [moment(given, 'from'), moment(given, 'to')];
    const deps = await context.open();
    const collection = await collectionNamed(deps, await collectionName(deps, given));
    const [valuesPath, datesPath] = [required(given, 'values'), required(given, 'dates')];
    let told = 0;
    const scenes = await exportStack(
      deps,
      { collection, valuesPath, datesPath, fromMs, toMs },
      (done, total) => {
        const now = deps.clock.now();
        if (done < total && now - told < PROGRESS_EVERY_MS) return;
        told = now;
        context.note(`rows: ${done} of ${total}`);
      },
    );
    context.print(
      { collection: collection.id, name: collection.name, metric: collection.metric, scenes },
      `${scenes} scenes of ${collection.name} written to ${valuesPath}, their dates to ${datesPath}`,
    );
  },
};
