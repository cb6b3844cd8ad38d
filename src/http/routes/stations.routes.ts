import { listStations } from '../../app/stations/list-stations.ts';
import * as contract from '../../contract/stations.ts';
import { formatTimestamp } from '../../base/time.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { route, type RouteContext } from '../route.ts';

const LIST: ListKind = { name: 'stations', position: ['station'] };

export function stationRoutes(context: RouteContext): void {
  route(context, contract.listStations, async ({ storage, principal, query, request, reply }) => {
    const page = await listStations({ storage }, principal, query, pageRequest(LIST, query));
    return {
      stations: page.items.map(
        ({ id, key, lat, lng, collection, metric, unit, observations, firstMs, lastMs, simulated }) => ({
          id,
          name: key,
          lat,
          lng,
          collection,
          metric,
          unit,
          observations,
          first_at: firstMs === null ? null : formatTimestamp(firstMs),
          last_at: lastMs === null ? null : formatTimestamp(lastMs),
          ...(simulated && { simulated }),
        }),
      ),
      ...nextPage(LIST, page, request, reply),
    };
  });
}
