import { priorityOf } from '../../app/job-queue.ts';
import { monitorCollection } from '../../app/changes/monitor-collection.ts';
import type { IngestReport } from '../../app/imagery/write-stack.ts';
import { readersOf } from '../account-option.ts';
import { type CliContext, type CliDeps, type Given, text } from '../command.ts';
import { progressNotes } from '../progress.ts';
import { noteOfHistory } from '../../app/changes/history-note.ts';

/** Printed when an ingest waits for the jobs of its account. */
export const WAITS =
  'waiting: too many jobs of this account wait (GROUNDWATCH_JOBS_BACKLOG); they need a running worker';

/**
 * Searches a collection for changes after an ingest, and prints what was found. With `--no-wait` the service searches
 * later.
 */
export async function searchIngested(
  context: CliContext,
  deps: CliDeps,
  given: Given,
  { collection, scenes, added }: IngestReport,
): Promise<void> {
  const account = text(given, 'account') ?? null;
  const base = { collection: collection.id, name: collection.name, account, scenes, added };
  if (given.options['no-wait'] === true) {
    await deps.storage.jobs.monitorCollection({ collectionId: collection.id, priority: priorityOf(added) });
    context.print(
      { ...base, queued: true },
      `${added} of ${scenes} scenes were new; changes will be looked for\n${readersOf(given)}`,
    );
    return;
  }
  const progress = progressNotes(context, deps.clock);
  const outcome = await monitorCollection(deps, collection, progress('pixels'));
  deps.wakeDelivery();
  context.print(
    { ...base, changes: outcome },
    `${added} of ${scenes} scenes were new. Changes: ${outcome.inserted} new, ${outcome.updated} updated, ` +
      `${outcome.unchanged} as before; ${outcome.confirmed} stand confirmed.` +
      `${await noteOfHistory(deps, collection)}\n${readersOf(given)}`,
  );
}
