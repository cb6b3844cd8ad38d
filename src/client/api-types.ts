// Long file: made by `npm run generate` from the schemas of the operations.

export type Peril = 'flood' | 'subsidence' | 'wildfire' | 'storm';
/**
 * What the place is exposed to.
 */
export type Peril1 = 'flood' | 'subsidence' | 'wildfire' | 'storm';
export type NewRiskWatch = (
  | {
      aoi_id?: unknown;
    }
  | {
      lat?: unknown;
      lng?: unknown;
    }
) & {
  /**
   * Latitude in decimal degrees.
   */
  lat?: number;
  /**
   * Longitude in decimal degrees.
   */
  lng?: number;
  /**
   * Area of interest.
   */
  aoi_id?: string;
  peril: Peril1;
  /**
   * A score that reaches it has crossed it.
   */
  threshold: number;
};
/**
 * GeoJSON Polygon or MultiPolygon (RFC 7946), WGS84, longitude first.
 */
export type AreaGeometry =
  | {
      type: 'Polygon';
      coordinates: number[][][];
    }
  | {
      type: 'MultiPolygon';
      coordinates: number[][][][];
    };
/**
 * What the place is exposed to.
 */
export type Peril2 = 'flood' | 'subsidence' | 'wildfire' | 'storm';
export type EventChoice =
  | '*'
  | 'risk.threshold_exceeded'
  | 'change.suspected'
  | 'change.detected'
  | 'change.updated'
  | 'anomaly.detected'
  | 'anomaly.ended'
  | 'incident.opened'
  | 'incident.updated'
  | 'incident.closed'
  | 'incident.digest'
  | 'webhook.disabled'
  | 'webhook.test';
/**
 * An event, as it is delivered to webhooks.
 */
export type Event =
  | RiskThresholdExceededEvent
  | ChangeSuspectedEvent
  | ChangeDetectedEvent
  | ChangeUpdatedEvent
  | AnomalyDetectedEvent
  | AnomalyEndedEvent
  | IncidentOpenedEvent
  | IncidentUpdatedEvent
  | IncidentClosedEvent
  | IncidentDigestEvent
  | WebhookDisabledEvent
  | WebhookTestEvent;
export type Scope =
  | 'risk:read'
  | 'changes:read'
  | 'anomalies:read'
  | 'anomalies:write'
  | 'historical:read'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'aois:read'
  | 'aois:write'
  | 'feeds:read'
  | 'feeds:write'
  | 'keys:read'
  | 'keys:write'
  | 'audit:read';

export interface Api {
  operations: {
    assessRisk: {
      query: {
        /**
         * Latitude in decimal degrees.
         */
        lat: number;
        /**
         * Longitude in decimal degrees.
         */
        lng: number;
        peril: Peril;
        /**
         * Adds hazard curve, layers used and reasons.
         */
        explain?: boolean;
      };
      answer: RiskAssessment;
    };
    assessRiskBatch: {
      query: {
        /**
         * Adds hazard curve, layers used and reasons.
         */
        explain?: boolean;
      };
      body: RiskBatch;
      answer: RiskBatchResults;
    };
    listModels: {
      answer: Models;
    };
    createRiskWatch: {
      body: NewRiskWatch;
      answer: RiskWatch;
    };
    listRiskWatches: {
      query: {
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: RiskWatchList;
    };
    getRiskWatch: {
      query: {
        /**
         * Adds `explain` (a point) or `area` (an area), from the layers as they are now.
         */
        explain?: boolean;
      };
      answer: RiskWatch;
    };
    deleteRiskWatch: {};
    createAoi: {
      body: NewAoi;
      answer: Aoi;
    };
    listAois: {
      query: {
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `geojson` is the same as accepting `application/geo+json`, `csv` as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'geojson' | 'csv' | 'parquet';
      };
      answer: Aois;
      geojson: AreaFeatures;
    };
    createAois: {
      body: NewAois;
      answer: CreatedAois;
    };
    getAoi: {
      query: {
        /**
         * `geojson` is the same as accepting `application/geo+json`.
         */
        f?: 'json' | 'geojson';
      };
      answer: AoiDetail;
      geojson: AreaDetailFeature;
    };
    renameAoi: {
      body: AoiPatch;
      answer: AoiDetail;
    };
    deleteAoi: {};
    listChanges: {
      query: {
        /**
         * Area of interest.
         */
        aoi_id: string;
        /**
         * Detected at or after (by day). RFC 3339 timestamp, or YYYY-MM-DD.
         */
        since?: string;
        /**
         * First visible to you at or after. Let polls overlap by a minute: what is being published when you ask shows a moment later. RFC 3339 timestamp, or YYYY-MM-DD.
         */
        published_since?: string;
        /**
         * Default: confirmed; the header `X-Suspected-Omitted` then says how many suspected ones are left out.
         */
        status?: 'suspected' | 'confirmed' | 'recovered' | 'rejected' | 'all';
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `geojson` is the same as accepting `application/geo+json`, `csv` as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'geojson' | 'csv' | 'parquet';
      };
      answer: Changes;
      geojson: ListedChangeFeatures;
    };
    getChange: {
      query: {
        /**
         * `geojson` is the same as accepting `application/geo+json`.
         */
        f?: 'json' | 'geojson';
      };
      answer: Change;
      geojson: ChangeFeature;
    };
    listAnomalies: {
      query: {
        /**
         * Detected at or after. RFC 3339 timestamp, or YYYY-MM-DD.
         */
        since?: string;
        /**
         * First visible to you at or after. Let polls overlap by a minute: what is being published when you ask shows a moment later. RFC 3339 timestamp, or YYYY-MM-DD.
         */
        published_since?: string;
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `geojson` is the same as accepting `application/geo+json`, `csv` as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'geojson' | 'csv' | 'parquet';
      };
      answer: Anomalies;
      geojson: ListedAnomalyFeatures;
    };
    subscribeToAnomalies: {
      body: NewSubscription;
      answer: SubscriptionReceipt;
    };
    listSubscriptions: {
      query: {
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: Subscriptions;
    };
    getSubscription: {
      answer: Subscription;
    };
    updateSubscription: {
      body: SubscriptionPatch;
      answer: Subscription;
    };
    cancelSubscription: {};
    getAnomaly: {
      query: {
        /**
         * `geojson` is the same as accepting `application/geo+json`.
         */
        f?: 'json' | 'geojson';
      };
      answer: Anomaly;
      geojson: AnomalyFeature;
    };
    listIncidents: {
      query: {
        /**
         * Only those of one area.
         */
        aoi_id?: string;
        peril?: Peril2;
        /**
         * `open` while an anomaly of it is active or ground of it moves; `standing` while nothing new happens and a change of the ground stands, such as a clearing; `closed` when all of it is over. One that is not open opens again when something joins that lasts.
         */
        status?: 'open' | 'standing' | 'closed';
        /**
         * Began at or after. RFC 3339 timestamp, or YYYY-MM-DD.
         */
        since?: string;
        /**
         * Began before. RFC 3339 timestamp, or YYYY-MM-DD.
         */
        until?: string;
        /**
         * Opened or changed at or after: what is new since you looked last. Let polls overlap by a minute. RFC 3339 timestamp, or YYYY-MM-DD.
         */
        updated_since?: string;
        /**
         * Only those whose box overlaps another one. `west,south,east,north` in decimal degrees. West is greater than east where the box crosses the antimeridian.
         */
        bbox?: string;
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `geojson` is the same as accepting `application/geo+json`, `csv` as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'geojson' | 'csv' | 'parquet';
      };
      answer: Incidents;
      geojson: ListedIncidentFeatures;
    };
    getIncident: {
      query: {
        /**
         * `geojson` is the same as accepting `application/geo+json`.
         */
        f?: 'json' | 'geojson';
      };
      answer: WholeIncident;
      geojson: IncidentFeature;
    };
    getHistorical: {
      query: {
        /**
         * Latitude in decimal degrees.
         */
        lat: number;
        /**
         * Longitude in decimal degrees.
         */
        lng: number;
        /**
         * A key of GET /v1/metrics, such as ndvi.
         */
        metric: string;
        /**
         * First moment. Default: all there is. RFC 3339 timestamp, or YYYY-MM-DD.
         */
        from?: string;
        /**
         * End, a day being included whole. Default: now. RFC 3339 timestamp, or YYYY-MM-DD.
         */
        to?: string;
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: Series;
    };
    listMetrics: {
      answer: Metrics;
    };
    listStations: {
      query: {
        /**
         * Only those within a box. `west,south,east,north` in decimal degrees. West is greater than east where the box crosses the antimeridian.
         */
        bbox?: string;
        /**
         * Only those of a metric: a key of GET /v1/metrics. `moisture` finds those of `ndmi` too, which is another name of it.
         */
        metric?: string;
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: Stations;
    };
    listFeeds: {
      answer: Feeds;
    };
    listLayers: {
      answer: Layers;
    };
    listCollections: {
      query: {
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: CollectionList;
    };
    listScenes: {
      query: {
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: Scenes;
    };
    getChangeImages: {
      answer: ChangeImages;
    };
    getChangeImage: {
      query: {
        /**
         * metric, the default: in the colours of the legend. true: what an eye would see; 404 for a scene that has no such picture.
         */
        colours?: 'metric' | 'true';
      };
    };
    getSceneTiles: {
      query: {
        /**
         * metric, the default: the metric of the collection in the colours of the legend. true: what an eye would see, clouds included.
         */
        colours?: 'metric' | 'true';
        /**
         * png, the default, has exactly the colours of the legend. webp takes a third of the bytes, an eighth in true colour, and changes colours slightly.
         */
        f?: 'png' | 'webp';
      };
      answer: SceneTiles;
    };
    getSceneTile: {
      query: {
        /**
         * metric, the default: the metric of the collection in the colours of the legend. true: what an eye would see, clouds included.
         */
        colours?: 'metric' | 'true';
        /**
         * png, the default, has exactly the colours of the legend. webp takes a third of the bytes, an eighth in true colour, and changes colours slightly.
         */
        f?: 'png' | 'webp';
      };
    };
    getRiskTiles: {
      answer: RiskTiles;
    };
    getRiskTile: {};
    getLayerTiles: {
      query: {
        /**
         * Years, of a layer with maps of several return periods; the default is the one nearest to 100.
         */
        return_period?: number;
      };
      answer: LayerTiles;
    };
    getLayerTile: {
      query: {
        /**
         * Years, of a layer with maps of several return periods; the default is the one nearest to 100.
         */
        return_period?: number;
      };
    };
    getAreaTiles: {
      answer: VectorTiles;
    };
    getAreaTile: {};
    getChangeTiles: {
      answer: VectorTiles;
    };
    getChangeTile: {};
    getAnomalyTiles: {
      answer: VectorTiles;
    };
    getAnomalyTile: {};
    getOgcLanding: {
      query: {
        /**
         * The only format.
         */
        f?: 'json';
      };
      answer: OgcLanding;
    };
    getOgcConformance: {
      query: {
        /**
         * The only format.
         */
        f?: 'json';
      };
      answer: OgcConformance;
    };
    getOgcApi: {
      query: {
        /**
         * The only format.
         */
        f?: 'json';
      };
    };
    listOgcCollections: {
      query: {
        /**
         * The only format.
         */
        f?: 'json';
      };
      answer: OgcCollections;
    };
    getOgcCollection: {
      query: {
        /**
         * The only format.
         */
        f?: 'json';
      };
      answer: OgcCollection;
    };
    listOgcAreas: {
      query: {
        /**
         * Only features that meet a box: `west,south,east,north` in decimal degrees; heights are ignored. West is greater than east where the box crosses the antimeridian.
         */
        bbox?: string;
        /**
         * Only features of a time: an RFC 3339 timestamp or a day, or an interval `first/last`, where `..` leaves an end open. The time of changes and anomalies is `detected_at`, that of areas `created_at`, that of incidents `started_at`.
         */
        datetime?: string;
        /**
         * Most features on a page; more than 1,000 means 1,000. A page may have fewer although more follow: the link `next` tells.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * The only format.
         */
        f?: 'json';
      };
      geojson: OgcFeatures;
    };
    getOgcArea: {
      query: {
        /**
         * The only format.
         */
        f?: 'json';
      };
      geojson: OgcFeature;
    };
    listOgcChanges: {
      query: {
        /**
         * Only features that meet a box: `west,south,east,north` in decimal degrees; heights are ignored. West is greater than east where the box crosses the antimeridian.
         */
        bbox?: string;
        /**
         * Only features of a time: an RFC 3339 timestamp or a day, or an interval `first/last`, where `..` leaves an end open. The time of changes and anomalies is `detected_at`, that of areas `created_at`, that of incidents `started_at`.
         */
        datetime?: string;
        /**
         * Most features on a page; more than 1,000 means 1,000. A page may have fewer although more follow: the link `next` tells.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * The only format.
         */
        f?: 'json';
      };
      geojson: OgcFeatures;
    };
    getOgcChange: {
      query: {
        /**
         * The only format.
         */
        f?: 'json';
      };
      geojson: OgcFeature;
    };
    listOgcAnomalies: {
      query: {
        /**
         * Only features that meet a box: `west,south,east,north` in decimal degrees; heights are ignored. West is greater than east where the box crosses the antimeridian.
         */
        bbox?: string;
        /**
         * Only features of a time: an RFC 3339 timestamp or a day, or an interval `first/last`, where `..` leaves an end open. The time of changes and anomalies is `detected_at`, that of areas `created_at`, that of incidents `started_at`.
         */
        datetime?: string;
        /**
         * Most features on a page; more than 1,000 means 1,000. A page may have fewer although more follow: the link `next` tells.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * The only format.
         */
        f?: 'json';
      };
      geojson: OgcFeatures;
    };
    getOgcAnomaly: {
      query: {
        /**
         * The only format.
         */
        f?: 'json';
      };
      geojson: OgcFeature;
    };
    listOgcIncidents: {
      query: {
        /**
         * Only features that meet a box: `west,south,east,north` in decimal degrees; heights are ignored. West is greater than east where the box crosses the antimeridian.
         */
        bbox?: string;
        /**
         * Only features of a time: an RFC 3339 timestamp or a day, or an interval `first/last`, where `..` leaves an end open. The time of changes and anomalies is `detected_at`, that of areas `created_at`, that of incidents `started_at`.
         */
        datetime?: string;
        /**
         * Most features on a page; more than 1,000 means 1,000. A page may have fewer although more follow: the link `next` tells.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * The only format.
         */
        f?: 'json';
      };
      geojson: OgcFeatures;
    };
    getOgcIncident: {
      query: {
        /**
         * The only format.
         */
        f?: 'json';
      };
      geojson: OgcFeature;
    };
    getOgcPosition: {
      query: {
        /**
         * Position in well-known text: `POINT(longitude latitude)`.
         */
        coords: string;
        /**
         * Keys of GET /v1/metrics, separated by commas. Absent: all of which there is a collection.
         */
        'parameter-name'?: string;
        /**
         * An RFC 3339 timestamp or a day, or an interval `first/last`, where `..` leaves an end open.
         */
        datetime?: string;
        /**
         * Reference system of `coords` and of the answer: there is one.
         */
        crs?: 'CRS84' | 'OGC:CRS84' | 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
        /**
         * There is one format: CoverageJSON.
         */
        f?: 'CoverageJSON' | 'json';
      };
    };
    getStacLanding: {
      answer: StacCatalog;
    };
    getStacConformance: {
      answer: StacConformance;
    };
    getStacApi: {};
    listStacCollections: {
      query: {
        /**
         * Most collections on a page; more than 250 means 250.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
      };
      answer: StacCollections;
    };
    getStacCollection: {
      answer: StacCollection;
    };
    listStacItems: {
      query: {
        /**
         * Only scenes that meet a box: `west,south,east,north` in decimal degrees; heights are ignored. West is greater than east where the box crosses the antimeridian.
         */
        bbox?: string;
        /**
         * Only scenes of a time: an RFC 3339 timestamp, or an interval `first/last`, where `..` leaves an end open.
         */
        datetime?: string;
        /**
         * Most items on a page; more than 250 means 250.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
      };
      geojson: StacItems;
    };
    getStacItem: {
      geojson: StacItem;
    };
    searchStac: {
      query: {
        /**
         * Only scenes that meet a box: `west,south,east,north` in decimal degrees; heights are ignored. West is greater than east where the box crosses the antimeridian.
         */
        bbox?: string;
        /**
         * Only scenes that meet a GeoJSON geometry; not together with `bbox`.
         */
        intersects?: string;
        /**
         * Only scenes of a time: an RFC 3339 timestamp, or an interval `first/last`, where `..` leaves an end open.
         */
        datetime?: string;
        /**
         * Ids of scenes, separated by commas.
         */
        ids?: string;
        /**
         * Ids of collections, separated by commas.
         */
        collections?: string;
        /**
         * Most items on a page; more than 250 means 250.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
      };
      geojson: StacItems;
    };
    postStacSearch: {
      body: {
        /**
         * Only scenes that meet a box: west, south, east, north [degrees], or six numbers with heights.
         *
         * @minItems 4
         * @maxItems 6
         */
        bbox?: number[];
        /**
         * Only scenes that meet a GeoJSON geometry; not together with `bbox`.
         */
        intersects?: {};
        /**
         * Only scenes of a time: an RFC 3339 timestamp, or an interval `first/last`, where `..` leaves an end open.
         */
        datetime?: string;
        /**
         * Ids of scenes.
         *
         * @maxItems 1000
         */
        ids?: string[];
        /**
         * Ids of collections.
         *
         * @maxItems 1000
         */
        collections?: string[];
        /**
         * Most items on a page; more than 250 means 250.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
      };
      geojson: StacItems;
    };
    getStacValues: {};
    getStacChanges: {};
    getSandbox: {
      answer: Sandbox;
    };
    advanceSandbox: {
      body: SandboxAdvance;
      answer: SandboxStep;
    };
    registerWebhook: {
      body: NewWebhook;
      answer: WebhookSecret;
    };
    listWebhooks: {
      query: {
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: Webhooks;
    };
    getWebhook: {
      answer: Webhook;
    };
    updateWebhook: {
      body: WebhookPatch;
      answer: Webhook;
    };
    deleteWebhook: {};
    testWebhook: {
      answer: QueuedEvent;
    };
    rotateWebhookSecret: {
      query: {
        /**
         * How long the secrets before it go on signing [s].
         */
        overlap_seconds?: number;
      };
      answer: RotatedSecret;
    };
    listDeliveries: {
      query: {
        /**
         * Only those in this state; absent: all.
         */
        status?: 'pending' | 'succeeded' | 'dead';
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: Deliveries;
    };
    getDelivery: {
      answer: DeliveryDetail;
    };
    redeliver: {
      answer: Delivery;
    };
    redeliverFailed: {
      body: RedeliverFailed;
      answer: QueuedDeliveries;
    };
    listEvents: {
      query: {
        /**
         * Identifier of the last event that you have: gives those that follow it.
         */
        after?: string;
        /**
         * Only events of this type; absent: all but change.suspected.
         */
        type?:
          | 'risk.threshold_exceeded'
          | 'change.suspected'
          | 'change.detected'
          | 'change.updated'
          | 'anomaly.detected'
          | 'anomaly.ended'
          | 'incident.opened'
          | 'incident.updated'
          | 'incident.closed'
          | 'incident.digest'
          | 'webhook.disabled'
          | 'webhook.test';
        /**
         * `asc`, or absent: oldest first. `desc`: newest first, without `after`; its pages lead back in time.
         */
        order?: 'asc' | 'desc';
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: Events;
    };
    getEvent: {
      answer: Event;
    };
    streamEvents: {
      query: {
        /**
         * Identifier of the last event that you have: gives those that follow it.
         */
        after?: string;
        /**
         * Only events of this type; absent: all but change.suspected.
         */
        type?:
          | 'risk.threshold_exceeded'
          | 'change.suspected'
          | 'change.detected'
          | 'change.updated'
          | 'anomaly.detected'
          | 'anomaly.ended'
          | 'incident.opened'
          | 'incident.updated'
          | 'incident.closed'
          | 'incident.digest'
          | 'webhook.disabled'
          | 'webhook.test';
      };
    };
    createKey: {
      body: NewKey;
      answer: KeySecret;
    };
    listKeys: {
      query: {
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: Keys;
    };
    getKey: {
      answer: Key;
    };
    revokeKey: {};
    rotateKey: {
      query: {
        /**
         * How long the old key still works.
         */
        overlap_hours?: number;
      };
      answer: KeySuccessor;
    };
    createClient: {
      body: NewOAuthClient;
      answer: OAuthClientSecret;
    };
    listClients: {
      query: {
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: OAuthClients;
    };
    getClient: {
      answer: OAuthClient;
    };
    revokeClient: {};
    replaceClientKeys: {
      query: {
        /**
         * How long assertions of the old keys are still accepted.
         */
        overlap_hours?: number;
      };
      body: OAuthClientKeys;
      answer: OAuthClient;
    };
    getUsage: {
      answer: Usage;
    };
    getAccount: {
      answer: Account;
    };
    inviteMember: {
      body: NewMember;
      answer: Member;
    };
    listMembers: {
      query: {
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: Members;
    };
    getMember: {
      answer: Member;
    };
    changeMember: {
      body: MemberChange;
      answer: Member;
    };
    removeMember: {};
    listAudit: {
      query: {
        /**
         * Most items in one answer.
         */
        limit?: number;
        /**
         * `next_cursor` of the answer before.
         */
        cursor?: string;
        /**
         * `csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.
         */
        f?: 'json' | 'csv' | 'parquet';
      };
      answer: AuditRecords;
    };
  };
  error: Error;
}
export interface RiskAssessment {
  /**
   * A fixed map of the expected annual damage ratio of a reference building: 0.0001 is 0.2, 0.002 is 0.4, 0.01 is 0.6, 0.05 is 0.8; log-linear.
   */
  risk_score: number;
  /**
   * Probability that the true score lies within 0.1 of the one given.
   */
  confidence: number;
  model_version: string;
  explain?: RiskExplanation;
}
export interface RiskExplanation {
  /**
   * Of a reference building there, 1/yr.
   */
  expected_annual_damage_ratio: number;
  /**
   * Range that holds the true score with a probability of 0.9.
   */
  score_range: {
    /**
     * 5th percentile of the score.
     */
    low: number;
    /**
     * 95th percentile of the score.
     */
    high: number;
  };
  /**
   * What the answer rests on.
   */
  evidence: {
    /**
     * Ascending: `none` (a prior), `regional` (climate, country, distance to the shore), `terrain` (heights, soil, land cover), `map` (of the hazard itself, coarse), `fine` (the same at 100 m or finer, gusts at 10 km), `measured` (records or measured displacement of the place).
     */
    class: 'none' | 'regional' | 'terrain' | 'map' | 'fine' | 'measured';
    /**
     * Information about the score that evidence of this kind and cell size is expected to give; 0 for a prior. A further layer never lowers it.
     */
    bits: number;
    /**
     * The check of `GET /v1/models` that the confidence was corrected by; empty for a prior.
     */
    basis: string;
  };
  /**
   * What the hazard curve measures, with its unit.
   */
  intensity: string;
  hazard_curve: {
    return_period_years: number;
    /**
     * Median. 0 where most draws stay dry, such as behind a defence that probably holds.
     */
    intensity: number;
    /**
     * 5th percentile.
     */
    low: number;
    /**
     * 95th percentile.
     */
    high: number;
    /**
     * Mean over all draws, so it may be above 0 where the median intensity is 0.
     */
    damage_ratio: number;
  }[];
  layers: {
    layer: string;
    version: string;
    return_period_years: number | null;
    resolution_m: number;
    date: string;
    licence: string;
    source: string;
    /**
     * Of the value; `class` for class codes, `1` for plain numbers.
     */
    unit: string;
    /**
     * Null where the layer has no value at the place.
     */
    value: number | null;
  }[];
  reasons: {
    /**
     * Such as `outside`, `nodata`, `sea`, `stale`, `prior`, `coarse`.
     */
    code: string;
    message: string;
  }[];
  /**
   * How often a year reaches the classes of the hazard, where return levels are mapped.
   */
  exceedance?: {
    /**
     * Such as `very high fire danger`.
     */
    name: string;
    /**
     * Where the class begins: a Fire Weather Index, mean of seven days.
     */
    from: number;
    /**
     * That a year reaches it, at least.
     */
    lowest: number;
    /**
     * That a year reaches it, at most.
     */
    highest: number;
  }[];
  /**
   * True where a layer of the simulated sandbox world has a value here.
   */
  simulated: boolean;
}
export interface RiskBatch {
  /**
   * @minItems 1
   * @maxItems 1000
   */
  locations: Location[];
}
export interface Location {
  /**
   * Latitude in decimal degrees.
   */
  lat: number;
  /**
   * Longitude in decimal degrees.
   */
  lng: number;
  peril: Peril1;
}
export interface RiskBatchResults {
  results: BatchResult[];
}
export interface BatchResult {
  /**
   * A fixed map of the expected annual damage ratio of a reference building: 0.0001 is 0.2, 0.002 is 0.4, 0.01 is 0.6, 0.05 is 0.8; log-linear.
   */
  risk_score: number;
  /**
   * Probability that the true score lies within 0.1 of the one given.
   */
  confidence: number;
  explain?: RiskExplanation;
}
export interface Models {
  models: ModelCard[];
  change: ChangeCard;
}
export interface ModelCard {
  peril: Peril1;
  model_version: string;
  method: string;
  /**
   * Names of the layers the model asks for.
   */
  layers: string[];
  /**
   * The maps of those layers that serve the environment of the credential.
   */
  layer_versions: {
    layer: string;
    version: string;
    unit: string;
    return_period_years: number | null;
    resolution_m: number;
    date: string;
    licence: string;
  }[];
  citations: string[];
  /**
   * What the model does not know or do.
   */
  limits: string[];
  /**
   * The kinds of evidence that the model can use, ascending.
   */
  evidence: {
    class: 'none' | 'regional' | 'terrain' | 'map' | 'fine' | 'measured';
    name: string;
    /**
     * Layers of which one must have a value.
     */
    layers: string[];
    /**
     * Mutual information of the true score and what the model says from such evidence, by cell size; linear in its logarithm between these sizes. Empty where not measured.
     */
    bits: {
      resolution_m: number;
      bits: number;
    }[];
    /**
     * Simulated places that it was measured on.
     */
    cases: number;
  }[];
  calibration: Calibration;
}
export interface Calibration {
  /**
   * `calibrated`: the confidences follow from distributions of the true score on simulated places. They hold on such places and in the other checks, except those of `not_calibrated_for`.
   */
  status: 'calibrated' | 'uncalibrated';
  /**
   * Expected calibration error of the stated confidence, ten bins; of the worst check.
   */
  ece: number | null;
  /**
   * Share of nominal 90 % intervals that hold the truth; of the check farthest from 0.9.
   */
  coverage_90: number | null;
  /**
   * Cases with known truth in all checks.
   */
  cases: number;
  /**
   * Bases of the checks in which the confidence does not hold: its calibration error, or the cross-validated one, is above 0.05.
   */
  not_calibrated_for: string[];
  checks: {
    /**
     * What the answers checked rest on, such as `map` or `prior`.
     */
    basis: string;
    cases: number;
    /**
     * As stated now.
     */
    ece: number;
    /**
     * Of the confidence that the draws of the model give by themselves.
     */
    raw_ece: number;
    /**
     * Share of nominal 90 % intervals of the hazard curve that hold the truth.
     */
    coverage_90: number | null;
    /**
     * Share of 90 % ranges of the score that hold the truth. A range that ends at 0 or 1 can be missed at one end only: right ones hold it in 0.95 of the cases.
     */
    range_coverage_90: number;
    /**
     * Mean stated confidence, and the share of answers that hold, in each tenth of the confidence with 100 cases or more.
     */
    reliability: number[][];
    /**
     * Each 0.05 at most if the 90 % ranges are right.
     */
    range_misses: {
      /**
       * Share of the true scores below their range.
       */
      below: number;
      /**
       * Share of the true scores above their range.
       */
      above: number;
    };
    /**
     * Of distributions that were fitted without the block of places that they are judged on; null where no distribution was fitted.
     */
    cross_validated: {
      blocks: number;
      /**
       * Expected calibration error of the confidence.
       */
      ece: number;
      /**
       * As above.
       */
      range_coverage_90: number;
      /**
       * Each 0.05 at most if the 90 % ranges are right.
       */
      range_misses: {
        /**
         * Share of the true scores below their range.
         */
        below: number;
        /**
         * Share of the true scores above their range.
         */
        above: number;
      };
    } | null;
  }[];
  /**
   * What the checks show and what they cannot.
   */
  note: string;
}
export interface ChangeCard {
  /**
   * Such as `change-v0.27.0`.
   */
  model_version: string;
  /**
   * The `method` in the provenance of changes.
   */
  method: string;
  smallest: SmallestChange;
  /**
   * What came of the confirmed changes in your areas, by collection, type and kind of baseline, among the newest 5,000 changes of all statuses. Absent if the credential lacks `changes:read`.
   */
  experience?: Experience[];
}
/**
 * The smallest change that is listed: both minimum number and minimum area, or one large pixel. Pixels of 10 m need 5 neighbours, pixels of 20 to 99 m need 3. A collection with fewer pixels than that is one change as a whole.
 */
export interface SmallestChange {
  /**
   * Minimum number of neighbouring pixels.
   */
  pixels: number;
  /**
   * Minimum area [m2].
   */
  area_m2: number;
  /**
   * Area from which a single pixel is enough [m2].
   */
  single_pixel_area_m2: number;
}
export interface Experience {
  collection: {
    id: string;
    name: string;
    metric: string;
  };
  /**
   * Type of the change.
   */
  type: string;
  /**
   * What the changes were measured against: harmonic (the history of the pixel itself), neighbourhood (pixels around it, where its history is short) or provider (of an alert product).
   */
  baseline: string;
  /**
   * Changes that were once confirmed. The sum of the four numbers below.
   */
  claims: number;
  /**
   * Still confirmed, a year or more before the last scene of the collection.
   */
  stood: number;
  /**
   * Recovered: the signal was normal again.
   */
  passed: number;
  /**
   * Rejected. Changes whose ground counts as part of another change now are no claims here.
   */
  taken_back: number;
  /**
   * Too early to tell: confirmed less than a year before the last scene, or suspected again.
   */
  young: number;
}
export interface RiskWatch {
  id: string;
  /**
   * Latitude in decimal degrees.
   */
  lat?: number;
  /**
   * Longitude in decimal degrees.
   */
  lng?: number;
  /**
   * The area watched; else `lat` and `lng` are there.
   */
  aoi_id?: string;
  /**
   * The anomaly subscription that it belongs to, if any.
   */
  subscription_id?: string;
  peril: Peril1;
  /**
   * A score that reaches it has crossed it.
   */
  threshold: number;
  /**
   * Paused while its subscription is.
   */
  status: 'active' | 'paused';
  /**
   * When it was last looked at.
   */
  risk_score: number;
  /**
   * 0: nothing is known of the place, and the score is a prior that crosses nothing.
   */
  confidence: number;
  /**
   * True from an upward crossing until the score is 0.05 below the threshold: only then can it cross again.
   */
  above: boolean;
  model_version: string;
  /**
   * When the score was made.
   */
  scored_at: string;
  /**
   * When it was made.
   */
  created_at: string;
  explain?: RiskExplanation;
  area?: WatchedArea;
}
export interface WatchedArea {
  /**
   * Places looked at, each in the middle of an equal share of the area.
   */
  places: number;
  /**
   * Of them, those of which nothing is known; they count for nothing but the confidence.
   */
  places_without_data: number;
  /**
   * Share of the area with data that is at or above the threshold; null where there are no data.
   */
  share_above: number | null;
  /**
   * Null where there are no data.
   */
  highest: {
    /**
     * The highest score of a place with data.
     */
    risk_score: number;
    /**
     * Latitude in decimal degrees.
     */
    lat: number;
    /**
     * Longitude in decimal degrees.
     */
    lng: number;
  } | null;
  /**
   * The score is the highest that this share of the area with data reaches.
   */
  share_scored: number;
}
export interface RiskWatchList {
  watches: RiskWatch[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface NewAoi {
  /**
   * For people; need not be unique.
   */
  name: string;
  /**
   * GeoJSON Polygon or MultiPolygon (RFC 7946), WGS84, longitude first.
   */
  geometry: {
    [k: string]: unknown;
  };
}
export interface Aoi {
  id: string;
  name: string;
  geometry: AreaGeometry;
  /**
   * Geodesic area on WGS84.
   */
  area_m2: number;
  /**
   * When it was made.
   */
  created_at: string;
}
export interface Aois {
  aois: Aoi[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface AreaFeatures {
  type: 'FeatureCollection';
  features: AreaFeature[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface AreaFeature {
  type: 'Feature';
  id: string;
  geometry: AreaGeometry;
  properties: {
    id: string;
    name: string;
    /**
     * Geodesic area on WGS84.
     */
    area_m2: number;
    /**
     * When it was made.
     */
    created_at: string;
  };
  required?: [];
  additionalProperties?: never;
}
export interface NewAois {
  /**
   * @minItems 1
   * @maxItems 10000
   */
  aois: NewAoi[];
}
export interface CreatedAois {
  aois: AoiSummary[];
}
export interface AoiSummary {
  id: string;
  name: string;
  /**
   * Geodesic area on WGS84.
   */
  area_m2: number;
  /**
   * When it was made.
   */
  created_at: string;
}
export interface AoiDetail {
  id: string;
  name: string;
  geometry: AreaGeometry;
  /**
   * Geodesic area on WGS84.
   */
  area_m2: number;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * The image series whose bounding box meets that of the area: changes are looked for in these alone. Without any, that no change is listed says nothing.
   */
  imagery: {
    collection: string;
    /**
     * A key of GET /v1/metrics.
     */
    metric: string;
    scenes: number;
    /**
     * When its first scene was taken.
     */
    first_at: string;
    /**
     * When its last scene was taken.
     */
    last_at: string;
    /**
     * Only in the sandbox: its scenes are made up.
     */
    simulated?: true;
  }[];
}
export interface AreaDetailFeature {
  type: 'Feature';
  id: string;
  geometry: AreaGeometry;
  properties: {
    id: string;
    name: string;
    /**
     * Geodesic area on WGS84.
     */
    area_m2: number;
    /**
     * When it was made.
     */
    created_at: string;
    /**
     * The image series whose bounding box meets that of the area: changes are looked for in these alone. Without any, that no change is listed says nothing.
     */
    imagery: {
      collection: string;
      /**
       * A key of GET /v1/metrics.
       */
      metric: string;
      scenes: number;
      /**
       * When its first scene was taken.
       */
      first_at: string;
      /**
       * When its last scene was taken.
       */
      last_at: string;
      /**
       * Only in the sandbox: its scenes are made up.
       */
      simulated?: true;
    }[];
  };
  required?: [];
  additionalProperties?: never;
}
export interface AoiPatch {
  /**
   * For people; need not be unique.
   */
  name: string;
}
export interface Changes {
  changes: ChangeSummary[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface ChangeSummary {
  id: string;
  /**
   * One of vegetation_loss, vegetation_gain, conversion, burn, water_gain, water_loss, built_up, ground_subsidence, ground_uplift; an open set: ignore types you do not know. `conversion`: a lasting change of seasonality, perennial cover to crops or the reverse.
   */
  type: string;
  /**
   * Probability that the change is real and lasting. What came of older claims in the collection moves it. 0 once it is rejected.
   */
  confidence: number;
}
export interface ListedChangeFeatures {
  type: 'FeatureCollection';
  features: ListedChangeFeature[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface ListedChangeFeature {
  type: 'Feature';
  id: string;
  geometry: AreaGeometry;
  properties: {
    id: string;
    /**
     * One of vegetation_loss, vegetation_gain, conversion, burn, water_gain, water_loss, built_up, ground_subsidence, ground_uplift; an open set: ignore types you do not know. `conversion`: a lasting change of seasonality, perennial cover to crops or the reverse.
     */
    type: string;
    /**
     * The day it was confirmed, or flagged while suspected.
     */
    detected_at: string;
    /**
     * Probability that the change is real and lasting. What came of older claims in the collection moves it. 0 once it is rejected.
     */
    confidence: number;
    status: 'suspected' | 'confirmed' | 'recovered' | 'rejected';
    /**
     * The first observation that departed.
     */
    first_anomaly_at: string;
    /**
     * The day it was confirmed.
     */
    confirmed_at: string | null;
    /**
     * The day the signal was back.
     */
    recovered_at: string | null;
    /**
     * Geodesic area on WGS84.
     */
    area_m2: number;
    /**
     * Median signed departure, in units of the metric.
     */
    magnitude: number;
    metric: string;
    /**
     * Those of your areas that it touches.
     */
    aoi_ids: string[];
    /**
     * When this service first recorded it.
     */
    created_at: string;
    /**
     * When anything in it last changed.
     */
    updated_at: string;
  };
  required?: [];
  additionalProperties?: never;
}
export interface Change {
  id: string;
  /**
   * One of vegetation_loss, vegetation_gain, conversion, burn, water_gain, water_loss, built_up, ground_subsidence, ground_uplift; an open set: ignore types you do not know. `conversion`: a lasting change of seasonality, perennial cover to crops or the reverse.
   */
  type: string;
  /**
   * The day it was confirmed, or flagged while suspected.
   */
  detected_at: string;
  /**
   * Probability that the change is real and lasting. What came of older claims in the collection moves it. 0 once it is rejected.
   */
  confidence: number;
  status: 'suspected' | 'confirmed' | 'recovered' | 'rejected';
  /**
   * The first observation that departed.
   */
  first_anomaly_at: string;
  /**
   * The day it was confirmed.
   */
  confirmed_at: string | null;
  /**
   * The day the signal was back.
   */
  recovered_at: string | null;
  geometry: AreaGeometry;
  /**
   * Geodesic area on WGS84.
   */
  area_m2: number;
  /**
   * Median signed departure, in units of the metric.
   */
  magnitude: number;
  metric: string;
  /**
   * Those of your areas that it touches.
   */
  aoi_ids: string[];
  /**
   * When this service first recorded it.
   */
  created_at: string;
  /**
   * When anything in it last changed.
   */
  updated_at: string;
  provenance: ChangeProvenance;
  /**
   * What each version of the model and the software stated about the change, oldest first; the last is what is stated now. Before a rejection stands what the same version stated last. A new model finds the changes of the one before again by place and time, and keeps their ids.
   */
  versions: ChangeVersion[];
}
export interface ChangeProvenance {
  collection: {
    id: string;
    name: string;
    metric: string;
  };
  /**
   * Present in the simulated region of the sandbox: nothing was observed.
   */
  simulated?: true;
  scenes: {
    id: string;
    href: string;
    datetime: string;
    role: 'baseline' | 'monitoring';
    /**
     * SHA-256 of the samples read from the scene, as docs/provenance.md defines them.
     */
    sha256: string;
    /**
     * Where it is not the metric of the change.
     */
    metric?: string;
    /**
     * Where it is not that of the series. null: ingested by a release before 1.4.0, which did not keep it.
     */
    reading?: {
      /**
       * Raw value that means nothing was observed; null where there is none but NaN.
       */
      nodata: number | string | null;
      /**
       * Lowest and highest raw value that is an observation. Absent: all are.
       *
       * @minItems 2
       * @maxItems 2
       */
      valid_range?: number[];
      /**
       * What says which samples are masked.
       */
      mask: {
        /**
         * Its file or folder. Absent: the quality band of each scene.
         */
        file?: string;
        /**
         * nonzero: every value but 0 is masked. Else the name in mask_encodings.
         */
        encoding: string;
      } | null;
      /**
       * The samples are an index that was computed from the bands of a satellite scene.
       */
      computed?: true;
      /**
       * The samples are backscatter (gamma-0) of a radar scene. Absent: they are not.
       */
      radar?: {
        /**
         * Unit of the samples of the source.
         */
        unit: 'power' | 'dB';
        /**
         * Weights along rows and columns by which linear power was averaged over neighbouring pixels, before decibels.
         */
        look_weights: number[];
      };
      /**
       * How the bands were adjusted before the index was computed. Absent: they were not.
       */
      adjusted?: {
        /**
         * The sensor to whose bands those of the scene were adjusted.
         */
        to: string;
        /**
         * Name of the adjustment; none: the scene is of that sensor.
         */
        name: string;
        /**
         * Reflectance that was used = reflectance * slope + intercept, by band.
         */
        lines: {
          band: string;
          slope: number;
          intercept: number;
        }[];
      };
    } | null;
  }[];
  /**
   * The samples of each metric: their type, what they mean, and how they were read.
   */
  series?: {
    metric: string;
    unit: string;
    sample_type: 'int16' | 'float32' | 'float64';
    /**
     * Value in the unit = sample * scale + offset.
     */
    scale: number;
    offset: number;
    /**
     * Of its first scene. null: ingested by a release before 1.4.0, which did not keep it.
     */
    reading: {
      /**
       * Raw value that means nothing was observed; null where there is none but NaN.
       */
      nodata: number | string | null;
      /**
       * Lowest and highest raw value that is an observation. Absent: all are.
       *
       * @minItems 2
       * @maxItems 2
       */
      valid_range?: number[];
      /**
       * What says which samples are masked.
       */
      mask: {
        /**
         * Its file or folder. Absent: the quality band of each scene.
         */
        file?: string;
        /**
         * nonzero: every value but 0 is masked. Else the name in mask_encodings.
         */
        encoding: string;
      } | null;
      /**
       * The samples are an index that was computed from the bands of a satellite scene.
       */
      computed?: true;
      /**
       * The samples are backscatter (gamma-0) of a radar scene. Absent: they are not.
       */
      radar?: {
        /**
         * Unit of the samples of the source.
         */
        unit: 'power' | 'dB';
        /**
         * Weights along rows and columns by which linear power was averaged over neighbouring pixels, before decibels.
         */
        look_weights: number[];
      };
      /**
       * How the bands were adjusted before the index was computed. Absent: they were not.
       */
      adjusted?: {
        /**
         * The sensor to whose bands those of the scene were adjusted.
         */
        to: string;
        /**
         * Name of the adjustment; none: the scene is of that sensor.
         */
        name: string;
        /**
         * Reflectance that was used = reflectance * slope + intercept, by band.
         */
        lines: {
          band: string;
          slope: number;
          intercept: number;
        }[];
      };
    } | null;
  }[];
  /**
   * The encodings of the masks, by name.
   */
  mask_encodings?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: {
      /**
       * Size of a value. Values outside it are masked.
       */
      bits: number;
      /**
       * A sample is masked if for any of these the width bits from bit on (0 is the lowest) are a number in [from, to].
       */
      masked: {
        bit: number;
        width: number;
        from: number;
        to: number;
      }[];
    };
  };
  /**
   * Kind, window, observations, coefficients, scale.
   */
  baseline: {
    [k: string]: unknown;
  };
  /**
   * The statistic, its boundary, the posterior, and what the like pixels show (`like_pixels`) at each date, at the seed pixel.
   */
  evidence: {
    [k: string]: unknown;
  }[];
  /**
   * Where several metrics were looked at together: the median departure of each and the value it went to, which tell the type.
   */
  moves?: {
    metric: string;
    residual: number;
    value: number;
  }[];
  /**
   * What came of older claims of the same kind in the collection, and how it moved the confidence (docs/accuracy.md). Absent: nothing moved it.
   */
  experience?: {
    /**
     * The confidence by the model alone.
     */
    model_confidence: number;
    /**
     * Older claims whose fate was known.
     */
    claims: number;
    /**
     * Those of them that stood.
     */
    stood: number;
    /**
     * Mean confidence by the model alone when they were confirmed.
     */
    stated: number;
    /**
     * What they add to the log-odds of the confidence of a claim that is confirmed today.
     */
    shift: number;
    /**
     * Share of the shift that was added: 1 at the confirmation, decreasing to 0 over a year.
     */
    weight: number;
  };
  /**
   * The pixels of the object on the collection’s grid.
   */
  pixels: {
    seed: number;
    /**
     * Start and length of each run of row-major pixel indices.
     */
    runs: number[];
  };
  /**
   * Reference system, size and affine transform.
   */
  grid: {
    [k: string]: unknown;
  };
  method: string;
  parameters: {
    [k: string]: unknown;
  };
  model_version: string;
  software_version: string;
  /**
   * How the digest is computed, by docs/provenance.md. Absent: recipe 1.
   */
  digest_recipe?: number;
  /**
   * SHA-256 over the canonical JSON (RFC 8785) of the change, without what docs/provenance.md names: ids, times of recording, versions, and the digest itself.
   */
  digest: string;
}
export interface ChangeVersion {
  model_version: string;
  software_version: string;
  /**
   * When this version last stated it.
   */
  stated_at: string;
  status: 'suspected' | 'confirmed' | 'recovered' | 'rejected';
  /**
   * Probability that the change is real and lasting. What came of older claims in the collection moves it. 0 once it is rejected.
   */
  confidence: number;
  /**
   * The digest of the change as this version stated it.
   */
  digest: string;
  /**
   * Where this version counts the ground as part of another change: the id of that change. So it is when one change became several, or several one.
   */
  id?: string;
}
export interface ChangeFeature {
  type: 'Feature';
  id: string;
  geometry: AreaGeometry;
  properties: {
    id: string;
    /**
     * One of vegetation_loss, vegetation_gain, conversion, burn, water_gain, water_loss, built_up, ground_subsidence, ground_uplift; an open set: ignore types you do not know. `conversion`: a lasting change of seasonality, perennial cover to crops or the reverse.
     */
    type: string;
    /**
     * The day it was confirmed, or flagged while suspected.
     */
    detected_at: string;
    /**
     * Probability that the change is real and lasting. What came of older claims in the collection moves it. 0 once it is rejected.
     */
    confidence: number;
    status: 'suspected' | 'confirmed' | 'recovered' | 'rejected';
    /**
     * The first observation that departed.
     */
    first_anomaly_at: string;
    /**
     * The day it was confirmed.
     */
    confirmed_at: string | null;
    /**
     * The day the signal was back.
     */
    recovered_at: string | null;
    /**
     * Geodesic area on WGS84.
     */
    area_m2: number;
    /**
     * Median signed departure, in units of the metric.
     */
    magnitude: number;
    metric: string;
    /**
     * Those of your areas that it touches.
     */
    aoi_ids: string[];
    /**
     * When this service first recorded it.
     */
    created_at: string;
    /**
     * When anything in it last changed.
     */
    updated_at: string;
    provenance: ChangeProvenance;
    /**
     * What each version of the model and the software stated about the change, oldest first; the last is what is stated now. Before a rejection stands what the same version stated last. A new model finds the changes of the one before again by place and time, and keeps their ids.
     */
    versions: ChangeVersion[];
  };
  required?: [];
  additionalProperties?: never;
}
export interface Anomalies {
  anomalies: AnomalySummary[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface AnomalySummary {
  id: string;
  /**
   * By the two-sided tail probability of the robust residual: .05, .01, .001, .0001.
   */
  severity: 'low' | 'medium' | 'high' | 'critical';
}
export interface ListedAnomalyFeatures {
  type: 'FeatureCollection';
  features: ListedAnomalyFeature[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface ListedAnomalyFeature {
  type: 'Feature';
  id: string;
  geometry: AreaGeometry;
  properties: {
    id: string;
    /**
     * By the two-sided tail probability of the robust residual: .05, .01, .001, .0001.
     */
    severity: 'low' | 'medium' | 'high' | 'critical';
    status: 'active' | 'ended';
    peril: Peril1;
    aoi_id: string;
    /**
     * Where it was measured; null: the mean over the area of a grid.
     */
    station: {
      name: string;
      /**
       * Latitude in decimal degrees.
       */
      lat: number;
      /**
       * Longitude in decimal degrees.
       */
      lng: number;
    } | null;
    metric: string;
    /**
     * At the most extreme observation.
     */
    value: number;
    expected: number;
    /**
     * Value less expected.
     */
    residual: number;
    /**
     * First anomalous observation.
     */
    started_at: string;
    /**
     * Most extreme observation so far.
     */
    detected_at: string;
    /**
     * First observation back within bounds.
     */
    ended_at: string | null;
  };
  required?: [];
  additionalProperties?: never;
}
export interface NewSubscription {
  /**
   * Area of interest.
   */
  aoi_id: string;
  /**
   * @minItems 1
   * @maxItems 4
   */
  perils: Peril1[];
  /**
   * Whether events are also sent for what was past when it was found, such as the anomalies of a long history that end more than 90 days before its newest observation. False: they are only listed.
   */
  past?: boolean;
}
export interface SubscriptionReceipt {
  subscription_id: string;
  status: 'active' | 'paused' | 'cancelled';
}
export interface Subscriptions {
  subscriptions: Subscription[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface Subscription {
  subscription_id: string;
  status: 'active' | 'paused' | 'cancelled';
  aoi_id: string;
  perils: Peril1[];
  /**
   * Hours in which no event of its anomalies and their incidents is sent to webhooks. What happens then is sent at their end. The list and the stream of events show it at once. Null: none.
   */
  quiet_hours: {
    /**
     * Time zone of the IANA database, such as Europe/Ljubljana.
     */
    zone: string;
    /**
     * When they begin each day, HH:MM.
     */
    from: string;
    /**
     * When they end, HH:MM; on the next day if it is before `from`.
     */
    to: string;
  } | null;
  /**
   * One event `incident.digest` at the start of each hour or day (UTC), or at the end of the quiet hours then, in place of the events of its anomalies and their incidents. Null: each event at once.
   */
  digest: 'hourly' | 'daily' | null;
  /**
   * Whether events are also sent for what was past when it was found, such as the anomalies of a long history that end more than 90 days before its newest observation. False: they are only listed.
   */
  past: boolean;
  /**
   * When it was made.
   */
  created_at: string;
}
export interface SubscriptionPatch {
  status?: 'active' | 'paused' | 'cancelled';
  /**
   * Hours in which no event of its anomalies and their incidents is sent to webhooks. What happens then is sent at their end. The list and the stream of events show it at once. Null: none.
   */
  quiet_hours?: {
    /**
     * Time zone of the IANA database, such as Europe/Ljubljana.
     */
    zone: string;
    /**
     * When they begin each day, HH:MM.
     */
    from: string;
    /**
     * When they end, HH:MM; on the next day if it is before `from`.
     */
    to: string;
  } | null;
  /**
   * One event `incident.digest` at the start of each hour or day (UTC), or at the end of the quiet hours then, in place of the events of its anomalies and their incidents. Null: each event at once.
   */
  digest?: 'hourly' | 'daily' | null;
  /**
   * Whether events are also sent for what was past when it was found, such as the anomalies of a long history that end more than 90 days before its newest observation. False: they are only listed.
   */
  past?: boolean;
}
export interface Anomaly {
  id: string;
  /**
   * By the two-sided tail probability of the robust residual: .05, .01, .001, .0001.
   */
  severity: 'low' | 'medium' | 'high' | 'critical';
  status: 'active' | 'ended';
  peril: Peril1;
  aoi_id: string;
  /**
   * Where it was measured; null: the mean over the area of a grid.
   */
  station: {
    name: string;
    /**
     * Latitude in decimal degrees.
     */
    lat: number;
    /**
     * Longitude in decimal degrees.
     */
    lng: number;
  } | null;
  metric: string;
  /**
   * At the most extreme observation.
   */
  value: number;
  expected: number;
  /**
   * Value less expected.
   */
  residual: number;
  /**
   * First anomalous observation.
   */
  started_at: string;
  /**
   * Most extreme observation so far.
   */
  detected_at: string;
  /**
   * First observation back within bounds.
   */
  ended_at: string | null;
  provenance: {
    [k: string]: unknown;
  };
}
export interface AnomalyFeature {
  type: 'Feature';
  id: string;
  geometry: AreaGeometry;
  properties: {
    id: string;
    /**
     * By the two-sided tail probability of the robust residual: .05, .01, .001, .0001.
     */
    severity: 'low' | 'medium' | 'high' | 'critical';
    status: 'active' | 'ended';
    peril: Peril1;
    aoi_id: string;
    /**
     * Where it was measured; null: the mean over the area of a grid.
     */
    station: {
      name: string;
      /**
       * Latitude in decimal degrees.
       */
      lat: number;
      /**
       * Longitude in decimal degrees.
       */
      lng: number;
    } | null;
    metric: string;
    /**
     * At the most extreme observation.
     */
    value: number;
    expected: number;
    /**
     * Value less expected.
     */
    residual: number;
    /**
     * First anomalous observation.
     */
    started_at: string;
    /**
     * Most extreme observation so far.
     */
    detected_at: string;
    /**
     * First observation back within bounds.
     */
    ended_at: string | null;
    provenance: {
      [k: string]: unknown;
    };
  };
  required?: [];
  additionalProperties?: never;
}
export interface Incidents {
  incidents: Incident[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface Incident {
  id: string;
  /**
   * What, where and when, in words.
   */
  title: string;
  /**
   * The highest of its anomalies and changes. A change counts by its area: from 1 ha medium, from 10 ha high, from 100 ha critical.
   */
  severity: 'low' | 'medium' | 'high' | 'critical';
  /**
   * `open` while an anomaly of it is active or ground of it moves; `standing` while nothing new happens and a change of the ground stands, such as a clearing; `closed` when all of it is over. One that is not open opens again when something joins that lasts.
   */
  status: 'open' | 'standing' | 'closed';
  /**
   * Perils that its anomalies and changes concern.
   */
  perils: ('flood' | 'subsidence' | 'wildfire' | 'storm')[];
  /**
   * Metrics of its anomalies and types of its changes.
   */
  kinds: string[];
  /**
   * First departure of any of them.
   */
  started_at: string;
  /**
   * End of the last of them; null unless it is closed.
   */
  ended_at: string | null;
  /**
   * Newest image or reading of the collections and stations in which its newest anomalies and changes were seen. What happened since then is not known, also while it is `open`.
   */
  last_observed_at: string | null;
  /**
   * Whether all of it was past when it was found: anomalies that ended more than 90 days before the newest observation, and changes that were known before you could see them. Its events are listed, and sent only for a subscription with `past`.
   */
  past: boolean;
  /**
   * Your areas that it concerns, the main one first; at most 20.
   */
  aoi_ids: string[];
  /**
   * Number of all these areas.
   */
  area_count: number;
  anomaly_count: number;
  change_count: number;
  /**
   * Area of the ground of its changes; what several of them show counts once. Null without a change.
   */
  area_m2: number | null;
  /**
   * West, south, east, north of the areas and changes; west above east across the antimeridian.
   *
   * @minItems 4
   * @maxItems 4
   */
  bbox: number[];
  /**
   * Path of pictures of its largest change, before and after; null when it has no change.
   */
  images_url: string | null;
  /**
   * When it became visible to you.
   */
  opened_at: string;
  /**
   * When something about it changed last.
   */
  updated_at: string;
}
export interface ListedIncidentFeatures {
  type: 'FeatureCollection';
  features: ListedIncidentFeature[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface ListedIncidentFeature {
  type: 'Feature';
  id: string;
  geometry: AreaGeometry;
  properties: {
    id: string;
    /**
     * What, where and when, in words.
     */
    title: string;
    /**
     * The highest of its anomalies and changes. A change counts by its area: from 1 ha medium, from 10 ha high, from 100 ha critical.
     */
    severity: 'low' | 'medium' | 'high' | 'critical';
    /**
     * `open` while an anomaly of it is active or ground of it moves; `standing` while nothing new happens and a change of the ground stands, such as a clearing; `closed` when all of it is over. One that is not open opens again when something joins that lasts.
     */
    status: 'open' | 'standing' | 'closed';
    /**
     * Perils that its anomalies and changes concern.
     */
    perils: ('flood' | 'subsidence' | 'wildfire' | 'storm')[];
    /**
     * Metrics of its anomalies and types of its changes.
     */
    kinds: string[];
    /**
     * First departure of any of them.
     */
    started_at: string;
    /**
     * End of the last of them; null unless it is closed.
     */
    ended_at: string | null;
    /**
     * Newest image or reading of the collections and stations in which its newest anomalies and changes were seen. What happened since then is not known, also while it is `open`.
     */
    last_observed_at: string | null;
    /**
     * Whether all of it was past when it was found: anomalies that ended more than 90 days before the newest observation, and changes that were known before you could see them. Its events are listed, and sent only for a subscription with `past`.
     */
    past: boolean;
    /**
     * Your areas that it concerns, the main one first; at most 20.
     */
    aoi_ids: string[];
    /**
     * Number of all these areas.
     */
    area_count: number;
    anomaly_count: number;
    change_count: number;
    /**
     * Area of the ground of its changes; what several of them show counts once. Null without a change.
     */
    area_m2: number | null;
    /**
     * West, south, east, north of the areas and changes; west above east across the antimeridian.
     *
     * @minItems 4
     * @maxItems 4
     */
    bbox: number[];
    /**
     * Path of pictures of its largest change, before and after; null when it has no change.
     */
    images_url: string | null;
    /**
     * When it became visible to you.
     */
    opened_at: string;
    /**
     * When something about it changed last.
     */
    updated_at: string;
  };
  required?: [];
  additionalProperties?: never;
}
export interface WholeIncident {
  id: string;
  /**
   * What, where and when, in words.
   */
  title: string;
  /**
   * The highest of its anomalies and changes. A change counts by its area: from 1 ha medium, from 10 ha high, from 100 ha critical.
   */
  severity: 'low' | 'medium' | 'high' | 'critical';
  /**
   * `open` while an anomaly of it is active or ground of it moves; `standing` while nothing new happens and a change of the ground stands, such as a clearing; `closed` when all of it is over. One that is not open opens again when something joins that lasts.
   */
  status: 'open' | 'standing' | 'closed';
  /**
   * Perils that its anomalies and changes concern.
   */
  perils: ('flood' | 'subsidence' | 'wildfire' | 'storm')[];
  /**
   * Metrics of its anomalies and types of its changes.
   */
  kinds: string[];
  /**
   * First departure of any of them.
   */
  started_at: string;
  /**
   * End of the last of them; null unless it is closed.
   */
  ended_at: string | null;
  /**
   * Newest image or reading of the collections and stations in which its newest anomalies and changes were seen. What happened since then is not known, also while it is `open`.
   */
  last_observed_at: string | null;
  /**
   * Whether all of it was past when it was found: anomalies that ended more than 90 days before the newest observation, and changes that were known before you could see them. Its events are listed, and sent only for a subscription with `past`.
   */
  past: boolean;
  /**
   * Your areas that it concerns, the main one first; at most 20.
   */
  aoi_ids: string[];
  /**
   * Number of all these areas.
   */
  area_count: number;
  anomaly_count: number;
  change_count: number;
  /**
   * Area of the ground of its changes; what several of them show counts once. Null without a change.
   */
  area_m2: number | null;
  /**
   * West, south, east, north of the areas and changes; west above east across the antimeridian.
   *
   * @minItems 4
   * @maxItems 4
   */
  bbox: number[];
  /**
   * Path of pictures of its largest change, before and after; null when it has no change.
   */
  images_url: string | null;
  /**
   * When it became visible to you.
   */
  opened_at: string;
  /**
   * When something about it changed last.
   */
  updated_at: string;
  /**
   * Its anomalies, those that began last first; at most 500.
   */
  anomalies: IncidentAnomaly[];
  /**
   * Its changes, those that began last first; at most 500.
   */
  changes: IncidentChange[];
}
export interface IncidentAnomaly {
  id: string;
  metric: string;
  peril: Peril1;
  severity: 'low' | 'medium' | 'high' | 'critical';
  status: 'active' | 'ended';
  aoi_id: string;
  /**
   * First anomalous observation.
   */
  started_at: string;
  /**
   * First observation back within bounds.
   */
  ended_at: string | null;
  /**
   * Path of the anomaly.
   */
  url: string;
}
export interface IncidentChange {
  id: string;
  /**
   * As in the list of changes.
   */
  type: string;
  status: 'confirmed' | 'recovered';
  /**
   * Probability that the change is real.
   */
  confidence: number;
  area_m2: number;
  /**
   * First departure.
   */
  first_anomaly_at: string;
  /**
   * When it was confirmed.
   */
  confirmed_at: string | null;
  /**
   * Path of the change.
   */
  url: string;
  /**
   * Path of its pictures, before and after.
   */
  images_url: string;
}
export interface IncidentFeature {
  type: 'Feature';
  id: string;
  geometry: AreaGeometry;
  properties: {
    id: string;
    /**
     * What, where and when, in words.
     */
    title: string;
    /**
     * The highest of its anomalies and changes. A change counts by its area: from 1 ha medium, from 10 ha high, from 100 ha critical.
     */
    severity: 'low' | 'medium' | 'high' | 'critical';
    /**
     * `open` while an anomaly of it is active or ground of it moves; `standing` while nothing new happens and a change of the ground stands, such as a clearing; `closed` when all of it is over. One that is not open opens again when something joins that lasts.
     */
    status: 'open' | 'standing' | 'closed';
    /**
     * Perils that its anomalies and changes concern.
     */
    perils: ('flood' | 'subsidence' | 'wildfire' | 'storm')[];
    /**
     * Metrics of its anomalies and types of its changes.
     */
    kinds: string[];
    /**
     * First departure of any of them.
     */
    started_at: string;
    /**
     * End of the last of them; null unless it is closed.
     */
    ended_at: string | null;
    /**
     * Newest image or reading of the collections and stations in which its newest anomalies and changes were seen. What happened since then is not known, also while it is `open`.
     */
    last_observed_at: string | null;
    /**
     * Whether all of it was past when it was found: anomalies that ended more than 90 days before the newest observation, and changes that were known before you could see them. Its events are listed, and sent only for a subscription with `past`.
     */
    past: boolean;
    /**
     * Your areas that it concerns, the main one first; at most 20.
     */
    aoi_ids: string[];
    /**
     * Number of all these areas.
     */
    area_count: number;
    anomaly_count: number;
    change_count: number;
    /**
     * Area of the ground of its changes; what several of them show counts once. Null without a change.
     */
    area_m2: number | null;
    /**
     * West, south, east, north of the areas and changes; west above east across the antimeridian.
     *
     * @minItems 4
     * @maxItems 4
     */
    bbox: number[];
    /**
     * Path of pictures of its largest change, before and after; null when it has no change.
     */
    images_url: string | null;
    /**
     * When it became visible to you.
     */
    opened_at: string;
    /**
     * When something about it changed last.
     */
    updated_at: string;
    /**
     * Its anomalies, those that began last first; at most 500.
     */
    anomalies: IncidentAnomaly[];
    /**
     * Its changes, those that began last first; at most 500.
     */
    changes: IncidentChange[];
  };
  required?: [];
  additionalProperties?: never;
}
export interface Series {
  series: SeriesPoint[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface SeriesPoint {
  /**
   * Day of the observation.
   */
  t: string;
  v: number;
}
export interface Metrics {
  metrics: Metric[];
}
export interface Metric {
  key: string;
  unit: string;
  /**
   * Least and greatest value that makes sense; empty: unbounded.
   */
  range: number[];
  /**
   * How often it is observed.
   */
  period: string;
  source: string;
  /**
   * Perils that its anomalies speak for, each on the side that indicates it.
   */
  perils: Peril1[];
  /**
   * Metrics that it is computed from when they are ingested; empty: only as it was observed.
   */
  derived_from: string[];
  /**
   * Distance in metres from a station up to which its values speak for a place.
   */
  reach_m: number;
  /**
   * How many collections of yours hold it.
   */
  collections: number;
}
export interface Stations {
  stations: Station[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface Station {
  id: string;
  /**
   * Its name in the collection.
   */
  name: string;
  /**
   * Latitude in decimal degrees.
   */
  lat: number;
  /**
   * Longitude in decimal degrees.
   */
  lng: number;
  collection: string;
  /**
   * A key of GET /v1/metrics.
   */
  metric: string;
  unit: string;
  /**
   * How many it has.
   */
  observations: number;
  /**
   * When its first observation was made; null: it has none.
   */
  first_at: string | null;
  /**
   * When its last observation was made; null: it has none.
   */
  last_at: string | null;
  /**
   * Only in the sandbox: its observations are made up.
   */
  simulated?: true;
}
export interface Feeds {
  feeds: Feed[];
  stations: StationFeed[];
}
export interface Feed {
  id: string;
  name: string;
  /**
   * Address of the STAC catalogue, without its query.
   */
  url: string;
  /**
   * Metrics that are computed. Null: all that the scenes have the bands for.
   */
  metrics: string[] | null;
  /**
   * Scenes with more clouds are left out [%].
   */
  max_cloud: number;
  /**
   * Start of the history that each area gets.
   */
  from: string;
  /**
   * Interval between requests [hours].
   */
  every_hours: number;
  /**
   * When the catalogue was asked last for an area of yours; null: never.
   */
  asked_at: string | null;
  /**
   * When it is asked next.
   */
  next_at: string;
  /**
   * Your areas that it serves; at most 1,000, the oldest, are counted.
   */
  areas: number;
  /**
   * Those for which a request succeeded.
   */
  areas_served: number;
  /**
   * Those whose last request failed.
   */
  areas_failing: number;
  /**
   * All scenes taken before this are ingested, for every area that was served; null: none was.
   */
  taken_to: string | null;
  /**
   * The last error; null when every last request succeeded.
   */
  problem: string | null;
}
export interface StationFeed {
  id: string;
  /**
   * Name of the feed and of its collection.
   */
  name: string;
  /**
   * Who hands the series out, such as `usgs`.
   */
  provider: string;
  metric: string;
  /**
   * Start of the history.
   */
  from: string;
  /**
   * Interval between requests [hours].
   */
  every_hours: number;
  /**
   * When the provider was asked last; null: never.
   */
  asked_at: string | null;
  /**
   * When it is asked next.
   */
  next_at: string;
  /**
   * Number of stations.
   */
  stations: number;
  /**
   * Those for which a request succeeded, now or before.
   */
  stations_served: number;
  /**
   * The last error; null when every last request succeeded.
   */
  problem: string | null;
}
export interface Layers {
  layers: Layer[];
}
export interface Layer {
  /**
   * What the map shows, such as flood-depth.
   */
  layer: string;
  version: string;
  unit: string;
  /**
   * Null: the map has none.
   */
  return_period_years: number | null;
  /**
   * Distance of its values on the ground [m].
   */
  resolution_m: number;
  /**
   * Date of its data.
   */
  date: string;
  licence: string;
  source: string;
  /**
   * Perils whose models read it.
   */
  perils: Peril1[];
  /**
   * West, south, east, north of the box around it.
   *
   * @minItems 4
   * @maxItems 4
   */
  coverage: number[];
}
export interface CollectionList {
  collections: Collection[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface Collection {
  id: string;
  /**
   * Collections of one name hold the metrics of the same scenes.
   */
  name: string;
  /**
   * A key of GET /v1/metrics.
   */
  metric: string;
  unit: string;
  /**
   * Reference system of its grid, such as EPSG:32633.
   */
  crs: string;
  /**
   * Columns of its grid.
   */
  width: number;
  /**
   * Rows of its grid.
   */
  height: number;
  /**
   * Ground of one pixel in the middle of the grid.
   */
  pixel_area_m2: number;
  /**
   * West, south, east, north [degrees]. East is beyond 180 across the antimeridian.
   *
   * @minItems 4
   * @maxItems 4
   */
  bounds: number[];
  /**
   * When its first scene was acquired; null: it has none.
   */
  first_at: string | null;
  /**
   * When its last scene was acquired; null: it has none.
   */
  last_at: string | null;
  /**
   * Whether some of its scenes have a picture in true colour.
   */
  true_colour: boolean;
  /**
   * Only in the sandbox: its scenes are made up.
   */
  simulated?: true;
}
export interface Scenes {
  scenes: Scene[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface Scene {
  id: string;
  /**
   * Its id in the provenance of changes.
   */
  key: string;
  /**
   * What it was read from.
   */
  href: string;
  /**
   * When it was acquired.
   */
  datetime: string;
  /**
   * Share of its pixels that show something: neither masked nor missing.
   */
  clear_fraction: number;
  /**
   * SHA-256 of the samples read from the scene.
   */
  sha256: string;
  /**
   * Whether it has a picture in true colour: its source had red, green and blue, and a release from 1.4.0 on read it.
   */
  true_colour: boolean;
}
export interface ChangeImages {
  change_id: string;
  collection: {
    id: string;
    name: string;
  };
  metric: string;
  unit: string;
  /**
   * Only in the sandbox: nothing was observed.
   */
  simulated?: true;
  /**
   * The first observation that departed.
   */
  first_anomaly_at: string;
  /**
   * Centre of the pixel that departed first: the evidence in the provenance is of it.
   */
  seed: {
    /**
     * Latitude [degrees].
     */
    lat: number;
    /**
     * Longitude [degrees].
     */
    lng: number;
  };
  /**
   * Columns of both pictures.
   */
  width: number;
  /**
   * Rows of both pictures.
   */
  height: number;
  /**
   * Size of a pixel of the scene on the ground [m].
   */
  pixel_m: number;
  /**
   * Width of the ground that the pictures show [m].
   */
  width_m: number;
  /**
   * null: no scene before the change shows the place.
   */
  before: {
    /**
     * Path of the picture, a PNG.
     */
    url: string;
    /**
     * Path of the same ground in true colour, a PNG. null: the scene has no such picture.
     */
    true_colour_url: string | null;
    scene: {
      /**
       * Its id in the provenance of the change.
       */
      id: string;
      href: string;
      /**
       * When it was acquired.
       */
      datetime: string;
    };
    /**
     * Share of the change and the ground around it that the scene shows.
     */
    clear_fraction: number;
  } | null;
  /**
   * null: no scene since the change shows the place.
   */
  after: {
    /**
     * Path of the picture, a PNG.
     */
    url: string;
    /**
     * Path of the same ground in true colour, a PNG. null: the scene has no such picture.
     */
    true_colour_url: string | null;
    scene: {
      /**
       * Its id in the provenance of the change.
       */
      id: string;
      href: string;
      /**
       * When it was acquired.
       */
      datetime: string;
    };
    /**
     * Share of the change and the ground around it that the scene shows.
     */
    clear_fraction: number;
  } | null;
  legend: Legend;
}
/**
 * What the colours mean.
 */
export interface Legend {
  /**
   * Name of the colour ramp; docs/pictures.md shows each.
   */
  ramp: string;
  /**
   * Value of the first colour. Lower values have it too.
   */
  min: number;
  /**
   * Value of the last colour. Higher values have it too.
   */
  max: number;
  /**
   * Colours at equal steps from min to max. Between two of them they are interpolated.
   */
  colours: string[];
}
export interface SceneTiles {
  tilejson: '3.0.0';
  name: string;
  scheme: 'xyz';
  /**
   * Address of the tiles, at the host that was called.
   */
  tiles: string[];
  /**
   * Tiles of a lower zoom are empty.
   */
  minzoom: number;
  /**
   * Tiles of a higher zoom show nothing more.
   */
  maxzoom: number;
  /**
   * West, south, east, north [degrees].
   *
   * @minItems 4
   * @maxItems 4
   */
  bounds: number[];
  scene: {
    id: string;
    /**
     * When it was acquired.
     */
    datetime: string;
  };
  collection: {
    id: string;
    name: string;
    metric: string;
  };
  legend?: Legend;
}
export interface RiskTiles {
  tilejson: '3.0.0';
  name: string;
  scheme: 'xyz';
  /**
   * Address of the tiles, at the host that was called.
   */
  tiles: string[];
  /**
   * Tiles of a lower zoom are empty.
   */
  minzoom: number;
  /**
   * Tiles of a higher zoom show nothing more.
   */
  maxzoom: number;
  /**
   * West, south, east, north [degrees].
   *
   * @minItems 4
   * @maxItems 4
   */
  bounds: number[];
  peril: Peril1;
  /**
   * Version of the model of the peril.
   */
  model_version: string;
  legend: Legend;
}
export interface LayerTiles {
  tilejson: '3.0.0';
  name: string;
  scheme: 'xyz';
  /**
   * Address of the tiles, at the host that was called.
   */
  tiles: string[];
  /**
   * Tiles of a lower zoom are empty.
   */
  minzoom: number;
  /**
   * Tiles of a higher zoom show nothing more.
   */
  maxzoom: number;
  /**
   * West, south, east, north [degrees].
   *
   * @minItems 4
   * @maxItems 4
   */
  bounds: number[];
  layer: string;
  unit: string;
  /**
   * Null: the layer has none.
   */
  return_period_years: number | null;
  /**
   * The maps that are shown, the finest first. Where several lie, the finest is shown.
   */
  maps: {
    version: string;
    /**
     * Distance of its values on the ground [m].
     */
    resolution_m: number;
    /**
     * Date of its data.
     */
    date: string;
    licence: string;
    source: string;
  }[];
  legend: Legend;
}
export interface VectorTiles {
  tilejson: '3.0.0';
  name: string;
  scheme: 'xyz';
  /**
   * Address of the tiles, at the host that was called.
   */
  tiles: string[];
  /**
   * Tiles of a lower zoom are empty.
   */
  minzoom: number;
  /**
   * Tiles of a higher zoom show nothing more.
   */
  maxzoom: number;
  /**
   * West, south, east, north [degrees].
   *
   * @minItems 4
   * @maxItems 4
   */
  bounds: number[];
  vector_layers: {
    id: string;
    description: string;
    /**
     * Type of each property: String, Number or Boolean.
     */
    fields: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: string;
    };
  }[];
}
export interface OgcLanding {
  title: string;
  description: string;
  links: OgcLink[];
}
export interface OgcLink {
  href: string;
  rel: string;
  /**
   * Media type of what is there.
   */
  type?: string;
  title?: string;
}
export interface OgcConformance {
  conformsTo: string[];
}
export interface OgcCollections {
  collections: OgcCollection[];
  links: OgcLink[];
}
export interface OgcCollection {
  id: string;
  title: string;
  description: string;
  extent: {
    spatial: {
      bbox: number[][];
      crs: string;
    };
  };
  /**
   * Absent for `series`, which has no items.
   */
  itemType?: 'feature';
  /**
   * Only of `series`: tells clients of features to leave it out.
   */
  layerDataType?: 'Coverage';
  crs: string[];
  output_formats?: string[];
  data_queries?: {
    position: {
      link: {
        href: string;
        rel: 'data';
        type: string;
        title: string;
        variables: {
          title: string;
          query_type: 'position';
          output_formats: string[];
          default_output_format: string;
          crs_details: {
            crs: string;
            wkt: string;
          }[];
        };
      };
    };
  };
  /**
   * What can be asked for: the metrics of which there is a collection.
   */
  parameter_names?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: {
      type: 'Parameter';
      id: string;
      description: string;
      unit: {
        symbol: string;
      };
      observedProperty: {
        id: string;
        label: string;
      };
    };
  };
  links: OgcLink[];
}
export interface OgcFeatures {
  type: 'FeatureCollection';
  features: {
    type: 'Feature';
    id: string;
    geometry: AreaGeometry;
    properties: {
      [k: string]: unknown;
    };
  }[];
  numberReturned: number;
  links: OgcLink[];
}
export interface OgcFeature {
  type: 'Feature';
  id: string;
  geometry: AreaGeometry;
  properties: {
    [k: string]: unknown;
  };
  links: OgcLink[];
  required?: [];
  additionalProperties?: never;
}
export interface StacCatalog {
  type: 'Catalog';
  stac_version: '1.1.0';
  id: string;
  title: string;
  description: string;
  conformsTo: string[];
  links: StacLink[];
}
export interface StacLink {
  href: string;
  rel: string;
  /**
   * Media type of what is there.
   */
  type?: string;
  title?: string;
  method?: 'GET' | 'POST';
  body?: {
    [k: string]: unknown;
  };
  /**
   * Whether `body` is added to the body sent before.
   */
  merge?: boolean;
}
export interface StacConformance {
  conformsTo: string[];
}
export interface StacCollections {
  collections: StacCollection[];
  links: StacLink[];
}
export interface StacCollection {
  type: 'Collection';
  stac_version: '1.1.0';
  stac_extensions: string[];
  id: string;
  title: string;
  description: string;
  license: string;
  extent: {
    spatial: {
      bbox: number[][];
    };
    temporal: {
      interval: (string | null)[][];
    };
  };
  summaries: {
    [k: string]: unknown;
  };
  item_assets: {
    [k: string]: unknown;
  };
  links: StacLink[];
}
export interface StacItems {
  type: 'FeatureCollection';
  features: {
    type: 'Feature';
    stac_version: '1.1.0';
    stac_extensions: string[];
    id: string;
    collection: string;
    geometry: {
      type: 'Polygon' | 'MultiPolygon';
      coordinates: unknown[];
    };
    /**
     * @minItems 4
     * @maxItems 4
     */
    bbox: number[];
    properties: {
      [k: string]: unknown;
    };
    /**
     * Files of the scene. `values` has its samples; the others have the changes known on its day.
     */
    assets: {
      [k: string]: unknown;
    };
    links: StacLink[];
  }[];
  numberReturned: number;
  links: StacLink[];
}
export interface StacItem {
  type: 'Feature';
  stac_version: '1.1.0';
  stac_extensions: string[];
  id: string;
  collection: string;
  geometry: {
    type: 'Polygon' | 'MultiPolygon';
    coordinates: unknown[];
  };
  /**
   * @minItems 4
   * @maxItems 4
   */
  bbox: number[];
  properties: {
    [k: string]: unknown;
  };
  /**
   * Files of the scene. `values` has its samples; the others have the changes known on its day.
   */
  assets: {
    [k: string]: unknown;
  };
  links: StacLink[];
  required?: [];
  additionalProperties?: never;
}
export interface Sandbox {
  /**
   * `absent` where the operator left the region out; `being_made` in the first seconds after the first start.
   */
  status: 'absent' | 'being_made' | 'ready';
  /**
   * Share of its history that is made.
   */
  progress: number;
  /**
   * The first simulated day that nothing has been observed of yet.
   */
  date: string | null;
  /**
   * West, south, east and north of the region, decimal degrees: in the open Atlantic.
   */
  bounds: number[];
  /**
   * Nothing in this environment was observed.
   */
  simulated: true;
}
export interface SandboxAdvance {
  /**
   * Simulated days. The satellite passes each fifth day.
   */
  days: number;
}
export interface SandboxStep {
  /**
   * The first simulated day that nothing has been observed of yet.
   */
  date: string;
  /**
   * Days that it was moved by.
   */
  days: number;
  /**
   * Satellite scenes that came in.
   */
  scenes: number;
  /**
   * Observations of stations that came in.
   */
  observations: number;
  /**
   * Changes, of any status, that are new or of which more is known.
   */
  changes: {
    inserted: number;
    updated: number;
  };
}
/**
 * Either `url` or `email` is required.
 */
export interface NewWebhook {
  /**
   * HTTPS address on port 443 or from 1024 up, without credentials, on a public address.
   */
  url?: string;
  /**
   * E-mail address that gets the events as mails, in place of `url`. It first gets a mail that asks its recipient to confirm it within 24 hours. Until then it gets nothing else.
   */
  email?: string;
  /**
   * Event types to deliver; `*` is all of them but change.suspected, which has to be named.
   *
   * @minItems 1
   * @maxItems 13
   */
  events: EventChoice[];
}
export interface WebhookSecret {
  id: string;
  /**
   * Absent for an e-mail address.
   */
  secret?: string;
}
export interface Webhooks {
  webhooks: Webhook[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface Webhook {
  id: string;
  /**
   * Of an e-mail address it is `mailto:` and the address.
   */
  url: string;
  /**
   * Absent for a webhook.
   */
  email?: string;
  events: string[];
  /**
   * `unconfirmed`: an e-mail address whose recipient has not confirmed it.
   */
  status: 'active' | 'disabled' | 'unconfirmed';
  disabled_reason: string | null;
  /**
   * When it was registered.
   */
  created_at: string;
}
export interface WebhookPatch {
  /**
   * HTTPS address on port 443 or from 1024 up, without credentials, on a public address.
   */
  url?: string;
  /**
   * Event types to deliver; `*` is all of them but change.suspected, which has to be named.
   *
   * @minItems 1
   * @maxItems 13
   */
  events?: EventChoice[];
  status?: 'active' | 'disabled';
}
export interface QueuedEvent {
  event_id: string;
}
export interface RotatedSecret {
  id: string;
  secret: string;
  /**
   * Until when the secret before it goes on signing.
   */
  previous_secret_until: string;
}
export interface Deliveries {
  deliveries: Delivery[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface Delivery {
  id: string;
  event_id: string;
  event_type: string;
  /**
   * `dead`: the schedule is spent, or the endpoint was disabled; it can be sent again.
   */
  status: 'pending' | 'succeeded' | 'dead';
  /**
   * How often it was tried so far.
   */
  attempts: number;
  /**
   * When the event happened.
   */
  created_at: string;
  /**
   * When it will be tried again.
   */
  next_attempt_at: string | null;
  last_attempt: {
    /**
     * When it was made.
     */
    at: string;
    /**
     * HTTP status, or reply code of the mail server; null when there was none.
     */
    status: number | null;
    duration_ms: number;
    error: string | null;
  } | null;
}
export interface DeliveryDetail {
  id: string;
  event_id: string;
  event_type: string;
  /**
   * `dead`: the schedule is spent, or the endpoint was disabled; it can be sent again.
   */
  status: 'pending' | 'succeeded' | 'dead';
  /**
   * How often it was tried so far.
   */
  attempts: number;
  /**
   * When the event happened.
   */
  created_at: string;
  /**
   * When it will be tried again.
   */
  next_attempt_at: string | null;
  last_attempt: {
    /**
     * When it was made.
     */
    at: string;
    /**
     * HTTP status, or reply code of the mail server; null when there was none.
     */
    status: number | null;
    duration_ms: number;
    error: string | null;
  } | null;
  /**
   * The event as it is sent.
   */
  payload: {
    [k: string]: unknown;
  };
  /**
   * Every attempt, the first made first.
   */
  attempt_log: {
    /**
     * When it was made.
     */
    at: string;
    /**
     * HTTP status, or reply code of the mail server; null when there was none.
     */
    status: number | null;
    duration_ms: number;
    error: string | null;
    /**
     * First kilobyte of what the endpoint or the mail server answered.
     */
    answer: string;
  }[];
}
export interface RedeliverFailed {
  /**
   * Of events from this time on. RFC 3339 timestamp, or YYYY-MM-DD.
   */
  since: string;
}
export interface QueuedDeliveries {
  queued: number;
}
export interface Events {
  events: Event[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface RiskThresholdExceededEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'risk.threshold_exceeded';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: RiskThresholdEventData;
}
/**
 * A watched score that crossed its threshold upward.
 */
export interface RiskThresholdEventData {
  /**
   * The risk watch that was crossed.
   */
  watch_id?: string;
  /**
   * Or the anomaly subscription.
   */
  subscription_id?: string;
  /**
   * The area watched.
   */
  aoi_id?: string;
  /**
   * Latitude in decimal degrees.
   */
  lat?: number;
  /**
   * Longitude in decimal degrees.
   */
  lng?: number;
  peril: Peril1;
  threshold: number;
  risk_score: number;
  previous_score: number;
  confidence: number;
  model_version: string;
  /**
   * Path at which the API gives the whole resource, provenance included: put it after the address by which you call the API.
   */
  url?: string;
}
export interface ChangeSuspectedEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'change.suspected';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: ChangeEventData;
}
/**
 * The change as the API gives it, without provenance and versions; geometry of at most 200 vertices.
 */
export interface ChangeEventData {
  id: string;
  /**
   * One of vegetation_loss, vegetation_gain, conversion, burn, water_gain, water_loss, built_up, ground_subsidence, ground_uplift; an open set: ignore types you do not know. `conversion`: a lasting change of seasonality, perennial cover to crops or the reverse.
   */
  type: string;
  /**
   * The day it was confirmed, or flagged while suspected.
   */
  detected_at: string;
  /**
   * Probability that the change is real and lasting. What came of older claims in the collection moves it. 0 once it is rejected.
   */
  confidence: number;
  status: 'suspected' | 'confirmed' | 'recovered' | 'rejected';
  /**
   * The first observation that departed.
   */
  first_anomaly_at: string;
  /**
   * The day it was confirmed.
   */
  confirmed_at: string | null;
  /**
   * The day the signal was back.
   */
  recovered_at: string | null;
  geometry: AreaGeometry;
  /**
   * Geodesic area on WGS84.
   */
  area_m2: number;
  /**
   * Median signed departure, in units of the metric.
   */
  magnitude: number;
  metric: string;
  /**
   * Those of your areas that it touches.
   */
  aoi_ids: string[];
  /**
   * When this service first recorded it.
   */
  created_at: string;
  /**
   * When anything in it last changed.
   */
  updated_at: string;
  /**
   * Path at which the API gives the whole resource, provenance included: put it after the address by which you call the API.
   */
  url: string;
  /**
   * Path of its pictures: the ground before and after it. Absent in events of releases before 1.4.0.
   */
  images_url?: string;
}
export interface ChangeDetectedEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'change.detected';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: ChangeEventData;
}
export interface ChangeUpdatedEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'change.updated';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: ChangeEventData;
}
export interface AnomalyDetectedEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'anomaly.detected';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: AnomalyEventData;
}
/**
 * The anomaly as the API gives it, without provenance.
 */
export interface AnomalyEventData {
  id: string;
  /**
   * By the two-sided tail probability of the robust residual: .05, .01, .001, .0001.
   */
  severity: 'low' | 'medium' | 'high' | 'critical';
  status: 'active' | 'ended';
  peril: Peril1;
  aoi_id: string;
  /**
   * Where it was measured; null: the mean over the area of a grid.
   */
  station: {
    name: string;
    /**
     * Latitude in decimal degrees.
     */
    lat: number;
    /**
     * Longitude in decimal degrees.
     */
    lng: number;
  } | null;
  metric: string;
  /**
   * At the most extreme observation.
   */
  value: number;
  expected: number;
  /**
   * Value less expected.
   */
  residual: number;
  /**
   * First anomalous observation.
   */
  started_at: string;
  /**
   * Most extreme observation so far.
   */
  detected_at: string;
  /**
   * First observation back within bounds.
   */
  ended_at: string | null;
  /**
   * Path at which the API gives the whole resource, provenance included: put it after the address by which you call the API.
   */
  url: string;
  /**
   * Whether it had ended more than 90 days before the newest observation when it was found: sent only for a subscription with `past`.
   */
  past?: boolean;
}
export interface AnomalyEndedEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'anomaly.ended';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: AnomalyEventData;
}
export interface IncidentOpenedEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'incident.opened';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: IncidentEventData;
}
/**
 * The incident as the list of the API gives it.
 */
export interface IncidentEventData {
  id: string;
  /**
   * What, where and when, in words.
   */
  title: string;
  /**
   * The highest of its anomalies and changes. A change counts by its area: from 1 ha medium, from 10 ha high, from 100 ha critical.
   */
  severity: 'low' | 'medium' | 'high' | 'critical';
  /**
   * `open` while an anomaly of it is active or ground of it moves; `standing` while nothing new happens and a change of the ground stands, such as a clearing; `closed` when all of it is over. One that is not open opens again when something joins that lasts.
   */
  status: 'open' | 'standing' | 'closed';
  /**
   * Perils that its anomalies and changes concern.
   */
  perils: ('flood' | 'subsidence' | 'wildfire' | 'storm')[];
  /**
   * Metrics of its anomalies and types of its changes.
   */
  kinds: string[];
  /**
   * First departure of any of them.
   */
  started_at: string;
  /**
   * End of the last of them; null unless it is closed.
   */
  ended_at: string | null;
  /**
   * Newest image or reading of the collections and stations in which its newest anomalies and changes were seen. What happened since then is not known, also while it is `open`.
   */
  last_observed_at: string | null;
  /**
   * Whether all of it was past when it was found: anomalies that ended more than 90 days before the newest observation, and changes that were known before you could see them. Its events are listed, and sent only for a subscription with `past`.
   */
  past: boolean;
  /**
   * Your areas that it concerns, the main one first; at most 20.
   */
  aoi_ids: string[];
  /**
   * Number of all these areas.
   */
  area_count: number;
  anomaly_count: number;
  change_count: number;
  /**
   * Area of the ground of its changes; what several of them show counts once. Null without a change.
   */
  area_m2: number | null;
  /**
   * West, south, east, north of the areas and changes; west above east across the antimeridian.
   *
   * @minItems 4
   * @maxItems 4
   */
  bbox: number[];
  /**
   * Path of pictures of its largest change, before and after; null when it has no change.
   */
  images_url: string | null;
  /**
   * When it became visible to you.
   */
  opened_at: string;
  /**
   * When something about it changed last.
   */
  updated_at: string;
  /**
   * Path at which the API gives the whole resource, provenance included: put it after the address by which you call the API.
   */
  url: string;
  /**
   * Only when nothing of the incident is left: the incident that its members belong to now; null when they are gone.
   */
  merged_into?: string | null;
}
export interface IncidentUpdatedEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'incident.updated';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: IncidentEventData;
}
export interface IncidentClosedEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'incident.closed';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: IncidentEventData;
}
export interface IncidentDigestEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'incident.digest';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: IncidentDigestEventData;
}
/**
 * The incidents of a subscription that began or changed.
 */
export interface IncidentDigestEventData {
  subscription_id: string;
  aoi_id: string;
  digest: 'hourly' | 'daily';
  /**
   * End of the digest before.
   */
  from: string;
  /**
   * End of this digest.
   */
  to: string;
  incident_count: number;
  /**
   * Those that began last, at most 20.
   */
  incidents: Incident[];
  /**
   * Path at which the API gives the whole resource, provenance included: put it after the address by which you call the API.
   */
  url: string;
}
export interface WebhookDisabledEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'webhook.disabled';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: WebhookDisabledEventData;
}
/**
 * A webhook endpoint that was disabled.
 */
export interface WebhookDisabledEventData {
  webhook_id: string;
  /**
   * The address that gets nothing more.
   */
  endpoint_url: string;
  reason: string;
  /**
   * First failure after the last success.
   */
  failing_since: string;
  /**
   * When deliveries to it were stopped.
   */
  disabled_at: string;
  /**
   * Path at which the API gives the whole resource, provenance included: put it after the address by which you call the API.
   */
  url: string;
}
export interface WebhookTestEvent {
  /**
   * The same in every attempt: drop what you have already handled.
   */
  id: string;
  type: 'webhook.test';
  /**
   * When it happened.
   */
  created_at: string;
  environment: 'sandbox' | 'staging' | 'production';
  data: TestEventData;
}
/**
 * Nothing to act on.
 */
export interface TestEventData {
  [k: string]: unknown;
}
export interface NewKey {
  /**
   * What it is for; for people to read.
   */
  name?: string;
  /**
   * What it may do. Only scopes that the calling credential holds can be given.
   *
   * @minItems 1
   * @maxItems 14
   */
  scopes: Scope[];
  /**
   * Units a minute; 0 is unlimited. At most the limit of the calling credential.
   */
  limit?: number;
  /**
   * Days until it expires; at most the lifetime of the key that makes it, which is also what it gets when that is shorter and nothing is asked.
   */
  expires_in_days?: number;
}
export interface KeySecret {
  id: string;
  /**
   * The key itself, shown in this answer only.
   */
  key: string;
  scopes: string[];
  limit: number;
  /**
   * When it ends; null: never.
   */
  expires_at: string | null;
}
export interface Keys {
  keys: Key[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface Key {
  id: string;
  name: string | null;
  environment: 'sandbox' | 'staging' | 'production';
  scopes: string[];
  /**
   * Units a minute; 0 is unlimited.
   */
  limit: number;
  /**
   * `expiring`: it ends within 14 days.
   */
  status: 'active' | 'expiring' | 'expired';
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * When it ends: by its age, or because it was replaced; null: never.
   */
  expires_at: string | null;
  /**
   * When it was last used, to the minute.
   */
  last_used_at: string | null;
  /**
   * What has to be done about it soon; null: nothing.
   */
  warning: string | null;
}
export interface KeySuccessor {
  id: string;
  /**
   * The key itself, shown in this answer only.
   */
  key: string;
  scopes: string[];
  limit: number;
  /**
   * When it ends; null: never.
   */
  expires_at: string | null;
  /**
   * The key that it replaces.
   */
  replaces: string;
  /**
   * Until when the replaced key works.
   */
  old_key_ends_at: string;
}
export interface NewOAuthClient {
  /**
   * What it is for; for people to read.
   */
  name?: string;
  /**
   * What it may do. Only scopes that the calling credential holds can be given.
   *
   * @minItems 1
   * @maxItems 14
   */
  scopes: Scope[];
  /**
   * Units a minute; 0 is unlimited. At most the limit of the calling credential.
   */
  limit?: number;
  jwks?: JwkSet;
}
/**
 * Public keys (RFC 7517): EC P-256, Ed25519, or RSA of 2048 bits or more. Several need a `kid` each. A client with keys has no secret: it proves itself with `client_assertion`, a JWT of at most 300 s that one of its keys signed (`private_key_jwt`).
 */
export interface JwkSet {
  /**
   * @minItems 1
   * @maxItems 5
   */
  keys: {
    [k: string]: unknown;
  }[];
}
export interface OAuthClientSecret {
  client_id: string;
  /**
   * Shown in this answer only. Absent when `jwks` was given.
   */
  client_secret?: string;
  scopes: string[];
  limit: number;
}
export interface OAuthClients {
  clients: OAuthClient[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface OAuthClient {
  client_id: string;
  name: string | null;
  environment: 'sandbox' | 'staging' | 'production';
  scopes: string[];
  /**
   * Units a minute of all its tokens together; 0 is unlimited.
   */
  limit: number;
  /**
   * How it proves itself when it asks for a token.
   */
  token_endpoint_auth_method: 'client_secret' | 'private_key_jwt';
  /**
   * Until when the keys before the present ones still prove it; null: they do not.
   */
  former_keys_until: string | null;
  /**
   * When it was made.
   */
  created_at: string;
  /**
   * When it or a token of it was last used, to the minute.
   */
  last_used_at: string | null;
}
export interface OAuthClientKeys {
  jwks: JwkSet;
}
export interface Usage {
  /**
   * The key or client that asks.
   */
  credential_id: string;
  /**
   * Its units a minute; 0 is unlimited.
   */
  limit: number;
  /**
   * Units that it has left now; 0 where there is no limit.
   */
  remaining: number;
  /**
   * Newest day first; a day without calls is left out.
   */
  days: {
    /**
     * The day, UTC.
     */
    day: string;
    credential_id: string;
    units: number;
  }[];
}
export interface Account {
  id: string;
  name: string;
  /**
   * When it was made.
   */
  created_at: string;
  caller: Caller;
}
export interface Caller {
  /**
   * Id of the key, client or member.
   */
  id: string;
  environment: 'sandbox' | 'staging' | 'production';
  /**
   * What it may do.
   */
  scopes: string[];
}
export interface NewMember {
  /**
   * E-mail address, as the OpenID provider knows it. Letter case does not matter.
   */
  email: string;
  /**
   * What the member may do.
   */
  role: 'viewer' | 'analyst' | 'admin' | 'billing';
}
export interface Member {
  /**
   * What the audit log and the usage call the member.
   */
  id: string;
  email: string;
  /**
   * What the member may do.
   */
  role: 'viewer' | 'analyst' | 'admin' | 'billing';
  /**
   * `invited`: has not signed in yet.
   */
  status: 'invited' | 'active';
  /**
   * When the member was invited.
   */
  created_at: string;
  /**
   * When the member last signed in; null: never.
   */
  last_sign_in_at: string | null;
}
export interface Members {
  members: Member[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface MemberChange {
  /**
   * What the member may do.
   */
  role: 'viewer' | 'analyst' | 'admin' | 'billing';
}
export interface AuditRecords {
  records: AuditRecord[];
  /**
   * Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.
   */
  next_cursor?: string;
}
export interface AuditRecord {
  /**
   * When it was recorded.
   */
  at: string;
  /**
   * Id of the key, client or member; `operator` and a name for the command line of the installation.
   */
  actor: string;
  /**
   * The operation, such as `createKey`, or the command.
   */
  action: string;
  /**
   * Id of what was acted on; null: nothing has one.
   */
  target: string | null;
  /**
   * Null: the whole account, as a sign-in.
   */
  environment: string | null;
  /**
   * Address of the caller.
   */
  address: string | null;
  request_id: string | null;
  /**
   * `done`, or why it was refused.
   */
  result: string;
  /**
   * How many equal actions within ten seconds it stands for.
   */
  count: number;
}
export interface Error {
  error: {
    code: 'bad_request' | 'unauthorized' | 'forbidden' | 'not_found' | 'rate_limited' | 'server_error';
    /**
     * What was wrong, what was expected and what came.
     */
    message: string;
    /**
     * The field at fault, such as `locations[17].lat`.
     */
    param?: string;
    /**
     * Every field at fault (the first 100).
     */
    details?: {
      param: string;
      message: string;
    }[];
    request_id: string;
  };
}
