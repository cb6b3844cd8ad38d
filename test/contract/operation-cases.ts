// Long file: it has one case for each operation of the API.
import * as sample from '../../src/contract/example-resources.ts';
import assert from 'node:assert/strict';
import { newId } from '../../src/base/ids.ts';
import type { CallOptions } from '../fixtures/http-caller.ts';
import { square } from '../fixtures/records.ts';
import type { World } from './world.ts';

/** Path and body of a request that is complete and valid. */
export interface Request extends Pick<CallOptions, 'json'> {
  readonly path: string;
}

/** Requests that produce the responses of one operation. */
export interface OperationCase {
  /** Name of the key in `World` for the calls; default: `key`. */
  readonly key?: 'sandboxKey';
  /** Whether only people may call it: calls with a key are refused, so the session of an admin is used. */
  readonly isForPeople?: true;
  /** Whether it needs no part of the service that could fail. */
  readonly readsNothing?: true;
  /** Successful requests by the status of their response. Each call of a function creates a new request. */
  readonly success: Readonly<Record<number, (world: World) => Promise<Request> | Request>>;
  /** A request for a resource that does not exist; absent when the operation names no resource. */
  readonly unknown?: Request;
}

const WATCHED = { lat: 52.37, lng: 4.9 };
const POINT = 'lat=46.01&lng=14.01';
/**
 * A webhook endpoint on this machine. The delivery worker refuses to connect to it, so nothing is sent to the network.
 */
const HOOK = { url: 'https://hooks.invalid:1024/groundwatch', events: ['*'] };
const area = () => ({ name: 'Ljubljana west', geometry: square(20, 46) });

/** Credential for the successful calls of an operation. */
export function credentialFor(
  world: World,
  { key, isForPeople }: Pick<OperationCase, 'key' | 'isForPeople'>,
): Pick<CallOptions, 'key' | 'headers'> {
  return isForPeople ? { headers: world.session.headers() } : { key: world[key ?? 'key'] };
}

async function made(world: World, path: string, json: unknown, isForPeople?: true): Promise<string> {
  const credential = credentialFor(world, isForPeople ? { isForPeople } : {});
  const answer = await world.service.call(path, { method: 'POST', ...credential, json });
  assert.equal(answer.status, 201, answer.text);
  const { id, subscription_id: subscription, client_id: client } = answer.json();
  return String(id ?? subscription ?? client);
}

const freshAoi = (world: World) => made(world, '/v1/aois', area());
const freshKey = (world: World) => made(world, '/v1/keys', { scopes: ['keys:write'] });
const freshClient = (world: World) => made(world, '/v1/clients', { scopes: ['risk:read'] });
const freshKeyClient = (world: World) =>
  made(world, '/v1/clients', { scopes: ['risk:read'], jwks: { keys: [sample.publicKey] } });
const newMember = () => ({ email: `${newId('member')}@example.com`, role: 'viewer' });
const freshMember = (world: World) => made(world, '/v1/members', newMember(), true);
const freshWebhook = (world: World) => made(world, '/v1/webhooks', HOOK);
const freshSubscription = async (world: World) =>
  made(world, '/v1/anomalies/subscribe', { aoi_id: await freshAoi(world), perils: ['flood'] });

const freshWatch = async (world: World) =>
  made(world, '/v1/risk/watches', { aoi_id: await freshAoi(world), peril: 'storm', threshold: 0.5 });

/** Creates a webhook and a delivery to this webhook; the delivery is pending or has failed. */
async function freshDelivery(world: World): Promise<{ readonly webhook: string; readonly delivery: string }> {
  const webhook = await freshWebhook(world);
  await world.service.call(`/v1/webhooks/${webhook}/test`, { method: 'POST', key: world.key });
  const answer = await world.service.call(`/v1/webhooks/${webhook}/deliveries`, { key: world.key });
  const [delivery] = answer.json()['deliveries'] as { readonly id: string }[];
  return { webhook, delivery: delivery!.id };
}

/** Test case of each operation, by operation id. */
export const OPERATION_CASES: Readonly<Record<string, OperationCase>> = {
  assessRisk: {
    success: { 200: () => ({ path: '/v1/risk?lat=25.77&lng=-80.19&peril=storm&explain=true' }) },
  },
  assessRiskBatch: {
    success: {
      200: () => ({
        path: '/v1/risk/batch?explain=true',
        json: {
          locations: [
            { lat: 52.37, lng: 4.9, peril: 'flood' },
            { lat: 0, lng: 0, peril: 'subsidence' },
          ],
        },
      }),
    },
  },
  listModels: { success: { 200: () => ({ path: '/v1/models' }) } },
  createRiskWatch: {
    success: {
      201: () => ({ path: '/v1/risk/watches', json: { ...WATCHED, peril: 'flood', threshold: 0.7 } }),
    },
    unknown: { path: '/v1/risk/watches', json: { aoi_id: newId('aoi'), peril: 'flood', threshold: 0.7 } },
  },
  listRiskWatches: {
    success: {
      200: async (world) => {
        await freshWatch(world);
        return { path: '/v1/risk/watches?limit=1' };
      },
    },
  },
  getRiskWatch: {
    success: { 200: async (world) => ({ path: `/v1/risk/watches/${await freshWatch(world)}?explain=true` }) },
    unknown: { path: `/v1/risk/watches/${newId('watch')}` },
  },
  deleteRiskWatch: {
    success: { 204: async (world) => ({ path: `/v1/risk/watches/${await freshWatch(world)}` }) },
    unknown: { path: `/v1/risk/watches/${newId('watch')}` },
  },
  createAoi: { success: { 201: () => ({ path: '/v1/aois', json: area() }) } },
  createAois: { success: { 201: () => ({ path: '/v1/aois/batch', json: { aois: [area(), area()] } }) } },
  listAois: { success: { 200: () => ({ path: '/v1/aois?limit=1' }) } },
  getAoi: {
    success: { 200: ({ aoi }) => ({ path: `/v1/aois/${aoi.id}` }) },
    unknown: { path: `/v1/aois/${newId('aoi')}` },
  },
  renameAoi: {
    success: {
      200: async (world) => ({ path: `/v1/aois/${await freshAoi(world)}`, json: { name: 'Renamed' } }),
    },
    unknown: { path: `/v1/aois/${newId('aoi')}`, json: { name: 'Renamed' } },
  },
  deleteAoi: {
    success: { 204: async (world) => ({ path: `/v1/aois/${await freshAoi(world)}` }) },
    unknown: { path: `/v1/aois/${newId('aoi')}` },
  },
  listChanges: {
    success: { 200: ({ aoi }) => ({ path: `/v1/changes?aoi_id=${aoi.id}&since=2020-01-01` }) },
    unknown: { path: `/v1/changes?aoi_id=${newId('aoi')}` },
  },
  getChange: {
    success: { 200: ({ change }) => ({ path: `/v1/changes/${change.id}` }) },
    unknown: { path: `/v1/changes/${newId('change')}` },
  },
  listAnomalies: { success: { 200: () => ({ path: '/v1/anomalies?since=2020-01-01' }) } },
  subscribeToAnomalies: {
    success: {
      201: async (world) => ({
        path: '/v1/anomalies/subscribe',
        json: { aoi_id: await freshAoi(world), perils: ['storm', 'flood'] },
      }),
      200: ({ aoi }) => ({ path: '/v1/anomalies/subscribe', json: { aoi_id: aoi.id, perils: ['wildfire'] } }),
    },
    unknown: { path: '/v1/anomalies/subscribe', json: { aoi_id: newId('aoi'), perils: ['flood'] } },
  },
  listSubscriptions: { success: { 200: () => ({ path: '/v1/anomalies/subscriptions?limit=1' }) } },
  getSubscription: {
    success: { 200: ({ subscriptionId }) => ({ path: `/v1/anomalies/subscriptions/${subscriptionId}` }) },
    unknown: { path: `/v1/anomalies/subscriptions/${newId('subscription')}` },
  },
  updateSubscription: {
    success: {
      200: async (world) => ({
        path: `/v1/anomalies/subscriptions/${await freshSubscription(world)}`,
        json: { status: 'paused', quiet_hours: sample.quietHours, digest: 'hourly' },
      }),
    },
    unknown: { path: `/v1/anomalies/subscriptions/${newId('subscription')}`, json: { status: 'paused' } },
  },
  cancelSubscription: {
    success: {
      204: async (world) => ({ path: `/v1/anomalies/subscriptions/${await freshSubscription(world)}` }),
    },
    unknown: { path: `/v1/anomalies/subscriptions/${newId('subscription')}` },
  },
  getAnomaly: {
    success: { 200: ({ anomalyId }) => ({ path: `/v1/anomalies/${anomalyId}` }) },
    unknown: { path: `/v1/anomalies/${newId('anomaly')}` },
  },
  getAreaTiles: { readsNothing: true, success: { 200: () => ({ path: '/v1/tiles/areas' }) } },
  getAreaTile: {
    success: { 200: () => ({ path: '/v1/tiles/areas/8/137/91' }) },
    unknown: { path: '/v1/tiles/areas/1/2/0' },
  },
  getChangeTiles: { readsNothing: true, success: { 200: () => ({ path: '/v1/tiles/changes' }) } },
  getChangeTile: {
    success: { 200: () => ({ path: '/v1/tiles/changes/8/137/91' }) },
    unknown: { path: '/v1/tiles/changes/0/0/1' },
  },
  getAnomalyTiles: { readsNothing: true, success: { 200: () => ({ path: '/v1/tiles/anomalies' }) } },
  getAnomalyTile: {
    success: { 200: () => ({ path: '/v1/tiles/anomalies/8/137/91' }) },
    unknown: { path: '/v1/tiles/anomalies/3/8/0' },
  },
  getOgcLanding: { readsNothing: true, success: { 200: () => ({ path: '/ogc' }) } },
  getOgcConformance: {
    readsNothing: true,
    success: { 200: () => ({ path: '/ogc/conformance?f=json' }) },
  },
  getOgcApi: { readsNothing: true, success: { 200: () => ({ path: '/ogc/api' }) } },
  listOgcCollections: { success: { 200: () => ({ path: '/ogc/collections' }) } },
  getOgcCollection: {
    readsNothing: true,
    success: { 200: () => ({ path: '/ogc/collections/changes' }) },
    unknown: { path: '/ogc/collections/roads' },
  },
  listOgcAreas: {
    success: { 200: () => ({ path: '/ogc/collections/areas/items?bbox=13,45,15,47&limit=2000' }) },
  },
  getOgcArea: {
    success: { 200: ({ aoi }) => ({ path: `/ogc/collections/areas/items/${aoi.id}` }) },
    unknown: { path: `/ogc/collections/areas/items/${newId('aoi')}` },
  },
  listOgcChanges: {
    success: { 200: () => ({ path: '/ogc/collections/changes/items?datetime=2020-01-01/..' }) },
  },
  getOgcChange: {
    success: { 200: ({ change }) => ({ path: `/ogc/collections/changes/items/${change.id}` }) },
    unknown: { path: `/ogc/collections/changes/items/${newId('change')}` },
  },
  listOgcAnomalies: { success: { 200: () => ({ path: '/ogc/collections/anomalies/items' }) } },
  getOgcAnomaly: {
    success: { 200: ({ anomalyId }) => ({ path: `/ogc/collections/anomalies/items/${anomalyId}` }) },
    unknown: { path: `/ogc/collections/anomalies/items/${newId('anomaly')}` },
  },
  listOgcIncidents: {
    success: { 200: () => ({ path: '/ogc/collections/incidents/items?bbox=-180,-90,180,90' }) },
  },
  getOgcIncident: {
    success: { 200: ({ incidentId }) => ({ path: `/ogc/collections/incidents/items/${incidentId}` }) },
    unknown: { path: `/ogc/collections/incidents/items/${newId('incident')}` },
  },
  listIncidents: {
    success: {
      200: ({ aoi }) => ({
        path: `/v1/incidents?aoi_id=${aoi.id}&peril=wildfire&status=open&since=2020-01-01&bbox=-180,-90,180,90`,
      }),
    },
    unknown: { path: `/v1/incidents?aoi_id=${newId('aoi')}` },
  },
  getIncident: {
    success: { 200: ({ incidentId }) => ({ path: `/v1/incidents/${incidentId}` }) },
    unknown: { path: `/v1/incidents/${newId('incident')}` },
  },
  getOgcPosition: {
    success: {
      200: () => ({
        path: '/ogc/collections/series/position?coords=POINT(14.01%2046.01)&parameter-name=ndvi',
      }),
    },
  },
  getStacLanding: { readsNothing: true, success: { 200: () => ({ path: '/stac' }) } },
  getStacConformance: { readsNothing: true, success: { 200: () => ({ path: '/stac/conformance' }) } },
  getStacApi: { readsNothing: true, success: { 200: () => ({ path: '/stac/api' }) } },
  listStacCollections: { success: { 200: () => ({ path: '/stac/collections?limit=1' }) } },
  getStacCollection: {
    success: { 200: ({ ownCollection }) => ({ path: `/stac/collections/${ownCollection.id}` }) },
    unknown: { path: `/stac/collections/${newId('collection')}` },
  },
  listStacItems: {
    success: {
      200: ({ ownCollection }) => ({
        path: `/stac/collections/${ownCollection.id}/items?bbox=13,45,15,47&datetime=../2030-01-01T00:00:00Z`,
      }),
    },
    unknown: { path: `/stac/collections/${newId('collection')}/items` },
  },
  getStacItem: {
    success: {
      200: ({ ownCollection, ownScene }) => ({
        path: `/stac/collections/${ownCollection.id}/items/${ownScene.id}`,
      }),
    },
    unknown: { path: `/stac/collections/${newId('collection')}/items/${newId('scene')}` },
  },
  searchStac: { success: { 200: () => ({ path: '/stac/search?bbox=13,45,15,47&limit=1000' }) } },
  postStacSearch: {
    success: {
      200: () => ({
        path: '/stac/search',
        json: { intersects: { type: 'Point', coordinates: [14.01, 46.01] }, limit: 1 },
      }),
    },
  },
  getStacValues: {
    success: {
      200: ({ ownCollection, ownScene }) => ({
        path: `/stac/collections/${ownCollection.id}/items/${ownScene.id}/values.tif`,
      }),
    },
    unknown: { path: `/stac/collections/${newId('collection')}/items/${newId('scene')}/values.tif` },
  },
  getStacChanges: {
    success: {
      200: ({ ownCollection, ownScene }) => ({
        path: `/stac/collections/${ownCollection.id}/items/${ownScene.id}/changes/confidence.tif`,
      }),
    },
    unknown: {
      path: `/stac/collections/${newId('collection')}/items/${newId('scene')}/changes/confidence.tif`,
    },
  },
  getSandbox: { success: { 200: () => ({ path: '/v1/sandbox' }) } },
  advanceSandbox: {
    key: 'sandboxKey',
    success: { 200: () => ({ path: '/v1/sandbox/advance', json: { days: 1 } }) },
  },
  createKey: {
    success: {
      201: () => ({ path: '/v1/keys', json: { scopes: ['keys:write'], limit: 10, expires_in_days: 7 } }),
    },
  },
  listKeys: { success: { 200: () => ({ path: '/v1/keys?limit=1' }) } },
  getKey: {
    success: { 200: async (world) => ({ path: `/v1/keys/${await freshKey(world)}` }) },
    unknown: { path: `/v1/keys/${newId('key')}` },
  },
  rotateKey: {
    success: {
      201: async (world) => ({ path: `/v1/keys/${await freshKey(world)}/rotate?overlap_hours=1` }),
    },
    unknown: { path: `/v1/keys/${newId('key')}/rotate` },
  },
  revokeKey: {
    success: { 204: async (world) => ({ path: `/v1/keys/${await freshKey(world)}` }) },
    unknown: { path: `/v1/keys/${newId('key')}` },
  },
  createClient: {
    success: { 201: () => ({ path: '/v1/clients', json: { name: 'test', scopes: ['keys:write'] } }) },
  },
  listClients: { success: { 200: () => ({ path: '/v1/clients?limit=1' }) } },
  getClient: {
    success: { 200: async (world) => ({ path: `/v1/clients/${await freshClient(world)}` }) },
    unknown: { path: `/v1/clients/${newId('client')}` },
  },
  replaceClientKeys: {
    success: {
      200: async (world) => ({
        path: `/v1/clients/${await freshKeyClient(world)}/keys?overlap_hours=1`,
        json: { jwks: { keys: [sample.publicKey] } },
      }),
    },
    unknown: {
      path: `/v1/clients/${newId('client')}/keys`,
      json: { jwks: { keys: [sample.publicKey] } },
    },
  },
  revokeClient: {
    success: { 204: async (world) => ({ path: `/v1/clients/${await freshClient(world)}` }) },
    unknown: { path: `/v1/clients/${newId('client')}` },
  },
  getUsage: { success: { 200: () => ({ path: '/v1/usage' }) } },
  getAccount: { success: { 200: () => ({ path: '/v1/account' }) } },
  inviteMember: {
    isForPeople: true,
    success: { 201: () => ({ path: '/v1/members', json: newMember() }) },
  },
  listMembers: {
    isForPeople: true,
    success: {
      200: async (world) => {
        await freshMember(world);
        return { path: '/v1/members?limit=1' };
      },
    },
  },
  getMember: {
    isForPeople: true,
    success: { 200: async (world) => ({ path: `/v1/members/${await freshMember(world)}` }) },
    unknown: { path: `/v1/members/${newId('member')}` },
  },
  changeMember: {
    isForPeople: true,
    success: {
      200: async (world) => ({
        path: `/v1/members/${await freshMember(world)}`,
        json: { role: 'billing' },
      }),
    },
    unknown: { path: `/v1/members/${newId('member')}`, json: { role: 'billing' } },
  },
  removeMember: {
    isForPeople: true,
    success: { 204: async (world) => ({ path: `/v1/members/${await freshMember(world)}` }) },
    unknown: { path: `/v1/members/${newId('member')}` },
  },
  listAudit: { success: { 200: () => ({ path: '/v1/audit?limit=1' }) } },
  getHistorical: { success: { 200: () => ({ path: `/v1/historical?${POINT}&metric=ndvi&limit=2` }) } },
  listMetrics: { success: { 200: () => ({ path: '/v1/metrics' }) } },
  listStations: {
    success: { 200: () => ({ path: '/v1/stations?bbox=14,46,14.1,46.1&metric=temperature&limit=1' }) },
  },
  listFeeds: { success: { 200: () => ({ path: '/v1/feeds' }) } },
  listLayers: { success: { 200: () => ({ path: '/v1/layers' }) } },
  listCollections: { success: { 200: () => ({ path: '/v1/collections?limit=1' }) } },
  listScenes: {
    success: { 200: ({ ownCollection }) => ({ path: `/v1/collections/${ownCollection.id}/scenes?limit=1` }) },
    unknown: { path: `/v1/collections/${newId('collection')}/scenes` },
  },
  getChangeImages: {
    success: { 200: ({ picturedChange }) => ({ path: `/v1/changes/${picturedChange.id}/images` }) },
    unknown: { path: `/v1/changes/${newId('change')}/images` },
  },
  getChangeImage: {
    success: { 200: ({ picturedChange }) => ({ path: `/v1/changes/${picturedChange.id}/images/after` }) },
    unknown: { path: `/v1/changes/${newId('change')}/images/before` },
  },
  getSceneTiles: {
    success: { 200: ({ ownScene }) => ({ path: `/v1/tiles/scenes/${ownScene.id}` }) },
    unknown: { path: `/v1/tiles/scenes/${newId('scene')}` },
  },
  getSceneTile: {
    success: { 200: ({ ownScene }) => ({ path: `/v1/tiles/scenes/${ownScene.id}/9/275/182` }) },
    unknown: { path: `/v1/tiles/scenes/${newId('scene')}/0/0/0` },
  },
  getRiskTiles: {
    success: { 200: () => ({ path: '/v1/tiles/risk/storm' }) },
    unknown: { path: '/v1/tiles/risk/hail' },
  },
  getRiskTile: {
    success: { 200: () => ({ path: '/v1/tiles/risk/flood/9/275/182' }) },
    unknown: { path: '/v1/tiles/risk/flood/3/8/0' },
  },
  getLayerTiles: {
    success: { 200: () => ({ path: '/v1/tiles/layers/elevation' }) },
    unknown: { path: '/v1/tiles/layers/ground-temperature' },
  },
  getLayerTile: {
    success: { 200: () => ({ path: '/v1/tiles/layers/elevation/3/2/3' }) },
    unknown: { path: '/v1/tiles/layers/country/0/0/0' },
  },
  registerWebhook: { success: { 201: () => ({ path: '/v1/webhooks', json: HOOK }) } },
  listWebhooks: { success: { 200: () => ({ path: '/v1/webhooks?limit=1' }) } },
  getWebhook: {
    success: { 200: async (world) => ({ path: `/v1/webhooks/${await freshWebhook(world)}` }) },
    unknown: { path: `/v1/webhooks/${newId('webhook')}` },
  },
  updateWebhook: {
    success: {
      200: async (world) => ({
        path: `/v1/webhooks/${await freshWebhook(world)}`,
        json: { status: 'disabled', events: ['change.detected'] },
      }),
    },
    unknown: { path: `/v1/webhooks/${newId('webhook')}`, json: { status: 'active' } },
  },
  deleteWebhook: {
    success: { 204: async (world) => ({ path: `/v1/webhooks/${await freshWebhook(world)}` }) },
    unknown: { path: `/v1/webhooks/${newId('webhook')}` },
  },
  testWebhook: {
    success: { 200: async (world) => ({ path: `/v1/webhooks/${await freshWebhook(world)}/test` }) },
    unknown: { path: `/v1/webhooks/${newId('webhook')}/test` },
  },
  rotateWebhookSecret: {
    success: {
      200: async (world) => ({
        path: `/v1/webhooks/${await freshWebhook(world)}/rotate-secret?overlap_seconds=60`,
      }),
    },
    unknown: { path: `/v1/webhooks/${newId('webhook')}/rotate-secret` },
  },
  listDeliveries: {
    success: {
      200: async (world) => ({ path: `/v1/webhooks/${(await freshDelivery(world)).webhook}/deliveries` }),
    },
    unknown: { path: `/v1/webhooks/${newId('webhook')}/deliveries` },
  },
  getDelivery: {
    success: {
      200: async (world) => {
        const { webhook, delivery } = await freshDelivery(world);
        return { path: `/v1/webhooks/${webhook}/deliveries/${delivery}` };
      },
    },
    unknown: { path: `/v1/webhooks/${newId('webhook')}/deliveries/${newId('delivery')}` },
  },
  redeliver: {
    success: {
      200: async (world) => {
        const { webhook, delivery } = await freshDelivery(world);
        return { path: `/v1/webhooks/${webhook}/deliveries/${delivery}/redeliver` };
      },
    },
    unknown: { path: `/v1/webhooks/${newId('webhook')}/deliveries/${newId('delivery')}/redeliver` },
  },
  redeliverFailed: {
    success: {
      200: async (world) => ({
        path: `/v1/webhooks/${await freshWebhook(world)}/redeliver`,
        json: { since: '2026-01-01T00:00:00Z' },
      }),
    },
    unknown: { path: `/v1/webhooks/${newId('webhook')}/redeliver`, json: { since: '2026-01-01' } },
  },
  listEvents: { success: { 200: () => ({ path: '/v1/events?limit=2' }) } },
  getEvent: {
    success: {
      200: async (world) => {
        const answer = await world.service.call(`/v1/webhooks/${await freshWebhook(world)}/test`, {
          method: 'POST',
          key: world.key,
        });
        return { path: `/v1/events/${String(answer.json()['event_id'])}` };
      },
    },
    unknown: { path: `/v1/events/${newId('event')}` },
  },
  streamEvents: { success: { 200: () => ({ path: '/v1/events/stream?type=webhook.test' }) } },
};
