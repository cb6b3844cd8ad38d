import { resolve } from 'node:path';
import { createBundle } from '../app/bundles/create-bundle.ts';
import { importBundle } from '../app/bundles/import-bundle.ts';
import { monitorCollection } from '../app/changes/monitor-collection.ts';
import { priorityOf } from '../app/job-queue.ts';
import { readBox } from '../app/imagery/scene-request.ts';
import { accountOption, PRIVATE_TO, readersOf } from './account-option.ts';
import { type Command, ENVIRONMENT, environment, Misuse, required, text } from './command.ts';
import { progressNotes } from './progress.ts';

export const createBundleCommand: Command = {
  name: 'bundle create',
  summary:
    'Write the scenes and installed layers of a box into one file for an installation without Internet access',
  audited: true,
  options: {
    bbox: { value: 'w,s,e,n', meaning: 'box in degrees: what overlaps it is taken whole', required: true },
    out: { value: 'FILE', meaning: 'new file', required: true },
    environment: { ...ENVIRONMENT, meaning: 'the environment to take from' },
    account: {
      value: 'NAME',
      meaning: 'account whose private collections are taken too',
      fallback: 'only those that all accounts can read',
    },
  },
  async run(context, given) {
    const deps = await context.open();
    const path = resolve(required(given, 'out'));
    const request = {
      path,
      box: readBox(required(given, 'bbox')),
      environment: environment(given),
      accountId: await accountOption(deps.storage, given),
    };
    const made = await createBundle(deps, request, progressNotes(context, deps.clock)('members'));
    const { collections, scenes, layers, pieces, bytes, signedBy } = made;
    context.print(
      { file: path, collections, scenes, layers, pieces, bytes, signed_by: signedBy },
      [
        `${path}: ${scenes} scenes of ${collections} collections, ${pieces} pieces of ${layers} layers, ${bytes} bytes`,
        `Import it with --signer ${signedBy}, which refuses what this installation did not write`,
      ].join('\n'),
    );
  },
};

export const importBundleCommand: Command = {
  name: 'bundle import',
  summary: 'Take in a bundle of another installation, and search its scenes for changes',
  audited: true,
  operands: ['FILE'],
  options: {
    account: PRIVATE_TO,
    environment: { ...ENVIRONMENT, meaning: 'the environment to import into' },
    signer: { value: 'KEY', meaning: 'public key that must have signed it, as bundle create printed it' },
    'no-wait': { meaning: 'let the service look for changes later' },
  },
  async run(context, given) {
    const signer = text(given, 'signer');
    if (signer !== undefined && !/^gwsign_[\w-]{43}$/.test(signer))
      throw new Misuse(
        `--signer: expected gwsign_ and 43 characters, as bundle create printed them, got ${signer}`,
      );
    const deps = await context.open();
    const notes = progressNotes(context, deps.clock);
    const accountId = await accountOption(deps.storage, given);
    const request = { path: resolve(given.operands[0]!), signer, environment: environment(given), accountId };
    const done = await importBundle(deps, request, notes('members'));
    if (signer === undefined)
      context.note(`Signed by ${done.signedBy}: compare it with what bundle create printed, or use --signer`);
    if (done.present.length > 0)
      context.note(`There already, with the same scenes: ${done.present.join(', ')}`);
    const isSearched = given.options['no-wait'] !== true;
    let changes = 0;
    const searched = new Set<string>();
    for (const collection of done.collections) {
      // A search takes all metrics of a name together.
      if (searched.has(collection.name)) continue;
      searched.add(collection.name);
      if (isSearched) changes += (await monitorCollection(deps, collection, notes('pixels'))).inserted;
      else
        await deps.storage.jobs.monitorCollection({
          collectionId: collection.id,
          priority: priorityOf(done.scenes),
        });
    }
    deps.wakeDelivery();
    context.print(
      {
        collections: done.collections.map(({ id, name, metric }) => ({ id, name, metric })),
        present: done.present,
        scenes: done.scenes,
        layers: done.layers,
        pieces: done.pieces,
        changes: isSearched ? changes : null,
        bbox: done.box,
        signed_by: done.signedBy,
        account: text(given, 'account') ?? null,
      },
      [
        `${done.scenes} scenes of ${done.collections.length} collections; ${done.pieces} pieces of layers: ${done.layers.join(', ') || 'none'}`,
        ...(done.collections.length > 0
          ? [
              `${isSearched ? `${changes} changes found.` : 'Changes will be looked for.'} ${readersOf(given)}`,
            ]
          : []),
      ].join('\n'),
    );
  },
};
