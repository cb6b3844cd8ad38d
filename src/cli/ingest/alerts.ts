import { ingestAlerts } from '../../app/imagery/ingest-alerts.ts';
import { accountOption, PRIVATE_TO } from '../account-option.ts';
import { type Command, ENVIRONMENT, environment, required } from '../command.ts';
import { progressNotes } from '../progress.ts';
import { searchIngested } from './search-ingested.ts';

export const ingestAlertsCommand: Command = {
  name: 'ingest alerts',
  summary:
    'Ingest downloaded granules of the alert product OPERA DIST-ALERT-HLS from a folder, and look for changes',
  operands: ['FOLDER'],
  options: {
    collection: {
      value: 'NAME',
      meaning: 'collection to ingest into, created when it is new',
      required: true,
    },
    environment: ENVIRONMENT,
    account: PRIVATE_TO,
    'no-wait': { meaning: 'leave the search for changes to the running service' },
  },
  async run(context, given) {
    const deps = await context.open();
    const input = {
      folder: given.operands[0]!,
      collection: required(given, 'collection'),
      environment: environment(given),
      accountId: await accountOption(deps.storage, given),
    };
    const progress = progressNotes(context, deps.clock);
    await searchIngested(context, deps, given, await ingestAlerts(deps, input, progress('scenes')));
  },
};
