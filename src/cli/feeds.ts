import { addCatalogue } from '../app/catalogues/add-catalogue.ts';
import { takeTurn } from '../app/catalogues/keep-catalogues.ts';
import { readMetrics, SCENE_METRICS } from '../app/imagery/scene-request.ts';
import type { FollowedArea, FollowedCatalogue } from '../app/catalogues/catalogue-store.ts';
import { parseMoment } from '../base/time.ts';
import { accountId } from './aois.ts';
import {
  type CliDeps,
  type Command,
  ENVIRONMENT,
  environment,
  Failed,
  type Given,
  Misuse,
  number,
  required,
  table,
  text,
} from './command.ts';

const HOUR_MS = 3_600_000;
const EVERY_HOURS = 24; // unless told: Sentinel-2 comes every two to five days, Landsat every eight
const HISTORY_YEARS = 3; // unless told: two give a full baseline, and one more is watched at once
const MAX_CLOUD = 90; // [%] beyond which a scene hardly shows the ground

export const addCatalogueCommand: Command = {
  name: 'feeds add',
  summary: 'Let the service ask a STAC catalogue by itself for the scenes of every area of interest',
  audited: true,
  operands: ['NAME', 'URL'],
  options: {
    from: {
      value: 'DATE',
      meaning: 'start of the history that each area gets',
      fallback: `${HISTORY_YEARS} years ago`,
    },
    every: { value: 'HOURS', meaning: 'how often it is asked', fallback: String(EVERY_HOURS) },
    metrics: {
      value: 'KEY,KEY',
      meaning: `some of ${SCENE_METRICS.join(', ')}`,
      fallback: 'all that the scenes have the bands for',
    },
    'max-cloud': {
      value: 'PERCENT',
      meaning: 'leave out scenes with more cloud',
      fallback: String(MAX_CLOUD),
    },
    environment: ENVIRONMENT,
    account: { value: 'NAME', meaning: 'whose areas', fallback: 'those of all accounts of the environment' },
  },
  async run(context, given) {
    const deps = await context.open();
    const name = given.operands[0]!;
    const id = await addCatalogue(deps, await catalogueOf(deps, given));
    context.print(
      { id, name },
      `The running service follows ${name} from now on, for every area there is and those to come.`,
    );
  },
};

export const listCataloguesCommand: Command = {
  name: 'feeds list',
  summary: 'List the catalogues that the service asks by itself, and how far it is with each area',
  async run(context) {
    const { storage } = await context.open();
    const accounts = new Map((await storage.accounts.list()).map(({ id, name }) => [id, name]));
    const rows: (ReturnType<typeof told> & { readonly account: string | null })[] = [];
    for (const catalogue of await storage.catalogues.list())
      rows.push({
        ...told(catalogue, await storage.catalogues.areas(catalogue)),
        account: catalogue.accountId === null ? null : (accounts.get(catalogue.accountId) ?? null),
      });
    context.print(
      { catalogues: rows },
      rows.length === 0
        ? 'No catalogue is followed: groundwatch feeds add makes the service ask one by itself'
        : [
            table(
              ['NAME', 'ENVIRONMENT', 'ACCOUNT', 'AREAS', 'FAILING', 'EVERY', 'LAST', 'NEXT', 'CATALOGUE'],
              rows.map((row) => [
                row.name,
                row.environment,
                row.account ?? 'all',
                String(row.areas),
                String(row.problems.length),
                `${row.every_hours} h`,
                row.asked_at?.slice(0, 16) ?? 'never',
                row.next_at.slice(0, 16),
                row.url,
              ]),
            ),
            ...rows.flatMap((row) =>
              row.problems.map(({ aoi_id: aoi, problem }) => `${row.name}: ${aoi}: ${problem}`),
            ),
          ].join('\n'),
    );
  },
};

export const runCatalogueCommand: Command = {
  name: 'feeds run',
  summary: 'Ask a followed catalogue now, for all its areas',
  operands: ['NAME'],
  options: { environment: ENVIRONMENT },
  async run(context, given) {
    const deps = await context.open();
    const catalogue = await catalogueNamed(deps, given);
    let report = { areas: 0, added: 0, problems: [] as { aoiId: string; problem: string }[] };
    const isOurs = await takeTurn(
      deps,
      (_, done) => (report = { ...done, problems: [...done.problems] }),
      new AbortController().signal,
      catalogue.id,
      (done, total) => context.note(`areas: ${done} of ${total}`),
    );
    if (!isOurs) throw new Failed(`${catalogue.name} is being asked by another process at this moment`);
    const { areas, added, problems } = report;
    context.print(
      {
        name: catalogue.name,
        areas,
        added,
        problems: problems.map(({ aoiId, problem }) => ({ aoi_id: aoiId, problem })),
      },
      [
        `${areas} areas were asked for; ${added} passes were new.`,
        ...problems.map(({ aoiId, problem }) => `${aoiId}: ${problem}`),
      ].join('\n'),
    );
    if (problems.length > 0) throw new Failed(`${problems.length} of ${areas} areas could not be served`);
  },
};

export const removeCatalogueCommand: Command = {
  name: 'feeds remove',
  summary: 'Stop asking a catalogue; what was taken in stays',
  audited: true,
  operands: ['NAME'],
  options: { environment: ENVIRONMENT },
  async run(context, given) {
    const deps = await context.open();
    const { id, name } = await catalogueNamed(deps, given);
    await deps.storage.catalogues.remove(id);
    context.print({ id, name, removed: true }, `${name} is followed no more.`);
  },
};

async function catalogueOf(deps: CliDeps, given: Given): Promise<Omit<FollowedCatalogue, 'id' | 'nextAt'>> {
  const hours = number(given, 'every') ?? EVERY_HOURS;
  if (!(hours >= 1 && hours <= 24 * 365))
    throw new Misuse(`--every: expected 1 to ${24 * 365} hours, got ${hours}`);
  const cloud = number(given, 'max-cloud') ?? MAX_CLOUD;
  if (!(cloud >= 0 && cloud <= 100)) throw new Misuse(`--max-cloud: expected 0 to 100, got ${cloud}`);
  const [account, metrics] = [text(given, 'account'), text(given, 'metrics')];
  return {
    environment: environment(given),
    accountId: account === undefined ? null : await accountId(deps.storage, account),
    name: given.operands[0]!,
    url: given.operands[1]!,
    metrics: metrics === undefined ? null : readMetrics(metrics),
    maxCloudShare: cloud / 100,
    startsAt: startOf(deps, given),
    everyMs: hours * HOUR_MS,
  };
}

function startOf({ clock }: CliDeps, given: Given): Date {
  const start = new Date(clock.now());
  start.setUTCFullYear(start.getUTCFullYear() - HISTORY_YEARS);
  if (text(given, 'from') === undefined) return start;
  const moment = parseMoment(required(given, 'from'));
  if (moment === undefined || moment.ms > clock.now())
    throw new Misuse(`--from: expected a date or an RFC 3339 time in the past, got ${text(given, 'from')}`);
  return new Date(moment.ms);
}

async function catalogueNamed({ storage }: CliDeps, given: Given): Promise<FollowedCatalogue> {
  const name = given.operands[0]!;
  const catalogue = await storage.catalogues.find(environment(given), name);
  if (catalogue === undefined)
    throw new Failed(`There is no feed ${name} in ${environment(given)}: groundwatch feeds list tells all`);
  return catalogue;
}

function told(catalogue: FollowedCatalogue, areas: readonly FollowedArea[]) {
  const asked = areas.flatMap(({ askedAt }) => (askedAt === null ? [] : [askedAt.toISOString()]));
  return {
    id: catalogue.id,
    name: catalogue.name,
    environment: catalogue.environment,
    url: catalogue.url,
    metrics: catalogue.metrics,
    max_cloud: Math.round(catalogue.maxCloudShare * 100),
    from: catalogue.startsAt.toISOString(),
    every_hours: catalogue.everyMs / HOUR_MS,
    areas: areas.length,
    asked_at: asked.toSorted().at(-1) ?? null,
    next_at: catalogue.nextAt.toISOString(),
    problems: areas.flatMap(({ aoi, problem }) => (problem === null ? [] : [{ aoi_id: aoi.id, problem }])),
  };
}
