import type { Static } from 'typebox';
import type { Anomaly, getAnomaly, listAnomalies } from '../contract/anomalies.ts';
import type { Aoi, AoiDetail, createAoi, getAoi, listAois, renameAoi } from '../contract/aois.ts';
import type { Change, getChange, listChanges } from '../contract/changes.ts';
import type { Client, createClient, listClients } from '../contract/clients.ts';
import type { Geometry } from '../contract/fields.ts';
import type { getHistorical, listMetrics } from '../contract/historical.ts';
import type { advanceSandbox, getSandbox } from '../contract/sandbox.ts';
import type { createKey, Key, listKeys, rotateKey } from '../contract/keys.ts';
import type { assessRisk, assessRiskBatch, listModels } from '../contract/risk.ts';
import type { listStations } from '../contract/stations.ts';
import type {
  listSubscriptions,
  subscribe,
  Subscription,
  updateSubscription,
} from '../contract/subscriptions.ts';
import type {
  Delivery,
  DeliveryDetail,
  listDeliveries,
  listWebhooks,
  redeliverFailed,
  registerWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  Webhook,
} from '../contract/webhooks.ts';
import type { getEvent, listEvents, streamEvents } from '../contract/event-list.ts';
import type { WebhookEvent } from '../contract/event-payloads.ts';
import type { getUsage } from '../contract/usage.ts';
import type { createWatch, getWatch, listWatches, RiskWatch } from '../contract/watches.ts';
import type {
  AsGeoJson,
  AsJson,
  BodyOf,
  GeoJsonOf,
  ItemsQueryOf,
  QueryOf,
  ResultOf,
} from './operation-types.ts';
import { followEvents, type StreamOptions } from './event-stream.ts';
import { itemsOf } from './pages.ts';
import {
  type CallOptions,
  type ClientOptions,
  type QueryValue,
  type RateLimit,
  type Surroundings,
  Transport,
} from './transport.ts';

type Query = Readonly<Record<string, QueryValue>>;

/** An identifier as one segment of a path. @throws TypeError for one that would vanish from the path */
function part(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new TypeError(`"${id}" is no identifier`);
  return encodeURIComponent(id);
}

/**
 * A client of the service: one method for each operation, named as in its OpenAPI document, and an iterator for
 * each list. It is long because the interface is, and does nothing but name paths and types. Every method rejects with {@link GroundwatchError} when the call failed.
 */
export class Groundwatch {
  readonly #transport: Transport;

  /** @throws TypeError when the address is none, or not exactly one credential is given */
  constructor(options: ClientOptions, around: Partial<Surroundings> = {}) {
    this.#transport = new Transport(options, around);
  }

  /** What the last answer told about the credential's budget; undefined before the first. */
  get rateLimit(): RateLimit | undefined {
    return this.#transport.rateLimit;
  }

  /** Risk of one location for one peril. */
  assessRisk(query: QueryOf<typeof assessRisk>, options?: CallOptions): Promise<ResultOf<typeof assessRisk>> {
    return this.#get('/v1/risk', query, options);
  }

  /** Risk of up to 1,000 locations, in their order. */
  assessRiskBatch(
    body: BodyOf<typeof assessRiskBatch>,
    query: QueryOf<typeof assessRiskBatch> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof assessRiskBatch>> {
    return this.#send({ method: 'POST', path: '/v1/risk/batch', query, body, replayable: true }, options);
  }

  listModels(options?: CallOptions): Promise<ResultOf<typeof listModels>> {
    return this.#get('/v1/models', {}, options);
  }

  /** Watches the risk of a point or an area from now on. */
  createRiskWatch(body: BodyOf<typeof createWatch>, options?: CallOptions): Promise<RiskWatch> {
    return this.#create('/v1/risk/watches', body, options);
  }

  listRiskWatches(
    query: QueryOf<typeof listWatches> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listWatches>> {
    return this.#get('/v1/risk/watches', query, options);
  }

  /** Every risk watch, newest first. */
  riskWatches(query: ItemsQueryOf<typeof listWatches> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listRiskWatches({ ...query, ...paging }, options),
      (page) => page.watches,
    );
  }

  getRiskWatch(id: string, query: QueryOf<typeof getWatch> = {}, options?: CallOptions): Promise<RiskWatch> {
    return this.#get(`/v1/risk/watches/${part(id)}`, query, options);
  }

  deleteRiskWatch(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/risk/watches/${part(id)}`, options);
  }

  createAoi(
    body: BodyOf<typeof createAoi> & { readonly geometry: Static<typeof Geometry> },
    options?: CallOptions,
  ): Promise<Aoi> {
    return this.#create('/v1/aois', body, options);
  }

  listAois(
    query: QueryOf<typeof listAois> & AsGeoJson,
    options?: CallOptions,
  ): Promise<GeoJsonOf<typeof listAois>>;
  listAois(query?: QueryOf<typeof listAois>, options?: CallOptions): Promise<ResultOf<typeof listAois>>;
  listAois(query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get('/v1/aois', query, options);
  }

  /** Every area of interest, newest first. */
  aois(query: ItemsQueryOf<typeof listAois> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listAois({ ...query, ...paging }, options),
      (page) => page.aois,
    );
  }

  getAoi(id: string, query: AsGeoJson, options?: CallOptions): Promise<GeoJsonOf<typeof getAoi>>;
  /** With the image series that cover it: without any, no changes is no all-clear. */
  getAoi(id: string, query?: AsJson, options?: CallOptions): Promise<AoiDetail>;
  getAoi(id: string, query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get(`/v1/aois/${part(id)}`, query, options);
  }

  renameAoi(id: string, body: BodyOf<typeof renameAoi>, options?: CallOptions): Promise<Aoi> {
    return this.#patch(`/v1/aois/${part(id)}`, body, options);
  }

  deleteAoi(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/aois/${part(id)}`, options);
  }

  listChanges(
    query: QueryOf<typeof listChanges> & AsGeoJson,
    options?: CallOptions,
  ): Promise<GeoJsonOf<typeof listChanges>>;
  listChanges(
    query: QueryOf<typeof listChanges>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof listChanges>>;
  listChanges(query: Query, options?: CallOptions): Promise<unknown> {
    return this.#get('/v1/changes', query, options);
  }

  /** Every change inside an area, newest first. */
  changes(query: ItemsQueryOf<typeof listChanges>, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listChanges({ ...query, ...paging }, options),
      (page) => page.changes,
    );
  }

  /** One change with its provenance. */
  getChange(id: string, query: AsGeoJson, options?: CallOptions): Promise<GeoJsonOf<typeof getChange>>;
  getChange(id: string, query?: AsJson, options?: CallOptions): Promise<Change>;
  getChange(id: string, query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get(`/v1/changes/${part(id)}`, query, options);
  }

  listAnomalies(
    query: QueryOf<typeof listAnomalies> & AsGeoJson,
    options?: CallOptions,
  ): Promise<GeoJsonOf<typeof listAnomalies>>;
  listAnomalies(
    query?: QueryOf<typeof listAnomalies>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof listAnomalies>>;
  listAnomalies(query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get('/v1/anomalies', query, options);
  }

  /** Every anomaly of the subscribed feeds, newest first. */
  anomalies(query: ItemsQueryOf<typeof listAnomalies> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listAnomalies({ ...query, ...paging }, options),
      (page) => page.anomalies,
    );
  }

  getAnomaly(id: string, query: AsGeoJson, options?: CallOptions): Promise<GeoJsonOf<typeof getAnomaly>>;
  getAnomaly(id: string, query?: AsJson, options?: CallOptions): Promise<Anomaly>;
  getAnomaly(id: string, query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get(`/v1/anomalies/${part(id)}`, query, options);
  }

  subscribeToAnomalies(
    body: BodyOf<typeof subscribe>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof subscribe>> {
    return this.#create('/v1/anomalies/subscribe', body, options);
  }

  listSubscriptions(
    query: QueryOf<typeof listSubscriptions> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listSubscriptions>> {
    return this.#get('/v1/anomalies/subscriptions', query, options);
  }

  /** Every anomaly subscription, newest first. */
  subscriptions(query: ItemsQueryOf<typeof listSubscriptions> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listSubscriptions({ ...query, ...paging }, options),
      (page) => page.subscriptions,
    );
  }

  getSubscription(id: string, options?: CallOptions): Promise<Subscription> {
    return this.#get(`/v1/anomalies/subscriptions/${part(id)}`, {}, options);
  }

  /** Pauses or resumes a subscription. */
  updateSubscription(
    id: string,
    body: BodyOf<typeof updateSubscription>,
    options?: CallOptions,
  ): Promise<Subscription> {
    return this.#patch(`/v1/anomalies/subscriptions/${part(id)}`, body, options);
  }

  cancelSubscription(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/anomalies/subscriptions/${part(id)}`, options);
  }

  getHistorical(
    query: QueryOf<typeof getHistorical>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof getHistorical>> {
    return this.#get('/v1/historical', query, options);
  }

  /** Every observation of a metric at a location, oldest first. */
  series(query: ItemsQueryOf<typeof getHistorical>, options?: CallOptions) {
    return itemsOf(
      (paging) => this.getHistorical({ ...query, ...paging }, options),
      (page) => page.series,
    );
  }

  /** The simulated region of the sandbox, and its clock. */
  getSandbox(options?: CallOptions): Promise<ResultOf<typeof getSandbox>> {
    return this.#get('/v1/sandbox', {}, options);
  }

  /** Moves the sandbox's clock by days; answers when all that they bring is there. Never repeated by itself. */
  advanceSandbox(
    body: BodyOf<typeof advanceSandbox>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof advanceSandbox>> {
    return this.#send({ method: 'POST', path: '/v1/sandbox/advance', body, replayable: false }, options);
  }

  listMetrics(options?: CallOptions): Promise<ResultOf<typeof listMetrics>> {
    return this.#get('/v1/metrics', {}, options);
  }

  /** Where something is measured: a station comes once for each of its metrics. */
  listStations(
    query: QueryOf<typeof listStations> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listStations>> {
    return this.#get('/v1/stations', query, options);
  }

  /** Every station, newest first. */
  stations(query: ItemsQueryOf<typeof listStations> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listStations({ ...query, ...paging }, options),
      (page) => page.stations,
    );
  }

  /** Registers an endpoint; its secret is in this answer only. */
  registerWebhook(
    body: BodyOf<typeof registerWebhook>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof registerWebhook>> {
    return this.#create('/v1/webhooks', body, options);
  }

  listWebhooks(
    query: QueryOf<typeof listWebhooks> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listWebhooks>> {
    return this.#get('/v1/webhooks', query, options);
  }

  /** Every webhook, newest first. */
  webhooks(query: ItemsQueryOf<typeof listWebhooks> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listWebhooks({ ...query, ...paging }, options),
      (page) => page.webhooks,
    );
  }

  getWebhook(id: string, options?: CallOptions): Promise<Webhook> {
    return this.#get(`/v1/webhooks/${part(id)}`, {}, options);
  }

  updateWebhook(id: string, body: BodyOf<typeof updateWebhook>, options?: CallOptions): Promise<Webhook> {
    return this.#patch(`/v1/webhooks/${part(id)}`, body, options);
  }

  deleteWebhook(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/webhooks/${part(id)}`, options);
  }

  /** Sends a `webhook.test` event. Not repeated after an unknown outcome: it could be sent twice. */
  testWebhook(id: string, options?: CallOptions): Promise<ResultOf<typeof testWebhook>> {
    return this.#send({ method: 'POST', path: `/v1/webhooks/${part(id)}/test`, replayable: false }, options);
  }

  listDeliveries(
    id: string,
    query: QueryOf<typeof listDeliveries> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listDeliveries>> {
    return this.#get(`/v1/webhooks/${part(id)}/deliveries`, query, options);
  }

  /** Every delivery to an endpoint, newest first. */
  deliveries(id: string, query: ItemsQueryOf<typeof listDeliveries> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listDeliveries(id, { ...query, ...paging }, options),
      (page) => page.deliveries,
    );
  }

  /** Gives an endpoint a new signing secret, which is in this answer only. */
  rotateWebhookSecret(
    id: string,
    query: QueryOf<typeof rotateWebhookSecret> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof rotateWebhookSecret>> {
    const path = `/v1/webhooks/${part(id)}/rotate-secret`;
    return this.#send({ method: 'POST', path, query, replayable: true, creates: true }, options);
  }

  /** One delivery, with what was sent and every attempt. */
  getDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<DeliveryDetail> {
    return this.#get(`/v1/webhooks/${part(id)}/deliveries/${part(deliveryId)}`, {}, options);
  }

  /** Sends one delivery again. Not repeated after an unknown outcome: it could arrive twice. */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<Delivery> {
    const path = `/v1/webhooks/${part(id)}/deliveries/${part(deliveryId)}/redeliver`;
    return this.#send({ method: 'POST', path, replayable: false }, options);
  }

  /** Sends all deliveries again that failed for good since a time. */
  redeliverFailed(
    id: string,
    body: BodyOf<typeof redeliverFailed>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof redeliverFailed>> {
    // What is sent again is no longer dead: a second call finds nothing.
    const path = `/v1/webhooks/${part(id)}/redeliver`;
    return this.#send({ method: 'POST', path, body, replayable: true }, options);
  }

  listEvents(
    query: QueryOf<typeof listEvents> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listEvents>> {
    return this.#get('/v1/events', query, options);
  }

  /** Every event there is now, oldest first; `after` the last one that you have. */
  events(query: ItemsQueryOf<typeof listEvents> = {}, options?: CallOptions) {
    const { after: _first, ...rest } = query;
    return itemsOf(
      // The cursor takes the place of `after`.
      (paging) => this.listEvents('cursor' in paging ? { ...rest, ...paging } : query, options),
      (page) => page.events,
    );
  }

  getEvent(id: string, options?: CallOptions): Promise<ResultOf<typeof getEvent>> {
    return this.#get(`/v1/events/${part(id)}`, {}, options);
  }

  /**
   * Events as they happen, for as long as you read; a stream that breaks is taken up where it broke, so none is missed.
   * @throws GroundwatchError when the service refuses, or cannot be reached for as long as the retries last
   */
  streamEvents(
    query: QueryOf<typeof streamEvents> = {},
    options?: StreamOptions,
  ): AsyncGenerator<WebhookEvent, void, undefined> {
    const open = (after: string | undefined, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> => {
      const path = '/v1/events/stream';
      return this.#send(
        { method: 'GET', path, query: { ...query, after }, replayable: true, stream: true },
        { signal },
      );
    };
    return followEvents(open, query.after, options);
  }

  /** Makes an API key; it is in this answer only. */
  createKey(body: BodyOf<typeof createKey>, options?: CallOptions): Promise<ResultOf<typeof createKey>> {
    return this.#create('/v1/keys', body, options);
  }

  listKeys(query: QueryOf<typeof listKeys> = {}, options?: CallOptions): Promise<ResultOf<typeof listKeys>> {
    return this.#get('/v1/keys', query, options);
  }

  /** Every API key that is not revoked, newest first. */
  keys(query: ItemsQueryOf<typeof listKeys> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listKeys({ ...query, ...paging }, options),
      (page) => page.keys,
    );
  }

  getKey(id: string, options?: CallOptions): Promise<Key> {
    return this.#get(`/v1/keys/${part(id)}`, {}, options);
  }

  /** Replaces an API key, which works on for a while; the new one is in this answer only. */
  rotateKey(
    id: string,
    query: QueryOf<typeof rotateKey> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof rotateKey>> {
    const path = `/v1/keys/${part(id)}/rotate`;
    return this.#send({ method: 'POST', path, query, replayable: true, creates: true }, options);
  }

  revokeKey(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/keys/${part(id)}`, options);
  }

  /** Makes an OAuth client; its secret is in this answer only. */
  createClient(
    body: BodyOf<typeof createClient>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof createClient>> {
    return this.#create('/v1/clients', body, options);
  }

  listClients(
    query: QueryOf<typeof listClients> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listClients>> {
    return this.#get('/v1/clients', query, options);
  }

  /** Every OAuth client that is not revoked, newest first. */
  clients(query: ItemsQueryOf<typeof listClients> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listClients({ ...query, ...paging }, options),
      (page) => page.clients,
    );
  }

  getClient(id: string, options?: CallOptions): Promise<Client> {
    return this.#get(`/v1/clients/${part(id)}`, {}, options);
  }

  revokeClient(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/clients/${part(id)}`, options);
  }

  /** Units spent against limits. */
  getUsage(options?: CallOptions): Promise<ResultOf<typeof getUsage>> {
    return this.#get('/v1/usage', {}, options);
  }

  async #send<T>(call: Parameters<Transport['send']>[0], options?: CallOptions): Promise<T> {
    return (await this.#transport.send(call, options)) as T;
  }

  #get<T>(path: string, query: Query, options?: CallOptions): Promise<T> {
    return this.#send({ method: 'GET', path, query, replayable: true }, options);
  }

  #create<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.#send({ method: 'POST', path, body, replayable: true, creates: true }, options);
  }

  // Every PATCH of this service sets fields to what the body says, so a second one changes nothing more.
  #patch<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.#send({ method: 'PATCH', path, body, replayable: true }, options);
  }

  #delete(path: string, options?: CallOptions): Promise<void> {
    return this.#send({ method: 'DELETE', path, replayable: true }, options);
  }
}
