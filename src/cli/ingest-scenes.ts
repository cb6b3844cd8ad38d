import { ingestScenes, type SceneIngest } from '../app/imagery/ingest-scenes.ts';
import { monitorCollection } from '../app/changes/monitor-collection.ts';
import type { SceneSource } from '../app/imagery/scene-source.ts';
import { boxOfAoi, readBox, readMetrics, SCENE_METRICS } from '../app/imagery/scene-request.ts';
import { endOf, parseMoment } from '../base/time.ts';
import { accountId } from './aois.ts';
import {
  type CliDeps,
  type Command,
  ENVIRONMENT,
  environment,
  type Given,
  Misuse,
  number,
  required,
  text,
} from './command.ts';

const PROGRESS_EVERY_MS = 1000;
const MOST_LEFT_TOLD = 10; // scenes named in text; `--json` names all
const MAX_CLOUD = 90; // [%] beyond which a scene hardly shows the ground

export const ingestStacCommand = sceneCommand({
  name: 'ingest stac',
  summary: 'Take in satellite scenes from a STAC catalogue, for an area, and look for changes',
  operand: 'URL_OR_FILE',
  area: 'that of the collection',
  source: ({ scenes }) => scenes,
});

export const ingestScenesCommand = sceneCommand({
  name: 'ingest scenes',
  summary: 'Take in downloaded Landsat, Sentinel-2 or HLS scenes from a folder, and look for changes',
  operand: 'FOLDER',
  area: 'that of the collection, or all that the scenes show',
  source: ({ sceneFolders }) => sceneFolders,
});

/** A command that takes in scenes; what differs is where they are. */
function sceneCommand(of: {
  readonly name: string;
  readonly summary: string;
  readonly operand: string;
  /** What is taken in when no area is told. */
  readonly area: string;
  readonly source: (deps: CliDeps) => SceneSource;
}): Command {
  return {
    name: of.name,
    summary: of.summary,
    operands: [of.operand],
    options: {
      collection: { value: 'NAME', meaning: 'collection it goes into, made when it is new', required: true },
      bbox: { value: 'w,s,e,n', meaning: 'area in degrees', fallback: of.area },
      aoi: { value: 'ID', meaning: 'the area of interest instead' },
      from: { value: 'DATE', meaning: 'first day or time', fallback: 'all there is' },
      to: { value: 'DATE', meaning: 'last day, or the time before which', fallback: 'now' },
      metrics: {
        value: 'KEY,KEY',
        meaning: `some of ${SCENE_METRICS.join(', ')}`,
        fallback: 'those of the collection, or all',
      },
      'max-cloud': {
        value: 'PERCENT',
        meaning: 'leave out scenes with more cloud',
        fallback: String(MAX_CLOUD),
      },
      environment: ENVIRONMENT,
      account: { value: 'NAME', meaning: 'makes the collection private to one account' },
      'no-wait': { meaning: 'leave the search for changes to the running service' },
    },
    async run(context, given) {
      const deps = await context.open();
      let told = 0;
      const progress = (what: string) => (done: number, total: number) => {
        const now = deps.clock.now();
        if (done < total && now - told < PROGRESS_EVERY_MS) return;
        told = now;
        context.note(`${what}: ${done} of ${total}`);
      };
      const report = await ingestScenes(
        { storage: deps.storage, cube: deps.cube, scenes: of.source(deps) },
        await inputOf(deps, given),
        progress('passes'),
      );
      const { collections, passes, added, left } = report;
      for (const { id, reason } of left.slice(0, MOST_LEFT_TOLD)) context.note(`left out: ${id}: ${reason}`);
      if (left.length > MOST_LEFT_TOLD) context.note(`left out: ${left.length - MOST_LEFT_TOLD} more`);
      const base = {
        name: required(given, 'collection'),
        metrics: collections.map(({ metric }) => metric),
        passes,
        added,
        left,
      };
      const [first] = collections;
      if (first === undefined) {
        context.print(base, 'No scene there shows the ground; nothing was written.');
        return;
      }
      if (given.options['no-wait'] === true) {
        await deps.storage.jobs.monitorCollection({ collectionId: first.id });
        context.print(
          { ...base, queued: true },
          `${added} of ${passes} passes were new; changes will be looked for`,
        );
        return;
      }
      const outcome = await monitorCollection(deps, first, progress('pixels'));
      deps.wakeDelivery();
      context.print(
        { ...base, changes: outcome },
        `${added} of ${passes} passes were new (${base.metrics.join(', ')}); ${left.length} scenes were left out. ` +
          `Changes: ${outcome.inserted} new, ${outcome.updated} updated, ${outcome.unchanged} as before; ` +
          `${outcome.confirmed} stand confirmed.`,
      );
    },
  };
}

async function inputOf(deps: CliDeps, given: Given): Promise<SceneIngest> {
  const account = text(given, 'account');
  const metrics = text(given, 'metrics');
  const cloud = number(given, 'max-cloud') ?? MAX_CLOUD;
  if (!(cloud >= 0 && cloud <= 100)) throw new Misuse(`--max-cloud: expected 0 to 100, got ${cloud}`);
  return {
    where: given.operands[0]!,
    collection: required(given, 'collection'),
    environment: environment(given),
    accountId: account === undefined ? null : await accountId(deps.storage, account),
    bounds: await boundsOf(deps, given),
    fromMs: moment(given, 'from')?.ms ?? -Infinity,
    toMs: endMs(deps, given),
    maxCloudShare: cloud / 100,
    metrics: metrics === undefined ? undefined : readMetrics(metrics),
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
  const end = to === undefined ? deps.clock.now() : endOf(to);
  const from = moment(given, 'from');
  if (from !== undefined && from.ms > end)
    throw new Misuse(`--from: expected a time not after --to, got ${text(given, 'from')}`);
  return end;
}
