import { PERILS } from '../../contract/vocabulary.ts';
import { mapGrid } from '../../geo/grid.ts';
import type { Position } from '../../geo/position.ts';
import { SANDBOX_GRID } from '../../sandbox/terrain.ts';
import { createAoi } from '../areas/manage-aois.ts';
import { subscribe } from '../anomalies/manage-subscriptions.ts';
import type { WatchDeps } from '../watches/manage-watches.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Owner } from '../owner.ts';
import type { Storage } from '../storage.ts';

/** Name of the account that the first startup of an installation creates. */
export const DEMO_ACCOUNT = 'demo';

/** A named part of the simulated region, in pixels of its grid. */
interface Part {
  readonly name: string;
  readonly west: number;
  readonly north: number;
  readonly east: number;
  readonly south: number;
}

/** Parts that together contain every event of the history. */
const PARTS: readonly Part[] = [
  { name: 'Harbour town (simulated)', west: 66, north: 128, east: 132, south: 226 },
  { name: 'River plain (simulated)', west: 64, north: 62, east: 206, south: 126 },
  { name: 'Forest ridge (simulated)', west: 140, north: 40, east: 296, south: 280 },
];

/** Number of areas of interest that the demo account gets. */
export const DEMO_AREAS = PARTS.length;

/**
 * Creates areas of interest in the simulated region for an account, each with a subscription to all perils.
 * Does nothing when the account has areas already.
 * @returns the areas of the account
 */
export async function makeDemoAreas(
  deps: WatchDeps & { readonly storage: Storage },
  accountId: string,
): Promise<readonly Aoi[]> {
  const owner: Owner = { accountId, environment: 'sandbox' };
  return deps.storage.transaction(async (stores) => {
    const there = (await stores.aois.list(owner, { limit: PARTS.length, after: undefined })).items;
    if (there.length > 0) return there;
    const made: Aoi[] = [];
    for (const part of PARTS) {
      const aoi = await createAoi(stores, owner, { name: part.name, geometry: outline(part) });
      await subscribe(deps, stores, owner, { aoiId: aoi.id, perils: PERILS });
      made.push(aoi);
    }
    return made;
  });
}

function outline({ west, north, east, south }: Part) {
  const map = mapGrid(SANDBOX_GRID);
  const corner = (col: number, row: number): Position => {
    const [lng, lat] = map.toLngLat(col, row);
    return [Number(lng.toFixed(6)), Number(lat.toFixed(6))];
  };
  const start = corner(west, south);
  const ring = [start, corner(east, south), corner(east, north), corner(west, north), start];
  return { type: 'Polygon', coordinates: [ring] };
}
