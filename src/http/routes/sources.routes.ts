import { formatTimestamp, HOUR_MS } from '../../base/time.ts';
import { listFeeds } from '../../app/catalogues/list-feeds.ts';
import { listServedLayers } from '../../app/layers/list-served-layers.ts';
import * as feeds from '../../contract/sources/feeds.ts';
import * as layers from '../../contract/sources/layers.ts';
import type { Peril } from '../../contract/vocabulary.ts';
import { route, type RouteContext } from '../route.ts';

/** What the answers are made from: followed catalogues and stations, and layers. */
export function sourceRoutes(context: RouteContext): void {
  const { deps, acrossAccounts } = context;
  const time = (date: Date): string => formatTimestamp(date.getTime());
  route(context, feeds.listFeeds, async ({ principal }) => ({
    feeds: (await listFeeds(acrossAccounts, principal)).map((feed) => ({
      id: feed.id,
      name: feed.name,
      url: feed.url,
      metrics: feed.metrics && [...feed.metrics],
      max_cloud: Math.round(feed.maxCloudShare * 100),
      from: time(feed.startsAt),
      every_hours: feed.everyMs / HOUR_MS,
      asked_at: feed.askedAt && time(feed.askedAt),
      next_at: time(feed.nextAt),
      areas: feed.areas,
      areas_served: feed.areasServed,
      areas_failing: feed.areasFailing,
      taken_to: feed.takenTo && time(feed.takenTo),
      problem: feed.problem,
    })),
    stations: (await acrossAccounts.stationFeeds.serving(principal)).map((feed) => ({
      id: feed.id,
      name: feed.name,
      provider: feed.provider,
      metric: feed.metric,
      from: time(feed.startsAt),
      every_hours: feed.everyMs / HOUR_MS,
      asked_at: feed.askedAt && time(feed.askedAt),
      next_at: time(feed.nextAt),
      stations: feed.stations.length,
      stations_served: feed.stations.filter(({ takenAt }) => takenAt !== undefined).length,
      problem: feed.problem,
    })),
  }));
  route(context, layers.listLayers, ({ principal }) => ({
    layers: listServedLayers(deps, principal.environment).map(({ card, perils, coverage }) => ({
      layer: card.layer,
      version: card.version,
      unit: card.unit,
      return_period_years: card.returnPeriodYears,
      resolution_m: card.resolutionM,
      date: card.date,
      licence: card.licence,
      source: card.source,
      perils: perils as Peril[],
      coverage: [...coverage],
    })),
  }));
}
