import { addStationFeed, type StationFeedReport } from '../../app/stations/schedule/follow-stations.ts';
import { takeStationTurn } from '../../app/stations/schedule/keep-station-feeds.ts';
import { PROVIDER_NAMES, PROVIDERS } from '../../app/stations/schedule/providers.ts';
import type { StationFeed } from '../../app/stations/schedule/station-feed-store.ts';
import { HOUR_MS } from '../../base/time.ts';
import { accountOption, PRIVATE_TO } from '../account-option.ts';
import {
  type CliDeps,
  type Command,
  ENVIRONMENT,
  environment,
  Failed,
  type Given,
  Misuse,
  required,
  table,
  text,
} from '../command.ts';
import { EVERY_OPTION, everyMs, feedNamed, fromOption, startOf } from './feed-options.ts';

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
    from: fromOption('start of the history'),
    every: EVERY_OPTION,
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
      everyMs: everyMs(given),
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
    const feed = await followedNamed(deps, given);
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
    const { id, name } = await followedNamed(deps, given);
    await deps.storage.stationFeeds.remove(id);
    context.print({ id, name, removed: true }, `The stations of ${name} are no longer followed.`);
  },
};

const followedNamed = ({ storage }: CliDeps, given: Given): Promise<StationFeed> =>
  feedNamed(
    storage.stationFeeds,
    given,
    (name, where) => `No stations ${name} are followed in ${where}: groundwatch stations list`,
  );

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
