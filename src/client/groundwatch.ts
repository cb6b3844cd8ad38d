// Long file: it has one method for each operation of the API.
import type {
  Anomaly,
  Aoi,
  AoiDetail,
  AreaGeometry,
  Change,
  Delivery,
  DeliveryDetail,
  Event,
  Key,
  Member,
  OAuthClient,
  RiskWatch,
  Subscription,
  Webhook,
  WholeIncident,
} from './api-types.ts';
import type {
  AsGeoJson,
  AsJson,
  BodyOf,
  GeoJsonOf,
  ItemsQueryOf,
  QueryOf,
  ResultOf,
  Peril,
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

/** Media type of a Mapbox Vector Tile. */
const VECTOR_TILE = 'application/vnd.mapbox-vector-tile';

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
  assessRisk(query: QueryOf<'assessRisk'>, options?: CallOptions): Promise<ResultOf<'assessRisk'>> {
    return this.#get('/v1/risk', query, options);
  }

  /** Assesses the risk of up to 1,000 locations; the results are in the same order. */
  assessRiskBatch(
    body: BodyOf<'assessRiskBatch'>,
    query: QueryOf<'assessRiskBatch'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'assessRiskBatch'>> {
    return this.#send({ method: 'POST', path: '/v1/risk/batch', query, body, replayable: true }, options);
  }

  listModels(options?: CallOptions): Promise<ResultOf<'listModels'>> {
    return this.#get('/v1/models', {}, options);
  }

  /** Starts to watch the risk of a point or an area. */
  createRiskWatch(body: BodyOf<'createRiskWatch'>, options?: CallOptions): Promise<RiskWatch> {
    return this.#create('/v1/risk/watches', body, options);
  }

  listRiskWatches(
    query: QueryOf<'listRiskWatches'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'listRiskWatches'>> {
    return this.#get('/v1/risk/watches', query, options);
  }

  /** All risk watches, newest first. */
  riskWatches(query: ItemsQueryOf<'listRiskWatches'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listRiskWatches({ ...query, ...paging }, options),
      (page) => page.watches,
    );
  }

  getRiskWatch(id: string, query: QueryOf<'getRiskWatch'> = {}, options?: CallOptions): Promise<RiskWatch> {
    return this.#get(`/v1/risk/watches/${part(id)}`, query, options);
  }

  deleteRiskWatch(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/risk/watches/${part(id)}`, options);
  }

  createAoi(
    body: Omit<BodyOf<'createAoi'>, 'geometry'> & { readonly geometry: AreaGeometry },
    options?: CallOptions,
  ): Promise<Aoi> {
    return this.#create('/v1/aois', body, options);
  }

  /** Creates up to 10,000 areas, all or none. The answer has them in the order given, without their geometries. */
  createAois(
    body: { readonly aois: readonly { readonly name: string; readonly geometry: AreaGeometry }[] },
    options?: CallOptions,
  ): Promise<ResultOf<'createAois'>> {
    return this.#create('/v1/aois/batch', body, options);
  }

  listAois(query: QueryOf<'listAois'> & AsGeoJson, options?: CallOptions): Promise<GeoJsonOf<'listAois'>>;
  listAois(query?: QueryOf<'listAois'>, options?: CallOptions): Promise<ResultOf<'listAois'>>;
  listAois(query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get('/v1/aois', query, options);
  }

  /** All areas of interest, newest first. */
  aois(query: ItemsQueryOf<'listAois'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listAois({ ...query, ...paging }, options),
      (page) => page.aois,
    );
  }

  getAoi(id: string, query: AsGeoJson, options?: CallOptions): Promise<GeoJsonOf<'getAoi'>>;
  /**
   * Gets an area with the image series that cover it. If no images cover the area, an empty list of changes does not
   * mean that nothing changed.
   */
  getAoi(id: string, query?: AsJson, options?: CallOptions): Promise<AoiDetail>;
  getAoi(id: string, query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get(`/v1/aois/${part(id)}`, query, options);
  }

  renameAoi(id: string, body: BodyOf<'renameAoi'>, options?: CallOptions): Promise<AoiDetail> {
    return this.#patch(`/v1/aois/${part(id)}`, body, options);
  }

  deleteAoi(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/aois/${part(id)}`, options);
  }

  listChanges(
    query: QueryOf<'listChanges'> & AsGeoJson,
    options?: CallOptions,
  ): Promise<GeoJsonOf<'listChanges'> & SuspectedOmitted>;
  /** Lists the changes inside an area. Without `status`, only the confirmed changes. */
  listChanges(
    query: QueryOf<'listChanges'>,
    options?: CallOptions,
  ): Promise<ResultOf<'listChanges'> & SuspectedOmitted>;
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
  changes(query: ItemsQueryOf<'listChanges'>, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listChanges({ ...query, ...paging }, options),
      (page) => page.changes,
    );
  }

  /** Gets one change with its provenance. */
  getChange(id: string, query: AsGeoJson, options?: CallOptions): Promise<GeoJsonOf<'getChange'>>;
  getChange(id: string, query?: AsJson, options?: CallOptions): Promise<Change>;
  getChange(id: string, query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get(`/v1/changes/${part(id)}`, query, options);
  }

  listAnomalies(
    query: QueryOf<'listAnomalies'> & AsGeoJson,
    options?: CallOptions,
  ): Promise<GeoJsonOf<'listAnomalies'>>;
  listAnomalies(query?: QueryOf<'listAnomalies'>, options?: CallOptions): Promise<ResultOf<'listAnomalies'>>;
  listAnomalies(query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get('/v1/anomalies', query, options);
  }

  /** All anomalies of the subscribed areas, newest first. */
  anomalies(query: ItemsQueryOf<'listAnomalies'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listAnomalies({ ...query, ...paging }, options),
      (page) => page.anomalies,
    );
  }

  getAnomaly(id: string, query: AsGeoJson, options?: CallOptions): Promise<GeoJsonOf<'getAnomaly'>>;
  getAnomaly(id: string, query?: AsJson, options?: CallOptions): Promise<Anomaly>;
  getAnomaly(id: string, query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get(`/v1/anomalies/${part(id)}`, query, options);
  }

  listIncidents(
    query: QueryOf<'listIncidents'> & AsGeoJson,
    options?: CallOptions,
  ): Promise<GeoJsonOf<'listIncidents'>>;
  listIncidents(query?: QueryOf<'listIncidents'>, options?: CallOptions): Promise<ResultOf<'listIncidents'>>;
  listIncidents(query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get('/v1/incidents', query, options);
  }

  /** All incidents, those that began last first. */
  incidents(query: ItemsQueryOf<'listIncidents'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listIncidents({ ...query, ...paging }, options),
      (page) => page.incidents,
    );
  }

  /** Gets one incident with what it consists of. */
  getIncident(id: string, query: AsGeoJson, options?: CallOptions): Promise<GeoJsonOf<'getIncident'>>;
  getIncident(id: string, query?: AsJson, options?: CallOptions): Promise<WholeIncident>;
  getIncident(id: string, query: Query = {}, options?: CallOptions): Promise<unknown> {
    return this.#get(`/v1/incidents/${part(id)}`, query, options);
  }

  subscribeToAnomalies(
    body: BodyOf<'subscribeToAnomalies'>,
    options?: CallOptions,
  ): Promise<ResultOf<'subscribeToAnomalies'>> {
    return this.#create('/v1/anomalies/subscribe', body, options);
  }

  listSubscriptions(
    query: QueryOf<'listSubscriptions'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'listSubscriptions'>> {
    return this.#get('/v1/anomalies/subscriptions', query, options);
  }

  /** All anomaly subscriptions, newest first. */
  subscriptions(query: ItemsQueryOf<'listSubscriptions'> = {}, options?: CallOptions) {
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
    body: BodyOf<'updateSubscription'>,
    options?: CallOptions,
  ): Promise<Subscription> {
    return this.#patch(`/v1/anomalies/subscriptions/${part(id)}`, body, options);
  }

  cancelSubscription(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/anomalies/subscriptions/${part(id)}`, options);
  }

  getHistorical(query: QueryOf<'getHistorical'>, options?: CallOptions): Promise<ResultOf<'getHistorical'>> {
    return this.#get('/v1/historical', query, options);
  }

  /** All observations of a metric at a location, oldest first. */
  series(query: ItemsQueryOf<'getHistorical'>, options?: CallOptions) {
    return itemsOf(
      (paging) => this.getHistorical({ ...query, ...paging }, options),
      (page) => page.series,
    );
  }

  /** Gets the state and the date of the simulated region of the sandbox. */
  getSandbox(options?: CallOptions): Promise<ResultOf<'getSandbox'>> {
    return this.#get('/v1/sandbox', {}, options);
  }

  /** Advances the sandbox clock by some days; resolves when all data of these days are ingested. Never retried. */
  advanceSandbox(body: BodyOf<'advanceSandbox'>, options?: CallOptions): Promise<ResultOf<'advanceSandbox'>> {
    return this.#send({ method: 'POST', path: '/v1/sandbox/advance', body, replayable: false }, options);
  }

  listMetrics(options?: CallOptions): Promise<ResultOf<'listMetrics'>> {
    return this.#get('/v1/metrics', {}, options);
  }

  /** Lists the stations; a station is listed once for each of its metrics. */
  listStations(
    query: QueryOf<'listStations'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'listStations'>> {
    return this.#get('/v1/stations', query, options);
  }

  /** All stations, newest first. */
  stations(query: ItemsQueryOf<'listStations'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listStations({ ...query, ...paging }, options),
      (page) => page.stations,
    );
  }

  /** Lists the feeds: followed catalogues, and how far they are for the areas of the account. */
  listFeeds(options?: CallOptions): Promise<ResultOf<'listFeeds'>> {
    return this.#get('/v1/feeds', {}, options);
  }

  /** Lists the layers from which risk is assessed, and where each lies. */
  listLayers(options?: CallOptions): Promise<ResultOf<'listLayers'>> {
    return this.#get('/v1/layers', {}, options);
  }

  /** Lists the collections of images. */
  listCollections(
    query: QueryOf<'listCollections'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'listCollections'>> {
    return this.#get('/v1/collections', query, options);
  }

  /** All collections of images, newest first. */
  collections(query: ItemsQueryOf<'listCollections'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listCollections({ ...query, ...paging }, options),
      (page) => page.collections,
    );
  }

  /** Lists the scenes of a collection. */
  listScenes(
    id: string,
    query: QueryOf<'listScenes'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'listScenes'>> {
    return this.#get(`/v1/collections/${part(id)}/scenes`, query, options);
  }

  /** All scenes of a collection, newest first. */
  scenes(id: string, query: ItemsQueryOf<'listScenes'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listScenes(id, { ...query, ...paging }, options),
      (page) => page.scenes,
    );
  }

  /** Gets the dates and scenes of the pictures before and after a change, and their legend. */
  getChangeImages(id: string, options?: CallOptions): Promise<ResultOf<'getChangeImages'>> {
    return this.#get(`/v1/changes/${part(id)}/images`, {}, options);
  }

  /** Gets one of these pictures, a PNG. */
  getChangeImage(
    id: string,
    moment: 'before' | 'after',
    options?: CallOptions & InColours,
  ): Promise<Uint8Array> {
    return this.#bytes(`/v1/changes/${part(id)}/images/${moment}`, 'image/png', options, inColours(options));
  }

  /** Describes the tiles of a scene, as TileJSON. */
  getSceneTiles(
    id: string,
    options?: CallOptions & InColours & InFormat,
  ): Promise<ResultOf<'getSceneTiles'>> {
    return this.#get(
      `/v1/tiles/scenes/${part(id)}`,
      { ...inColours(options), ...inFormat(options) },
      options,
    );
  }

  /** Gets the description of the tiles of the risk map of a peril (TileJSON). */
  getRiskTiles(peril: Peril, options?: CallOptions): Promise<ResultOf<'getRiskTiles'>> {
    return this.#get(`/v1/tiles/risk/${part(peril)}`, {}, options);
  }

  /** Gets one tile of the risk map of a peril, a PNG. */
  getRiskTile(peril: Peril, z: number, x: number, y: number, options?: CallOptions): Promise<Uint8Array> {
    return this.#bytes(`/v1/tiles/risk/${part(peril)}/${z}/${x}/${y}`, 'image/png', options);
  }

  /** Gets the description of the tiles of a layer from which risk is assessed (TileJSON). */
  getLayerTiles(
    layer: string,
    query: QueryOf<'getLayerTiles'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'getLayerTiles'>> {
    return this.#get(`/v1/tiles/layers/${part(layer)}`, query, options);
  }

  /** Gets one tile of a layer, a PNG. */
  getLayerTile(
    layer: string,
    z: number,
    x: number,
    y: number,
    query: QueryOf<'getLayerTile'> = {},
    options?: CallOptions,
  ): Promise<Uint8Array> {
    return this.#bytes(`/v1/tiles/layers/${part(layer)}/${z}/${x}/${y}`, 'image/png', options, query);
  }

  /** Gets one tile of a scene, a PNG unless another format is asked for. */
  getSceneTile(
    id: string,
    z: number,
    x: number,
    y: number,
    options?: CallOptions & InColours & InFormat,
  ): Promise<Uint8Array> {
    const tile = `/v1/tiles/scenes/${part(id)}/${z}/${x}/${y}`;
    const query = { ...inColours(options), ...inFormat(options) };
    return this.#bytes(tile, `image/${options?.f ?? 'png'}`, options, query);
  }

  /** Describes the vector tiles of the areas of interest, as TileJSON. */
  getAreaTiles(options?: CallOptions): Promise<ResultOf<'getAreaTiles'>> {
    return this.#get('/v1/tiles/areas', {}, options);
  }

  /** Gets one vector tile of the areas of interest. */
  getAreaTile(z: number, x: number, y: number, options?: CallOptions): Promise<Uint8Array> {
    return this.#bytes(`/v1/tiles/areas/${z}/${x}/${y}`, VECTOR_TILE, options);
  }

  /** Describes the vector tiles of the confirmed changes, as TileJSON. */
  getChangeTiles(options?: CallOptions): Promise<ResultOf<'getChangeTiles'>> {
    return this.#get('/v1/tiles/changes', {}, options);
  }

  /** Gets one vector tile of the confirmed changes. */
  getChangeTile(z: number, x: number, y: number, options?: CallOptions): Promise<Uint8Array> {
    return this.#bytes(`/v1/tiles/changes/${z}/${x}/${y}`, VECTOR_TILE, options);
  }

  /** Describes the vector tiles of the anomalies, as TileJSON. */
  getAnomalyTiles(options?: CallOptions): Promise<ResultOf<'getAnomalyTiles'>> {
    return this.#get('/v1/tiles/anomalies', {}, options);
  }

  /** Gets one vector tile of the anomalies. */
  getAnomalyTile(z: number, x: number, y: number, options?: CallOptions): Promise<Uint8Array> {
    return this.#bytes(`/v1/tiles/anomalies/${z}/${x}/${y}`, VECTOR_TILE, options);
  }

  /** Registers an endpoint: a webhook, whose secret only this response contains, or an e-mail address. */
  registerWebhook(
    body: BodyOf<'registerWebhook'> & { readonly url: string },
    options?: CallOptions,
  ): Promise<ResultOf<'registerWebhook'> & { readonly secret: string }>;
  registerWebhook(
    body: BodyOf<'registerWebhook'>,
    options?: CallOptions,
  ): Promise<ResultOf<'registerWebhook'>>;
  registerWebhook(
    body: BodyOf<'registerWebhook'>,
    options?: CallOptions,
  ): Promise<ResultOf<'registerWebhook'>> {
    return this.#create('/v1/webhooks', body, options);
  }

  listWebhooks(
    query: QueryOf<'listWebhooks'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'listWebhooks'>> {
    return this.#get('/v1/webhooks', query, options);
  }

  /** All webhooks, newest first. */
  webhooks(query: ItemsQueryOf<'listWebhooks'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listWebhooks({ ...query, ...paging }, options),
      (page) => page.webhooks,
    );
  }

  getWebhook(id: string, options?: CallOptions): Promise<Webhook> {
    return this.#get(`/v1/webhooks/${part(id)}`, {}, options);
  }

  updateWebhook(id: string, body: BodyOf<'updateWebhook'>, options?: CallOptions): Promise<Webhook> {
    return this.#patch(`/v1/webhooks/${part(id)}`, body, options);
  }

  deleteWebhook(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/webhooks/${part(id)}`, options);
  }

  /** Sends a `webhook.test` event. Not retried when the outcome is unknown, because the event could be sent twice. */
  testWebhook(id: string, options?: CallOptions): Promise<ResultOf<'testWebhook'>> {
    return this.#send({ method: 'POST', path: `/v1/webhooks/${part(id)}/test`, replayable: false }, options);
  }

  listDeliveries(
    id: string,
    query: QueryOf<'listDeliveries'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'listDeliveries'>> {
    return this.#get(`/v1/webhooks/${part(id)}/deliveries`, query, options);
  }

  /** All deliveries to an endpoint, newest first. */
  deliveries(id: string, query: ItemsQueryOf<'listDeliveries'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listDeliveries(id, { ...query, ...paging }, options),
      (page) => page.deliveries,
    );
  }

  /** Gives an endpoint a new signing secret; only this response contains it. */
  rotateWebhookSecret(
    id: string,
    query: QueryOf<'rotateWebhookSecret'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'rotateWebhookSecret'>> {
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
    body: BodyOf<'redeliverFailed'>,
    options?: CallOptions,
  ): Promise<ResultOf<'redeliverFailed'>> {
    // Safe to retry: a delivery that was already sent again is no longer dead, so a retry does not select it.
    const path = `/v1/webhooks/${part(id)}/redeliver`;
    return this.#send({ method: 'POST', path, body, replayable: true }, options);
  }

  listEvents(query: QueryOf<'listEvents'> = {}, options?: CallOptions): Promise<ResultOf<'listEvents'>> {
    return this.#get('/v1/events', query, options);
  }

  /** All stored events, oldest first. With `after`, only the events that follow the event with this id. */
  events(query: ItemsQueryOf<'listEvents'> = {}, options?: CallOptions) {
    const { after: _first, ...rest } = query;
    return itemsOf(
      // `after` is only for the first page; the later pages are requested by their cursors.
      (paging) => this.listEvents('cursor' in paging ? { ...rest, ...paging } : query, options),
      (page) => page.events,
    );
  }

  getEvent(id: string, options?: CallOptions): Promise<ResultOf<'getEvent'>> {
    return this.#get(`/v1/events/${part(id)}`, {}, options);
  }

  /**
   * Yields events as they happen. When the stream breaks, a new stream starts after the last event, so that no event
   * is missed.
   * @throws GroundwatchError when the service refuses the stream, or cannot be reached after all retries
   */
  streamEvents(
    query: QueryOf<'streamEvents'> = {},
    options?: StreamOptions,
  ): AsyncGenerator<Event, void, undefined> {
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
  createKey(body: BodyOf<'createKey'>, options?: CallOptions): Promise<ResultOf<'createKey'>> {
    return this.#create('/v1/keys', body, options);
  }

  listKeys(query: QueryOf<'listKeys'> = {}, options?: CallOptions): Promise<ResultOf<'listKeys'>> {
    return this.#get('/v1/keys', query, options);
  }

  /** All API keys that are not revoked, newest first. */
  keys(query: ItemsQueryOf<'listKeys'> = {}, options?: CallOptions) {
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
    query: QueryOf<'rotateKey'> = {},
    options?: CallOptions,
  ): Promise<ResultOf<'rotateKey'>> {
    const path = `/v1/keys/${part(id)}/rotate`;
    return this.#send({ method: 'POST', path, query, replayable: true, creates: true }, options);
  }

  revokeKey(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/keys/${part(id)}`, options);
  }

  /** Creates an OAuth client; only this response contains its secret. */
  createClient(body: BodyOf<'createClient'>, options?: CallOptions): Promise<ResultOf<'createClient'>> {
    return this.#create('/v1/clients', body, options);
  }

  listClients(query: QueryOf<'listClients'> = {}, options?: CallOptions): Promise<ResultOf<'listClients'>> {
    return this.#get('/v1/clients', query, options);
  }

  /** All OAuth clients that are not revoked, newest first. */
  clients(query: ItemsQueryOf<'listClients'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listClients({ ...query, ...paging }, options),
      (page) => page.clients,
    );
  }

  getClient(id: string, options?: CallOptions): Promise<OAuthClient> {
    return this.#get(`/v1/clients/${part(id)}`, {}, options);
  }

  /** Replaces the public keys of an OAuth client; the old ones work on for `overlap_hours`. */
  replaceClientKeys(
    id: string,
    body: BodyOf<'replaceClientKeys'>,
    query: QueryOf<'replaceClientKeys'> = {},
    options?: CallOptions,
  ): Promise<OAuthClient> {
    const path = `/v1/clients/${part(id)}/keys`;
    // Repeated after a lost answer, the call would end the overlap of the old keys.
    return this.#send({ method: 'POST', path, query, body, replayable: false }, options);
  }

  revokeClient(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/clients/${part(id)}`, options);
  }

  /** Gets the units that the account has spent, and its limits. */
  getUsage(options?: CallOptions): Promise<ResultOf<'getUsage'>> {
    return this.#get('/v1/usage', {}, options);
  }

  /** Gets the account of the credential. */
  getAccount(options?: CallOptions): Promise<ResultOf<'getAccount'>> {
    return this.#get('/v1/account', {}, options);
  }

  /** Invites a person to the account. Only for signed-in people, like the other methods for members. */
  inviteMember(body: BodyOf<'inviteMember'>, options?: CallOptions): Promise<Member> {
    return this.#create('/v1/members', body, options);
  }

  listMembers(query: QueryOf<'listMembers'> = {}, options?: CallOptions): Promise<ResultOf<'listMembers'>> {
    return this.#get('/v1/members', query, options);
  }

  /** All members of the account, newest first. */
  members(query: ItemsQueryOf<'listMembers'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listMembers({ ...query, ...paging }, options),
      (page) => page.members,
    );
  }

  getMember(id: string, options?: CallOptions): Promise<Member> {
    return this.#get(`/v1/members/${part(id)}`, {}, options);
  }

  changeMember(id: string, body: BodyOf<'changeMember'>, options?: CallOptions): Promise<Member> {
    return this.#patch(`/v1/members/${part(id)}`, body, options);
  }

  removeMember(id: string, options?: CallOptions): Promise<void> {
    return this.#delete(`/v1/members/${part(id)}`, options);
  }

  listAudit(query: QueryOf<'listAudit'> = {}, options?: CallOptions): Promise<ResultOf<'listAudit'>> {
    return this.#get('/v1/audit', query, options);
  }

  /** All records of the account's audit log, newest first. */
  auditRecords(query: ItemsQueryOf<'listAudit'> = {}, options?: CallOptions) {
    return itemsOf(
      (paging) => this.listAudit({ ...query, ...paging }, options),
      (page) => page.records,
    );
  }

  /**
   * Gets one page of a list as a file.
   * @param path that of the list, such as `/v1/changes`
   * @param query those of the list, with the format `f`: `csv`, `geojson` or `parquet`, of those that the list has
   * @returns the bytes of the page, and the cursor of the next one; undefined after the last page
   */
  async listFile(
    path: `/v1/${string}`,
    query: Query & { readonly f: 'csv' | 'geojson' | 'parquet' },
    options?: CallOptions,
  ): Promise<{ readonly bytes: Uint8Array; readonly next: string | undefined }> {
    let link: string | null = null;
    const bytes = await this.#send<Uint8Array>(
      {
        method: 'GET',
        path,
        query,
        accept: '*/*', // `f` decides; bytes are returned as they are
        replayable: true,
        onHeaders: (headers) => (link = headers.get('link')),
      },
      options,
    );
    return { bytes, next: nextCursor(link) };
  }

  async #send<T>(call: Parameters<Transport['send']>[0], options?: CallOptions): Promise<T> {
    return (await this.#transport.send(call, options)) as T;
  }

  #get<T>(path: string, query: Query, options?: CallOptions): Promise<T> {
    return this.#send({ method: 'GET', path, query, replayable: true }, options);
  }

  #bytes(path: string, accept: string, options?: CallOptions, query: Query = {}): Promise<Uint8Array> {
    return this.#send({ method: 'GET', path, query, accept, replayable: true }, options);
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

/** In which colours a picture is: the metric in those of its legend (the default), or true colour. */
export interface InColours {
  readonly colours?: 'metric' | 'true';
}

/** The format of a tile: PNG (the default), or WebP, which is smaller and changes colours slightly. */
export interface InFormat {
  readonly f?: 'png' | 'webp';
}

const inFormat = (options: InFormat | undefined): Query => (options?.f === undefined ? {} : { f: options.f });

const inColours = (options: InColours | undefined): Query =>
  options?.colours === undefined ? {} : { colours: options.colours };

/** The cursor in the header `Link` of a page. */
function nextCursor(link: string | null): string | undefined {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return next === undefined
    ? undefined
    : (new URL(next, 'https://any').searchParams.get('cursor') ?? undefined);
}
