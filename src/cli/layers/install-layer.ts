import { installPublicLayer, planPublicLayer } from '../../app/layers/install-public-layer.ts';
import { BY_HAND, DATASETS, datasetNamed } from '../../app/layers/install/datasets.ts';
import { boxesOfAreas } from '../../app/layers/install/boxes-of-areas.ts';
import {
  type InstallPlan,
  type InstallRequest,
  planInstall,
  runInstall,
} from '../../app/layers/install/install-dataset.ts';
import { PUBLIC_LAYERS, publicLayer } from '../../app/layers/public-layers.ts';
import { readBox } from '../../app/imagery/scene-request.ts';
import { accountId } from '../account-option.ts';
import {
  type CliContext,
  type CliDeps,
  type Command,
  Failed,
  type Given,
  Misuse,
  table,
  text,
} from '../command.ts';
import { progressNotes } from '../progress.ts';
import { LAYER_ENVIRONMENT, layerEnvironment } from './layer-options.ts';
import { reachProvider } from './reach-provider.ts';
import { printAdded } from './add-layer.ts';

/** What can be installed by name. */
const entries = () => [
  ...Object.entries(PUBLIC_LAYERS).map(([name, { meaning, layer, licence, source, base }]) => ({
    name,
    meaning,
    layers: [layer],
    licence,
    source,
    documentation: base,
    needs: null as string | null,
  })),
  ...DATASETS.map(({ name, meaning, layers, licence, source, documentation, needs }) => ({
    name,
    meaning,
    layers,
    licence,
    source,
    documentation,
    needs: needs ?? null,
  })),
];

export const availableLayersCommand: Command = {
  name: 'layers available',
  summary: 'List the public maps and data sets that layers install fetches, with their licences',
  async run(context) {
    const all = entries();
    context.print(
      { available: all, by_hand: BY_HAND },
      [
        table(
          ['NAME', 'LAYERS', 'NEEDS', 'LICENCE', 'WHAT'],
          all.map((one) => [one.name, one.layers.join(', '), one.needs ?? '', one.licence, one.meaning]),
        ),
        ...BY_HAND.map(({ name, how }) => `Not by name: ${name}. ${how}.`),
      ].join('\n'),
    );
  },
};

export const installLayerCommand: Command = {
  name: 'layers install',
  summary: 'Fetch a public map or data set for an area and install it (layers available lists them)',
  audited: true,
  operands: ['NAME'],
  options: {
    bbox: { value: 'w,s,e,n', meaning: 'area in degrees' },
    areas: { value: 'ACCOUNT', meaning: 'or the boxes of the areas of interest of an account' },
    yes: { meaning: 'fetch without asking' },
    mirror: {
      value: 'URL',
      meaning: 'base address of a copy, laid out as at the provider',
      fallback: 'the provider',
    },
    environment: LAYER_ENVIRONMENT,
  },
  async run(context, given) {
    const name = given.operands[0]!;
    const dataset = datasetNamed(name);
    const deps = await context.open();
    const boxes = await boxesOf(deps, given);
    const shared = { environment: layerEnvironment(given), mirror: text(given, 'mirror') };
    const notes = progressNotes(context, deps.clock);
    const base = dataset?.base ?? publicLayer(name).base;
    await reachProvider(shared.mirror ?? base, shared.mirror !== undefined);
    if (dataset === undefined) {
      const { licence, source } = publicLayer(name);
      const requests = boxes.map((bounds) => ({ name, bounds, ...shared }));
      let tiles = 0;
      for (const request of requests) tiles += (await planPublicLayer(deps, request)).length;
      const what = `${name}: parts of ${tiles} ${tiles === 1 ? 'tile' : 'tiles'}, as far as the box reaches`;
      await agree(context, given, [what, `Licence: ${licence}`, `Source: ${source}`]);
      const added = [];
      for (const request of requests)
        added.push(...(await installPublicLayer(deps, request, notes('tiles'))));
      return printAdded(context, added);
    }
    const secret = dataset.needs && (await deps.datasetSecret(dataset.needs));
    const request = { dataset, boxes, secret, ...shared };
    const plan = await planInstall(deps, request);
    await agree(context, given, [
      `${name}: ${planText(plan)}`,
      `Licence: ${dataset.licence}`,
      `Source: ${dataset.source}`,
    ]);
    const note = notes('files');
    const added = await runInstall(deps, request, plan, (done, total, bytes) =>
      total === 1 && done === 0
        ? notes('MB')(Math.floor(bytes / 1e6), Math.ceil(plan.bytes / 1e6))
        : note(done, total),
    );
    printAdded(context, added);
  },
};

/** The boxes that the options name: one, or those of the areas of an account, joined where they meet. @throws Misuse */
async function boxesOf(deps: CliDeps, given: Given): Promise<InstallRequest['boxes']> {
  const [box, account] = [text(given, 'bbox'), text(given, 'areas')];
  if ((box === undefined) === (account === undefined))
    throw new Misuse('expected either --bbox w,s,e,n or --areas ACCOUNT');
  if (box !== undefined) return [readBox(box)];
  const boxes = await boxesOfAreas(deps, await accountId(deps.storage, account!));
  if (boxes.length === 0)
    throw new Misuse(`--areas: ${account} has no area of interest in production or staging`);
  return boxes;
}

function planText({ files, bytes, unknown, request }: InstallPlan): string {
  const count = `${files.length} ${files.length === 1 ? 'file' : 'files'} from ${new URL(request.base).host}`;
  const known = bytes === 0 ? [] : [`${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB (${bytes} bytes)`];
  const made = unknown === 0 ? [] : [`${unknown} of a size that the provider does not tell before`];
  return [count, ...known, ...made].join(', ');
}

/** Shows what will be fetched and asks, unless `--yes` is given. @throws Misuse where nobody can be asked; Failed */
async function agree(context: CliContext, given: Given, lines: readonly string[]): Promise<void> {
  for (const line of lines) context.note(line);
  if (given.options['yes'] === true) return;
  const answer = await context.confirm('Fetch and install it?');
  if (answer === undefined)
    throw new Misuse('nothing was fetched: give --yes to agree where there is no terminal');
  if (!answer) throw new Failed('nothing was fetched');
}
