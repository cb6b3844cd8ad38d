import assert from 'node:assert/strict';
import type { Aoi } from '../../src/app/areas/aoi-store.ts';
import type { NewChange } from '../../src/app/changes/change-store.ts';
import type { IncidentFilter } from '../../src/app/incidents/incident-store.ts';
import type { Owner } from '../../src/app/owner.ts';
import type { Collection, Scene } from '../../src/app/series/collection-store.ts';
import type { CubeScene } from '../../src/app/series/cube-store.ts';
import { regroupAll } from '../../src/app/incidents/regroup-incidents.ts';
import { createApiKey } from '../../src/app/access/manage-keys.ts';
import { newId } from '../../src/base/ids.ts';
import type { Environment } from '../../src/app/owner.ts';
import { newApiKey } from '../../src/auth/api-key.ts';
import { SCOPES } from '../../src/contract/scopes.ts';
import { anomalyRecord, changeRecord, collectionRecord, putAoi, putCollection } from '../fixtures/records.ts';
import { type TestSession, testSession } from '../fixtures/sessions.ts';
import { type Backstage, sharedService, type TestService } from '../fixtures/service.ts';

/** The service under test and its test data: two accounts, their keys, and resources of the first account. */
export interface World {
  readonly service: TestService;
  readonly backstage: Backstage;
  /** The account and environment of `key`. */
  readonly owner: Owner;
  /** Key with all scopes and no rate limit. */
  readonly key: string;
  /** Key with all scopes and one unit per minute. */
  readonly tinyKey: string;
  /** Key with a single scope, `feeds:write`, which no operation requires. */
  readonly poorKey: string;
  /** Key of another account with all scopes. */
  readonly strangerKey: string;
  /** Key of the same account with all scopes, in the sandbox. */
  readonly sandboxKey: string;
  /** Session of an admin of the account of `key`. */
  readonly session: TestSession;
  /** Collection of the metric `ndvi` with observations on 1, 3 and 4 January 2026; 2 January has no data. */
  readonly collection: Collection;
  /** Collection that only the account of `key` may read. */
  readonly ownCollection: Collection;
  /** The scene of that collection. */
  readonly ownScene: Scene;
  readonly aoi: Aoi;
  readonly change: NewChange;
  /** A change between the observations of the collection, which therefore has pictures before and after it. */
  readonly picturedChange: NewChange;
  readonly anomalyId: string;
  /** The incident of the anomaly. */
  readonly incidentId: string;
  readonly subscriptionId: string;
}

const NO_FILTER: IncidentFilter = {
  aoiId: undefined,
  peril: undefined,
  status: undefined,
  since: undefined,
  until: undefined,
  updatedSince: undefined,
  bounds: undefined,
};

let world: Promise<World> | undefined;

/** Returns the `World` of this test process, which is created at the first call. */
export function contractWorld(): Promise<World> {
  return (world ??= makeWorld());
}

/** Asserts that no response so far had status 500, including responses that the tests did not check. */
export function assertNoServerError({ service }: World): void {
  assert.doesNotMatch(service.log(), /request failed/);
}

async function makeWorld(): Promise<World> {
  const service = await sharedService();
  const account = await service.cli('accounts', 'create', 'contract');
  const keysCreate = ['keys', 'create', '--account', 'contract', '--scopes', 'all', '--limit'] as const;
  const [free, tiny, backstage] = await Promise.all([
    service.cli(...keysCreate, '0'),
    service.cli(...keysCreate, '1'),
    service.backstage(),
  ]);
  const key = String(free['key']);
  const tinyKey = String(tiny['key']);
  const { storage } = backstage;
  await storage.accounts.create('stranger');
  const make = async (accountName: string, environment: Environment, scopes: readonly string[]) => {
    const deps = { clock: { now: () => Date.now() }, storage, newApiKey };
    const input = { accountName, environment, scopes, lifetimeMs: null, rateLimit: 0 };
    return (await createApiKey(deps, input)).text;
  };
  const owner: Owner = { accountId: String(account['id']), environment: 'production' };
  const collection = collectionRecord();
  await putCollection(backstage, collection, [
    { time: '2026-01-01', raw: 5000 },
    { time: '2026-01-02', raw: -32_768 },
    { time: '2026-01-03', raw: 7012 },
    { time: '2026-01-04', raw: -100 },
  ]);
  const { ownCollection, ownScene } = await makeOwnCollection(backstage, owner);
  const aoi = await putAoi(storage, owner);
  const change = changeRecord(collection.id);
  await storage.changes.insert(change);
  await storage.changes.link(change, [aoi]);
  const [firstAnomalyAt, detectedAt] = ['2026-01-02', '2026-01-03'];
  const picturedChange = changeRecord(collection.id, { firstAnomalyAt, detectedAt, confirmedAt: detectedAt });
  await storage.changes.insert(picturedChange);
  await storage.changes.link(picturedChange, [aoi]);
  // Creates a simulated region without history, whose clock can be advanced.
  await storage.sandbox.begin(7);
  await storage.sandbox.hold('contract', 600_000);
  await storage.sandbox.moveTo('contract', 0);
  await storage.sandbox.finish('contract', new Date());
  await storage.sandbox.release('contract');
  const anomaly = anomalyRecord(aoi, collection.id);
  await storage.anomalies.put([anomaly]);
  // The subscription is stored directly, because a subscription through the API would start a search for anomalies, and
  // this search would not find the stored anomaly.
  const subscriptionId = newId('subscription');
  const perils = ['wildfire'] as const;
  await storage.subscriptions.create({
    ...owner,
    id: subscriptionId,
    aoiId: aoi.id,
    perils,
    status: 'active',
  });
  await regroupAll(storage);
  const filter = { ...NO_FILTER, aoiId: aoi.id, peril: 'wildfire' } as const;
  const [incident] = (await storage.incidents.list(owner, filter, { limit: 1, after: undefined })).items;
  return {
    service,
    backstage,
    owner,
    key,
    tinyKey,
    poorKey: await make('contract', 'production', ['feeds:write']),
    strangerKey: await make('stranger', 'production', SCOPES),
    session: await testSession(storage, owner.accountId, 'admin'),
    sandboxKey: await make('contract', 'sandbox', SCOPES),
    collection,
    ownCollection,
    ownScene,
    aoi,
    change,
    picturedChange,
    anomalyId: anomaly.id,
    incidentId: incident!.id,
    subscriptionId,
  };
}

/** Makes a collection that only one account may read, with one scene. */
async function makeOwnCollection(
  backstage: Backstage,
  { accountId }: Owner,
): Promise<Pick<World, 'ownCollection' | 'ownScene'>> {
  const ownCollection = collectionRecord({ accountId });
  await putCollection(backstage, ownCollection, [{ time: '2026-01-01', raw: 5000 }]);
  const [{ key, sha256, timeMs }] = (await backstage.cube.scenes(ownCollection.id)) as [CubeScene];
  const ownScene: Scene = {
    id: newId('scene'),
    key,
    href: 'ndvi.tif#band=1',
    observedAt: new Date(timeMs),
    sha256,
    clearFraction: 1,
  };
  await backstage.storage.collections.putScenes(ownCollection.id, [ownScene]);
  return { ownCollection, ownScene };
}
