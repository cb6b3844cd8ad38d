import { addCatalogue } from '../../app/catalogues/add-catalogue.ts';
import type { FollowReport } from '../../app/catalogues/follow-catalogue.ts';
import { takeTurn } from '../../app/catalogues/keep-catalogues.ts';
import type { FollowedArea, FollowedCatalogue } from '../../app/catalogues/catalogue-store.ts';
import { HOUR_MS } from '../../base/time.ts';
import { accountOption } from '../account-option.ts';
import {
  type CliDeps,
  type Command,
  ENVIRONMENT,
  environment,
  Failed,
  type Given,
  table,
} from '../command.ts';
import { EVERY_OPTION, everyMs, feedNamed, fromOption, startOf } from './feed-options.ts';
import {
  isTrueColour,
  MAX_CLOUD_OPTION,
  maxCloudShare,
  metricsOf,
  metricsOption,
  NO_TRUE_COLOUR_OPTION,
} from '../ingest/scene-options.ts';

export const addCatalogueCommand: Command = {
  name: 'feeds add',
  summary: 'Follow a STAC catalogue: the service fetches new scenes of every area of interest from it',
  audited: true,
  operands: ['NAME', 'URL'],
  options: {
    from: fromOption('start of the history that each area gets'),
    every: EVERY_OPTION,
    metrics: metricsOption('all that the scenes have the bands for'),
    'max-cloud': MAX_CLOUD_OPTION,
    'no-true-colour': NO_TRUE_COLOUR_OPTION,
    environment: ENVIRONMENT,
    account: {
      value: 'NAME',
      meaning: 'account whose areas it is asked for',
      fallback: 'those of all accounts of the environment',
    },
  },
  async run(context, given) {
    const deps = await context.open();
    const name = given.operands[0]!;
    const id = await addCatalogue(deps, await catalogueOf(deps, given));
    context.print({ id, name }, `The running service now follows ${name}, for all present and future areas.`);
  },
};

export const listCataloguesCommand: Command = {
  name: 'feeds list',
  isLight: true,
  summary: 'List the followed catalogues and the state of their areas',
  async run(context) {
    const { storage } = await context.open();
    const accounts = new Map((await storage.accounts.list()).map(({ id, name }) => [id, name]));
    const rows: (ReturnType<typeof presentCatalogue> & { readonly account: string | null })[] = [];
    for (const catalogue of await storage.catalogues.list())
      rows.push({
        ...presentCatalogue(catalogue, await storage.catalogues.areas(catalogue)),
        account: catalogue.accountId === null ? null : (accounts.get(catalogue.accountId) ?? null),
      });
    context.print(
      { feeds: rows },
      rows.length === 0
        ? 'No catalogue is followed: groundwatch feeds add follows one'
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
  summary: 'Fetch new scenes from a followed catalogue now, for all its areas',
  operands: ['NAME'],
  options: { environment: ENVIRONMENT },
  async run(context, given) {
    const deps = await context.open();
    const catalogue = await catalogueNamed(deps, given);
    let report: FollowReport = { areas: 0, added: 0, problems: [], future: [] };
    const isOurs = await takeTurn(
      deps,
      (_, done) => (report = done),
      new AbortController().signal,
      catalogue.id,
      (done, total) => context.note(`areas: ${done} of ${total}`),
    );
    if (!isOurs) throw new Failed(`another process is fetching from ${catalogue.name} at this moment`);
    const { areas, added, problems, future } = report;
    for (const { aoiId, id, reason } of future) context.note(`left out: ${aoiId}: ${id}: ${reason}`);
    context.print(
      {
        name: catalogue.name,
        areas,
        added,
        problems: problems.map(({ aoiId, problem }) => ({ aoi_id: aoiId, problem })),
        left: future.map(({ aoiId, id, reason }) => ({ aoi_id: aoiId, id, reason })),
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
  isLight: true,
  summary: 'Stop following a catalogue; its ingested scenes stay',
  audited: true,
  operands: ['NAME'],
  options: { environment: ENVIRONMENT },
  async run(context, given) {
    const deps = await context.open();
    const { id, name } = await catalogueNamed(deps, given);
    await deps.storage.catalogues.remove(id);
    context.print({ id, name, removed: true }, `${name} is no longer followed.`);
  },
};

async function catalogueOf(deps: CliDeps, given: Given): Promise<Omit<FollowedCatalogue, 'id' | 'nextAt'>> {
  return {
    maxCloudShare: maxCloudShare(given),
    isTrueColour: isTrueColour(given),
    environment: environment(given),
    accountId: await accountOption(deps.storage, given),
    name: given.operands[0]!,
    url: given.operands[1]!,
    metrics: metricsOf(given) ?? null,
    startsAt: startOf(deps, given),
    everyMs: everyMs(given),
  };
}

const catalogueNamed = ({ storage }: CliDeps, given: Given): Promise<FollowedCatalogue> =>
  feedNamed(
    storage.catalogues,
    given,
    (name, where) => `There is no feed ${name} in ${where}: groundwatch feeds list tells all`,
  );

function presentCatalogue(catalogue: FollowedCatalogue, areas: readonly FollowedArea[]) {
  const asked = areas.flatMap(({ askedAt }) => (askedAt === null ? [] : [askedAt.toISOString()]));
  return {
    id: catalogue.id,
    name: catalogue.name,
    environment: catalogue.environment,
    url: catalogue.url,
    metrics: catalogue.metrics,
    max_cloud: Math.round(catalogue.maxCloudShare * 100),
    true_colour: catalogue.isTrueColour,
    from: catalogue.startsAt.toISOString(),
    every_hours: catalogue.everyMs / HOUR_MS,
    areas: areas.length,
    asked_at: asked.toSorted().at(-1) ?? null,
    next_at: catalogue.nextAt.toISOString(),
    problems: areas.flatMap(({ aoi, problem }) => (problem === null ? [] : [{ aoi_id: aoi.id, problem }])),
  };
}
