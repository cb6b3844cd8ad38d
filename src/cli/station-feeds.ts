import { addStationFeed, type StationFeedReport } from '../app/stations/schedule/follow-stations.ts';
import { takeStationTurn } from '../app/stations/schedule/keep-station-feeds.ts';
import { PROVIDER_NAMES, PROVIDERS } from '../app/stations/schedule/providers.ts';
import type { StationFeed } from '../app/stations/schedule/station-feed-store.ts';
import { HOUR_MS, parseMoment } from '../base/time.ts';
import { accountOption, PRIVATE_TO } from './account-option.ts';
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

/** Default interval between requests [hours]: daily values of all three providers are new once a day. */
const EVERY_HOURS = 24;
/** Default length of the history [years], enough for the seasons of an anomaly baseline. */
const HISTORY_YEARS = 3;

export const followStationsCommand: Command = {
  name: 'stations follow',
  summary:
    'Follow stations of USGS, the Nevada Geodetic Laboratory or Meteostat: the service fetches new values',
  audited: true,
  operands: ['NAME'],
  options: {
    provider: { value: PROVIDER_NAMES.join('|'), meaning: 'who hands the series out', required: true },
    stations: { value: 'KEY,...', meaning: 'their keys at the provider', required: true },
    metric: {
      value: 'KEY',
      meaning: PROVIDER_NAMES.map((name) => `${name}: ${PROVIDERS[name].metrics.join(', ')}`).join('; '),
      required: true,
    },
    from: { value: 'DATE', meaning: 'start of the history', fallback: `${HISTORY_YEARS} years ago` },
    every: { value: 'HOURS', meaning: 'interval between requests', fallback: String(EVERY_HOURS) },
    mirror: {
      value: 'URL',
      meaning: 'base address of a copy, laid out as at the provider',
      fallback: 'the provider',
    },
    environment: ENVIRONMENT,
    account: PRIVATE_TO,
  },
  async run(context, given) {
    const deps = await context.open();
    const name = given.operands[0]!;
    const provider = PROVIDER_NAMES.find((one) => one === required(given, 'provider'));
    if (provider === undefined)
      throw new Misuse(
        `--provider: expected one of ${PROVIDER_NAMES.join(', ')}, got ${text(given, 'provider')}`,
      );
    const hours = number(given, 'every') ?? EVERY_HOURS;
    if (!(hours >= 1 && hours <= 24 * 365))
      throw new Misuse(`--every: expected 1 to ${24 * 365} hours, got ${hours}`);
    const mirror = text(given, 'mirror');
    const id = await addStationFeed(deps, {
      environment: environment(given),
      accountId: await accountOption(deps.storage, given),
      name,
      provider,
      base: mirror === undefined ? null : `${mirror.replace(/\/$/, '')}/`,
      metric: required(given, 'metric'),
      keys: required(given, 'stations')
        .split(',')
        .map((key) => key.trim()),
      startsAt: startOf(deps, given),
      everyMs: hours * HOUR_MS,
    });
    context.print({ id, name }, `The running service now fetches the stations of ${name} into ${name}.`);
  },
};

export const listFollowedStationsCommand: Command = {
  name: 'stations list',
  isLight: true,
  summary: 'List the followed stations, when they were fetched and what failed',
  async run(context) {
    const { storage } = await context.open();
    const feeds = await storage.stationFeeds.list();
    context.print(
      { feeds: feeds.map(presentFeed) },
      feeds.length === 0
        ? 'No stations are followed: groundwatch stations follow does so'
        : [
            table(
              ['NAME', 'ENVIRONMENT', 'PROVIDER', 'METRIC', 'STATIONS', 'EVERY', 'LAST', 'NEXT'],
              feeds.map((feed) => [
                feed.name,
                feed.environment,
                feed.provider,
                feed.metric,
                String(feed.stations.length),
                `${feed.everyMs / HOUR_MS} h`,
                feed.askedAt?.toISOString().slice(0, 16) ?? 'never',
                feed.nextAt.toISOString().slice(0, 16),
              ]),
            ),
            ...feeds.flatMap(({ name, problem }) => (problem === null ? [] : [`${name}: ${problem}`])),
          ].join('\n'),
    );
  },
};

export const fetchStationsCommand: Command = {
  name: 'stations fetch',
  summary: 'Fetch new values of followed stations now',
  operands: ['NAME'],
  options: { environment: ENVIRONMENT },
  async run(context, given) {
    const deps = await context.open();
    const feed = await feedNamed(deps, given);
    let report: StationFeedReport = { stations: [], added: 0, problems: [] };
    const { signal } = new AbortController();
    if (!(await takeStationTurn(deps, (_, done) => (report = done), signal, feed.id)))
      throw new Failed(
        `${feed.name} is fetched by another process at this moment, or its account is disabled`,
      );
    const { stations, added, problems } = report;
    context.print(
      { name: feed.name, stations: stations.length, added, problems },
      [
        `${stations.length} stations were asked for; ${added} observations were new or corrected.`,
        ...problems.map(({ station, problem }) => `${station}: ${problem}`),
      ].join('\n'),
    );
    if (problems.length > 0) throw new Failed(`${problems.length} of ${stations.length} stations failed`);
  },
};

export const unfollowStationsCommand: Command = {
  name: 'stations unfollow',
  isLight: true,
  summary: 'Stop following stations; their series stay',
  audited: true,
  operands: ['NAME'],
  options: { environment: ENVIRONMENT },
  async run(context, given) {
    const deps = await context.open();
    const { id, name } = await feedNamed(deps, given);
    await deps.storage.stationFeeds.remove(id);
    context.print({ id, name, removed: true }, `The stations of ${name} are no longer followed.`);
  },
};

function startOf({ clock }: CliDeps, given: Given): Date {
  const start = new Date(clock.now());
  start.setUTCFullYear(start.getUTCFullYear() - HISTORY_YEARS);
  const from = text(given, 'from');
  if (from === undefined) return start;
  const moment = parseMoment(from);
  if (moment === undefined || moment.ms > clock.now())
    throw new Misuse(`--from: expected a date or an RFC 3339 time in the past, got ${from}`);
  return new Date(moment.ms);
}

async function feedNamed({ storage }: CliDeps, given: Given): Promise<StationFeed> {
  const name = given.operands[0]!;
  const feed = await storage.stationFeeds.find(environment(given), name);
  if (feed === undefined)
    throw new Failed(`No stations ${name} are followed in ${environment(given)}: groundwatch stations list`);
  return feed;
}

function presentFeed(feed: StationFeed) {
  return {
    id: feed.id,
    name: feed.name,
    environment: feed.environment,
    provider: feed.provider,
    metric: feed.metric,
    stations: feed.stations.map(({ key, takenAt }) => ({ key, taken_at: takenAt ?? null })),
    from: feed.startsAt.toISOString(),
    every_hours: feed.everyMs / HOUR_MS,
    asked_at: feed.askedAt?.toISOString() ?? null,
    next_at: feed.nextAt.toISOString(),
    problem: feed.problem,
  };
}
