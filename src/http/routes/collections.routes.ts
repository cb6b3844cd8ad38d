import { listCollections, listScenes } from '../../app/pictures/read-collections.ts';
import { formatTimestamp } from '../../base/time.ts';
import * as contract from '../../contract/pictures/collections.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { route, type RouteContext } from '../route.ts';

const COLLECTIONS: ListKind = { name: 'collections', position: ['collection'] };
const SCENES: ListKind = { name: 'scenes', position: ['moment', 'scene'] };

export function collectionRoutes(context: RouteContext): void {
  route(context, contract.listCollections, async ({ storage, principal, query, request, reply }) => {
    const page = await listCollections(storage, principal, pageRequest(COLLECTIONS, query));
    return {
      collections: page.items.map(
        ({ id, name, metric, unit, grid, pixelAreaM2, bounds, firstAt, lastAt, hasColours, simulated }) => ({
          id,
          name,
          metric,
          unit,
          crs: grid.crs,
          width: grid.width,
          height: grid.height,
          pixel_area_m2: pixelAreaM2,
          bounds,
          first_at: firstAt && formatTimestamp(firstAt.getTime()),
          last_at: lastAt && formatTimestamp(lastAt.getTime()),
          true_colour: hasColours,
          ...(simulated && { simulated }),
        }),
      ),
      ...nextPage(COLLECTIONS, page, request, reply),
    };
  });
  route(context, contract.listScenes, async ({ storage, principal, params, query, request, reply }) => {
    const page = await listScenes(storage, principal, params.id, pageRequest(SCENES, query));
    return {
      scenes: page.items.map(({ id, key, href, observedAt, clearFraction, sha256, colourOf }) => ({
        id,
        key,
        href,
        datetime: formatTimestamp(observedAt.getTime()),
        clear_fraction: clearFraction,
        sha256,
        true_colour: colourOf !== undefined,
      })),
      ...nextPage(SCENES, page, request, reply),
    };
  });
}
