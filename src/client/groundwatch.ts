// Long file: it has one method for each operation of the API.
import type { Static } from 'typebox';
import type { Anomaly, getAnomaly, listAnomalies } from '../contract/anomalies.ts';
import type { Aoi, AoiDetail, createAoi, getAoi, listAois, renameAoi } from '../contract/aois.ts';
import type { Change, getChange, listChanges } from '../contract/changes.ts';
import type { Client, createClient, listClients, replaceClientKeys } from '../contract/clients.ts';
import type { listCollections, listScenes } from '../contract/pictures/collections.ts';
import type { Geometry } from '../contract/fields.ts';
import type { getHistorical, listMetrics } from '../contract/historical.ts';
import type { advanceSandbox, getSandbox } from '../contract/sandbox.ts';
import type { createKey, Key, listKeys, rotateKey } from '../contract/keys.ts';
import type { assessRisk, assessRiskBatch, listModels } from '../contract/risk.ts';
import type { getChangeImages, Moment } from '../contract/pictures/change-images.ts';
import type { getSceneTiles } from '../contract/pictures/tiles.ts';
import type { listStations } from '../contract/stations.ts';
import type {
  listSubscriptions,
  subscribe,
  Subscription,
  updateSubscription,
} from '../contract/subscriptions.ts';
import type { Delivery, DeliveryDetail, listDeliveries, redeliverFailed } from '../contract/deliveries.ts';
import type {
  listWebhooks,
  registerWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  Webhook,
} from '../contract/webhooks.ts';
import type { getEvent, listEvents, streamEvents } from '../contract/event-list.ts';
import type { WebhookEvent } from '../contract/event-payloads.ts';
import type { getAccount } from '../contract/people/account.ts';
import type { listAudit } from '../contract/people/audit.ts';
import type { changeMember, inviteMember, listMembers, Member } from '../contract/people/members.ts';
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

/** What the header `X-Suspected-Omitted` of a list of changes says. */
export interface SuspectedOmitted {
  /** Number of suspected changes that the list leaves out; absent when the query has a `status`. */
  readonly suspected_omitted?: number;
}

/**
 * Encodes an identifier as one path segment.
 * @throws TypeError for an empty identifier, `.` and `..`, because URL parsers remove such segments
 */
function part(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new TypeError(`"${id}" is not an identifier`);
  return encodeURIComponent(id);
}

/**
 * A client of the service: one method for each operation, named as in its OpenAPI document, and an iterator for each
 * list. Every method rejects with {@link GroundwatchError} when the call failed.
 */
export class Groundwatch {
  readonly #transport: Transport;

  /** @throws TypeError when the address is invalid, or when not exactly one kind of credential is given */
  constructor(options: ClientOptions, around: Partial<Surroundings> = {}) {
    this.#transport = new Transport(options, around);
  }

  /** Rate limit of the credential, from the last response; undefined before the first response. */
  get rateLimit(): RateLimit | undefined {
    return this.#transport.rateLimit;
  }

  /** Assesses the risk of one location for one peril. */
  assessRisk(query: QueryOf<typeof assessRisk>, options?: CallOptions): Promise<ResultOf<typeof assessRisk>> {
    return this.#get('/v1/risk', query, options);
  }

  /** Assesses the risk of up to 1,000 locations; the results are in the same order. */
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

  /** Starts to watch the risk of a point or an area. */
  createRiskWatch(body: BodyOf<typeof createWatch>, options?: CallOptions): Promise<RiskWatch> {
    return this.#create('/v1/risk/watches', body, options);
  }

  listRiskWatches(
    query: QueryOf<typeof listWatches> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listWatches>> {
    return this.#get('/v1/risk/watches', query, options);
  }

  /** All risk watches, newest first. */
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

  /** All areas of interest, newest first. */
  aois(query: ItemsQueryOf<typeof listAois> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listAois({ ...query, ...paging }, options),
      (page) => page.aois,
    );
  }

  getAoi(id: string, query: AsGeoJson, options?: CallOptions): Promise<GeoJsonOf<typeof getAoi>>;
  /**
   * Gets an area with the image series that cover it. If no images cover the area, an empty list of changes does not
   * mean that nothing changed.
   */
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
  ): Promise<GeoJsonOf<typeof listChanges> & SuspectedOmitted>;
  /** Lists the changes inside an area. Without `status`, only the confirmed changes. */
  listChanges(
    query: QueryOf<typeof listChanges>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof listChanges> & SuspectedOmitted>;
  async listChanges(query: Query, options?: CallOptions): Promise<unknown> {
    let omitted: string | null = null;
    const onHeaders = (headers: Headers): void => {
      omitted = headers.get('x-suspected-omitted');
    };
    const call = { method: 'GET', path: '/v1/changes', query, replayable: true, onHeaders } as const;
    const page = await this.#send<object>(call, options);
    return omitted === null ? page : { ...page, suspected_omitted: Number(omitted) };
  }

  /** All changes inside an area, newest first. */
  changes(query: ItemsQueryOf<typeof listChanges>, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listChanges({ ...query, ...paging }, options),
      (page) => page.changes,
    );
  }

  /** Gets one change with its provenance. */
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

  /** All anomalies of the subscribed areas, newest first. */
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

  /** All anomaly subscriptions, newest first. */
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

  /** All observations of a metric at a location, oldest first. */
  series(query: ItemsQueryOf<typeof getHistorical>, options?: CallOptions) {
    return itemsOf(
      (paging) => this.getHistorical({ ...query, ...paging }, options),
      (page) => page.series,
    );
  }

  /** Gets the state and the date of the simulated region of the sandbox. */
  getSandbox(options?: CallOptions): Promise<ResultOf<typeof getSandbox>> {
    return this.#get('/v1/sandbox', {}, options);
  }

  /** Advances the sandbox clock by some days; resolves when all data of these days are ingested. Never retried. */
  advanceSandbox(
    body: BodyOf<typeof advanceSandbox>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof advanceSandbox>> {
    return this.#send({ method: 'POST', path: '/v1/sandbox/advance', body, replayable: false }, options);
  }

  listMetrics(options?: CallOptions): Promise<ResultOf<typeof listMetrics>> {
    return this.#get('/v1/metrics', {}, options);
  }

  /** Lists the stations; a station is listed once for each of its metrics. */
  listStations(
    query: QueryOf<typeof listStations> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listStations>> {
    return this.#get('/v1/stations', query, options);
  }

  /** All stations, newest first. */
  stations(query: ItemsQueryOf<typeof listStations> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listStations({ ...query, ...paging }, options),
      (page) => page.stations,
    );
  }

  /** Lists the collections of images. */
  listCollections(
    query: QueryOf<typeof listCollections> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listCollections>> {
    return this.#get('/v1/collections', query, options);
  }

  /** All collections of images, newest first. */
  collections(query: ItemsQueryOf<typeof listCollections> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listCollections({ ...query, ...paging }, options),
      (page) => page.collections,
    );
  }

  /** Lists the scenes of a collection. */
  listScenes(
    id: string,
    query: QueryOf<typeof listScenes> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listScenes>> {
    return this.#get(`/v1/collections/${part(id)}/scenes`, query, options);
  }

  /** All scenes of a collection, newest first. */
  scenes(id: string, query: ItemsQueryOf<typeof listScenes> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listScenes(id, { ...query, ...paging }, options),
      (page) => page.scenes,
    );
  }

  /** Gets the dates and scenes of the pictures before and after a change, and their legend. */
  getChangeImages(id: string, options?: CallOptions): Promise<ResultOf<typeof getChangeImages>> {
    return this.#get(`/v1/changes/${part(id)}/images`, {}, options);
  }

  /** Gets one of these pictures, a PNG. */
  getChangeImage(id: string, moment: Moment, options?: CallOptions): Promise<Uint8Array> {
    return this.#bytes(`/v1/changes/${part(id)}/images/${moment}`, 'image/png', options);
  }

  /** Describes the tiles of a scene, as TileJSON. */
  getSceneTiles(id: string, options?: CallOptions): Promise<ResultOf<typeof getSceneTiles>> {
    return this.#get(`/v1/tiles/scenes/${part(id)}`, {}, options);
  }

  /** Gets one tile of a scene, a PNG. */
  getSceneTile(id: string, z: number, x: number, y: number, options?: CallOptions): Promise<Uint8Array> {
    return this.#bytes(`/v1/tiles/scenes/${part(id)}/${z}/${x}/${y}`, 'image/png', options);
  }

  /** Registers an endpoint; only this response contains its secret. */
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

  /** All webhooks, newest first. */
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

  /** Sends a `webhook.test` event. Not retried when the outcome is unknown, because the event could be sent twice. */
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

  /** All deliveries to an endpoint, newest first. */
  deliveries(id: string, query: ItemsQueryOf<typeof listDeliveries> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listDeliveries(id, { ...query, ...paging }, options),
      (page) => page.deliveries,
    );
  }

  /** Gives an endpoint a new signing secret; only this response contains it. */
  rotateWebhookSecret(
    id: string,
    query: QueryOf<typeof rotateWebhookSecret> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof rotateWebhookSecret>> {
    const path = `/v1/webhooks/${part(id)}/rotate-secret`;
    return this.#send({ method: 'POST', path, query, replayable: true, creates: true }, options);
  }

  /** Gets one delivery with its event and every attempt to send it. */
  getDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<DeliveryDetail> {
    return this.#get(`/v1/webhooks/${part(id)}/deliveries/${part(deliveryId)}`, {}, options);
  }

  /** Sends one delivery again. Not retried when the outcome is unknown, because the delivery could arrive twice. */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<Delivery> {
    const path = `/v1/webhooks/${part(id)}/deliveries/${part(deliveryId)}/redeliver`;
    return this.#send({ method: 'POST', path, replayable: false }, options);
  }

  /** Resends all permanently failed deliveries of the events that occurred at or after a given time. */
  redeliverFailed(
    id: string,
    body: BodyOf<typeof redeliverFailed>,
    options?: CallOptions,
  ): Promise<ResultOf<typeof redeliverFailed>> {
    // Safe to retry: a delivery that was already sent again is no longer dead, so a retry does not select it.
    const path = `/v1/webhooks/${part(id)}/redeliver`;
    return this.#send({ method: 'POST', path, body, replayable: true }, options);
  }

  listEvents(
    query: QueryOf<typeof listEvents> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listEvents>> {
    return this.#get('/v1/events', query, options);
  }

  /** All stored events, oldest first. With `after`, only the events that follow the event with this id. */
  events(query: ItemsQueryOf<typeof listEvents> = {}, options?: CallOptions) {
    const { after: _first, ...rest } = query;
    return itemsOf(
      // `after` is only for the first page; the later pages are requested by their cursors.
      (paging) => this.listEvents('cursor' in paging ? { ...rest, ...paging } : query, options),
      (page) => page.events,
    );
  }

  getEvent(id: string, options?: CallOptions): Promise<ResultOf<typeof getEvent>> {
    return this.#get(`/v1/events/${part(id)}`, {}, options);
  }

  /**
   * Yields events as they happen. When the stream breaks, a new stream starts after the last event, so that no event
   * is missed.
   * @throws GroundwatchError when the service refuses the stream, or cannot be reached after all retries
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

  /** Creates an API key; only this response contains it. */
  createKey(body: BodyOf<typeof createKey>, options?: CallOptions): Promise<ResultOf<typeof createKey>> {
    return this.#create('/v1/keys', body, options);
  }

  listKeys(query: QueryOf<typeof listKeys> = {}, options?: CallOptions): Promise<ResultOf<typeof listKeys>> {
    return this.#get('/v1/keys', query, options);
  }

  /** All API keys that are not revoked, newest first. */
  keys(query: ItemsQueryOf<typeof listKeys> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listKeys({ ...query, ...paging }, options),
      (page) => page.keys,
    );
  }

  getKey(id: string, options?: CallOptions): Promise<Key> {
    return this.#get(`/v1/keys/${part(id)}`, {}, options);
  }

  /** Replaces an API key; only this response contains the new key. The old key stays valid for some time. */
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

  /** Creates an OAuth client; only this response contains its secret. */
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

  /** All OAuth clients that are not revoked, newest first. */
  clients(query: ItemsQueryOf<typeof listClients> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listClients({ ...query, ...paging }, options),
      (page) => page.clients,
    );
  }

  getClient(id: string, options?: CallOptions): Promise<Client> {
    return this.#get(`/v1/clients/${part(id)}`, {}, options);
  }

  /** Replaces the public keys of an OAuth client; the old ones work on for `overlap_hours`. */
  replaceClientKeys(
    id: string,
    body: BodyOf<typeof replaceClientKeys>,
    query: QueryOf<typeof replaceClientKeys> = {},
    options?: CallOptions,
  ): Promise<Client> {
    const path = `/v1/clients/${part(id)}/keys`;
    // Repeated after a lost answer, the call would end the overlap of the old keys.
    return this.#send({ method: 'POST', path, query, body, replayable: false }, options);
  }

  revokeClient(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/clients/${part(id)}`, options);
  }

  /** Gets the units that the account has spent, and its limits. */
  getUsage(options?: CallOptions): Promise<ResultOf<typeof getUsage>> {
    return this.#get('/v1/usage', {}, options);
  }

  /** Gets the account of the credential. */
  getAccount(options?: CallOptions): Promise<ResultOf<typeof getAccount>> {
    return this.#get('/v1/account', {}, options);
  }

  /** Invites a person to the account. Only for signed-in people, like the other methods for members. */
  inviteMember(body: BodyOf<typeof inviteMember>, options?: CallOptions): Promise<Member> {
    return this.#create('/v1/members', body, options);
  }

  listMembers(
    query: QueryOf<typeof listMembers> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listMembers>> {
    return this.#get('/v1/members', query, options);
  }

  /** All members of the account, newest first. */
  members(query: ItemsQueryOf<typeof listMembers> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listMembers({ ...query, ...paging }, options),
      (page) => page.members,
    );
  }

  getMember(id: string, options?: CallOptions): Promise<Member> {
    return this.#get(`/v1/members/${part(id)}`, {}, options);
  }

  changeMember(id: string, body: BodyOf<typeof changeMember>, options?: CallOptions): Promise<Member> {
    return this.#patch(`/v1/members/${part(id)}`, body, options);
  }

  removeMember(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/members/${part(id)}`, options);
  }

  listAudit(
    query: QueryOf<typeof listAudit> = {},
    options?: CallOptions,
  ): Promise<ResultOf<typeof listAudit>> {
    return this.#get('/v1/audit', query, options);
  }

  /** All records of the account's audit log, newest first. */
  auditRecords(query: ItemsQueryOf<typeof listAudit> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listAudit({ ...query, ...paging }, options),
      (page) => page.records,
    );
  }

  async #send<T>(call: Parameters<Transport['send']>[0], options?: CallOptions): Promise<T> {
    return (await this.#transport.send(call, options)) as T;
  }

  #get<T>(path: string, query: Query, options?: CallOptions): Promise<T> {
    return this.#send({ method: 'GET', path, query, replayable: true }, options);
  }

  #bytes(path: string, accept: string, options?: CallOptions): Promise<Uint8Array> {
    return this.#send({ method: 'GET', path, accept, replayable: true }, options);
  }

  #create<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.#send({ method: 'POST', path, body, replayable: true, creates: true }, options);
  }

  // Every PATCH of this service sets fields to the values in the body, so it can be retried.
  #patch<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.#send({ method: 'PATCH', path, body, replayable: true }, options);
  }

  #delete(path: string, options?: CallOptions): Promise<void> {
    return this.#send({ method: 'DELETE', path, replayable: true }, options);
  }
}
