import { noteOfHistory } from '../../app/changes/history-note.ts';
import { WAITS } from './search-ingested.ts';
import { ingestScenes, type SceneIngest } from '../../app/imagery/ingest-scenes.ts';
import { priorityOf, waitForRoom } from '../../app/job-queue.ts';
import { monitorCollection } from '../../app/changes/monitor-collection.ts';
import type { SceneSource } from '../../app/imagery/scene-source.ts';
import { boxOfAoi, readBox } from '../../app/imagery/scene-request.ts';
import { endOf, parseMoment } from '../../base/time.ts';
import { accountOption, PRIVATE_TO, readersOf } from '../account-option.ts';
import {
  type CliContext,
  type CliDeps,
  type Command,
  ENVIRONMENT,
  environment,
  type Given,
  Misuse,
  required,
  text,
} from '../command.ts';
import { progressNotes } from '../progress.ts';
import {
  ADJUST_OPTION,
  adjustOf,
  isTrueColour,
  MAX_CLOUD_OPTION,
  maxCloudShare,
  metricsOf,
  metricsOption,
  NO_TRUE_COLOUR_OPTION,
} from './scene-options.ts';

const MAX_NAMED = 10; // maximum number of omitted scenes that the text names; `--json` names all

export const ingestStacCommand = sceneCommand({
  name: 'ingest stac',
  summary: 'Ingest satellite scenes of an area from a STAC catalogue, and look for changes',
  operand: 'URL_OR_FILE',
  area: 'that of the collection',
  source: ({ scenes }) => scenes,
});

export const ingestScenesCommand = sceneCommand({
  name: 'ingest scenes',
  summary:
    'Ingest downloaded scenes of Landsat, Sentinel-2, HLS, MODIS, VIIRS or Sentinel-1 (RTC) from a folder, and look for changes',
  operand: 'FOLDER_OR_ZIP',
  area: 'that of the collection, or all that the scenes show',
  source: ({ sceneFolders }) => sceneFolders,
  options: {
    'level-1c': {
      meaning:
        'read Sentinel-2 level 1C too: reflectance at the top of the atmosphere, without a mask of cloud shadows',
    },
  },
});

/** Makes a command that ingests scenes from one kind of source. */
function sceneCommand(of: {
  readonly name: string;
  readonly summary: string;
  readonly operand: string;
  /** Text for the help: the area that is ingested when no option names one. */
  readonly area: string;
  readonly source: (deps: CliDeps) => SceneSource;
  /** Options of this source only. */
  readonly options?: Command['options'];
}): Command {
  return {
    name: of.name,
    summary: of.summary,
    operands: [of.operand],
    options: {
      collection: {
        value: 'NAME',
        meaning: 'collection to ingest into, created when it is new',
        required: true,
      },
      bbox: { value: 'w,s,e,n', meaning: 'area in degrees', fallback: of.area },
      aoi: { value: 'ID', meaning: 'an area of interest instead of a box' },
      from: { value: 'DATE', meaning: 'first day or time', fallback: 'all there is' },
      to: {
        value: 'DATE',
        meaning: 'last day, or the time before which scenes are used',
        fallback: 'all there is',
      },
      metrics: metricsOption('those of the collection, or all'),
      adjust: ADJUST_OPTION,
      'max-cloud': MAX_CLOUD_OPTION,
      'no-true-colour': NO_TRUE_COLOUR_OPTION,
      ...of.options,
      environment: ENVIRONMENT,
      account: PRIVATE_TO,
      'no-wait': { meaning: 'leave the search for changes to the running service' },
    },
    run: (context, given) => ingest(context, given, of.source),
  };
}

/**
 * Ingests the scenes, and looks for changes in their collection. With `--no-wait` the service looks for changes
 * later.
 */
async function ingest(
  context: CliContext,
  given: Given,
  source: (deps: CliDeps) => SceneSource,
): Promise<void> {
  const deps = await context.open();
  const progress = progressNotes(context, deps.clock);
  const input = await inputOf(deps, given);
  await waitForRoom(deps.storage.jobs, input.accountId, { onWait: () => context.note(WAITS) });
  const { collections, passes, added, left, mixed } = await ingestScenes(
    { clock: deps.clock, storage: deps.storage, cube: deps.cube, scenes: source(deps) },
    input,
    progress('passes'),
  );
  for (const { id, reason } of left.slice(0, MAX_NAMED)) context.note(`left out: ${id}: ${reason}`);
  if (left.length > MAX_NAMED) context.note(`left out: ${left.length - MAX_NAMED} more`);
  if (mixed !== undefined)
    context.note(
      `the collection has scenes of ${mixed.join(' and ')}, whose bands differ; --adjust, in a new collection, adjusts them`,
    );
  const metrics = collections.map(({ metric }) => metric);
  const account = text(given, 'account') ?? null;
  const base = {
    name: required(given, 'collection'),
    account,
    metrics,
    passes,
    added,
    left,
    ...(mixed !== undefined && { mixed }),
  };
  const [first] = collections;
  if (first === undefined) {
    context.print(base, 'No scene there shows the ground; nothing was written.');
    return;
  }
  if (given.options['no-wait'] === true) {
    await deps.storage.jobs.monitorCollection({ collectionId: first.id, priority: priorityOf(added) });
    context.print(
      { ...base, queued: true },
      `${added} of ${passes} passes were new; changes will be looked for\n${readersOf(given)}`,
    );
    return;
  }
  const outcome = await monitorCollection(deps, first, progress('pixels'));
  deps.wakeDelivery();
  context.print(
    { ...base, changes: outcome },
    `${added} of ${passes} passes were new (${metrics.join(', ')}); ${left.length} scenes were left out. ` +
      `Changes: ${outcome.inserted} new, ${outcome.updated} updated, ${outcome.unchanged} as before; ` +
      `${outcome.confirmed} stand confirmed.` +
      `${await noteOfHistory(deps, first)}\n${readersOf(given)}`,
  );
}

async function inputOf(deps: CliDeps, given: Given): Promise<SceneIngest> {
  return {
    maxCloudShare: maxCloudShare(given),
    where: given.operands[0]!,
    collection: required(given, 'collection'),
    environment: environment(given),
    accountId: await accountOption(deps.storage, given),
    bounds: await boundsOf(deps, given),
    fromMs: moment(given, 'from')?.ms ?? -Infinity,
    toMs: endMs(deps, given),
    metrics: metricsOf(given),
    isAdjusted: adjustOf(given),
    isTrueColour: isTrueColour(given),
    takesLevel1: given.options['level-1c'] === true,
  };
}

async function boundsOf(deps: CliDeps, given: Given): Promise<SceneIngest['bounds']> {
  const [box, aoi] = [text(given, 'bbox'), text(given, 'aoi')];
  if (box !== undefined && aoi !== undefined) throw new Misuse('--bbox or --aoi: expected one, got both');
  if (aoi !== undefined) return boxOfAoi(deps, aoi);
  return box === undefined ? undefined : readBox(box);
}

function moment(given: Given, name: 'from' | 'to') {
  const written = text(given, name);
  if (written === undefined) return undefined;
  const parsed = parseMoment(written);
  if (parsed === undefined)
    throw new Misuse(`--${name}: expected a date or an RFC 3339 time, got ${written}`);
  return parsed;
}

function endMs(deps: CliDeps, given: Given): number {
  const to = moment(given, 'to');
  const end = to === undefined ? Infinity : endOf(to);
  const from = moment(given, 'from');
  if (from !== undefined && from.ms > Math.min(end, deps.clock.now()))
    throw new Misuse(`--from: expected a time in the past and not after --to, got ${text(given, 'from')}`);
  return end;
}
