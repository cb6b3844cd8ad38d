/** What the examples of an operation's parameters, body and first answer are. */
export interface OperationExample {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly answer?: unknown;
}

const AOI = 'aoi_01k9q3v8gze7q8w1n5s0t4b6y0';
const CHANGE = 'chg_01k9q3v8gze7q8w1n5s0t4b6y1';
const ANOMALY = 'an_01k9q3v8gze7q8w1n5s0t4b6y2';
const SUBSCRIPTION = 'sub_01k9q3v8gze7q8w1n5s0t4b6y3';
const WATCH = 'rw_01k9q3v8gze7q8w1n5s0t4b6wd';
const WEBHOOK = 'wh_01k9q3v8gze7q8w1n5s0t4b6y4';
const EVENT = 'evt_01k9q3v8gze7q8w1n5s0t4b6y5';
const DELIVERY = 'dlv_01k9q3v8gze7q8w1n5s0t4b6y6';
const KEY = 'key_01k9q3v8gze7q8w1n5s0t4b6y7';
const NEXT_KEY = 'key_01k9q3v8gze7q8w1n5s0t4b6y8';
const CLIENT = 'cli_01k9q3v8gze7q8w1n5s0t4b6y9';

const geometry = {
  type: 'Polygon',
  coordinates: [
    [
      [14.46, 46.04],
      [14.52, 46.04],
      [14.52, 46.08],
      [14.46, 46.08],
      [14.46, 46.04],
    ],
  ],
} as const;

const aoi = {
  id: AOI,
  name: 'Ljubljana west',
  geometry,
  area_m2: 20_652_000,
  created_at: '2026-11-02T09:30:00.000Z',
};

const subscription = {
  subscription_id: SUBSCRIPTION,
  status: 'active',
  aoi_id: AOI,
  perils: ['flood', 'wildfire'],
  created_at: '2026-11-02T09:31:00.000Z',
};

const webhook = {
  id: WEBHOOK,
  url: 'https://hooks.example.com/groundwatch',
  events: ['change.detected', 'anomaly.detected'],
  status: 'active',
  disabled_reason: null,
  created_at: '2026-11-02T09:32:00.000Z',
};

const change = {
  id: CHANGE,
  type: 'vegetation_loss',
  detected_at: '2026-08-31',
  confidence: 0.98,
  status: 'confirmed',
  first_anomaly_at: '2026-07-12',
  confirmed_at: '2026-08-31',
  recovered_at: null,
  geometry,
  area_m2: 4_100,
  magnitude: -0.15,
  metric: 'ndvi',
  aoi_ids: [AOI],
  created_at: '2026-09-01T02:10:00.000Z',
  updated_at: '2026-09-01T02:10:00.000Z',
};

const provenance = {
  collection: { id: 'col_01k9q3v8gze7q8w1n5s0t4b6y7', name: 'ljubljana-s2', metric: 'ndvi' },
  scenes: [
    {
      id: 'scn_01k9q3v8gze7q8w1n5s0t4b6y8',
      href: 'ndvi.tif#band=17',
      datetime: '2026-07-12T10:00:00.000Z',
      role: 'monitoring',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  ],
  baseline: { kind: 'harmonic', observations: 41 },
  evidence: [{ date: '2026-07-12', statistic: -4.2, boundary: -2.6, posterior: 0.71 }],
  pixels: { seed: 5_120, runs: [5_120, 3, 5_221, 4] },
  grid: { crs: 'EPSG:32633', width: 101, height: 100 },
  method: 'harmonic-ewma',
  parameters: { ewma_lambda: 0.3 },
  model_version: 'change-v1.0.0',
  software_version: '1.3.0',
  digest: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
};

const anomaly = {
  id: ANOMALY,
  severity: 'high',
  status: 'active',
  peril: 'wildfire',
  aoi_id: AOI,
  station: null,
  metric: 'ndvi',
  value: 0.41,
  expected: 0.66,
  residual: -0.25,
  started_at: '2026-08-21T10:00:00.000Z',
  detected_at: '2026-08-31T10:00:00.000Z',
  ended_at: null,
  provenance: { baseline: 'harmonic', observations: 41 },
};

const assessment = { risk_score: 0.62, confidence: 0.44 };

const watch = {
  id: WATCH,
  lat: 52.37,
  lng: 4.89,
  peril: 'flood',
  threshold: 0.7,
  status: 'active',
  ...assessment,
  above: false,
  model_version: 'flood-v1.0.0',
  scored_at: '2026-09-01T02:10:00.000Z',
  created_at: '2026-09-01T02:10:00.000Z',
};

const delivery = {
  id: DELIVERY,
  event_id: EVENT,
  event_type: 'change.detected',
  status: 'succeeded',
  attempts: 2,
  created_at: '2026-09-01T02:10:00.000Z',
  next_attempt_at: null,
  last_attempt: { at: '2026-09-01T02:10:05.300Z', status: 204, duration_ms: 85, error: null },
};

const happened = { id: EVENT, created_at: '2026-09-01T02:10:00.000Z', environment: 'production' } as const;
const changeDetected = {
  ...happened,
  type: 'change.detected',
  data: { ...change, url: `/v1/changes/${CHANGE}` },
};

const key = {
  id: KEY,
  name: 'nightly portfolio run',
  environment: 'production',
  scopes: ['risk:read'],
  limit: 600,
  status: 'expiring',
  created_at: '2026-09-01T08:00:00.000Z',
  expires_at: '2026-11-30T08:00:00.000Z',
  last_used_at: '2026-11-18T02:10:00.000Z',
  warning: `Ends in 11 days: replace it with POST /v1/keys/${KEY}/rotate`,
};
const newKey = {
  id: NEXT_KEY,
  key: `gw_production_${NEXT_KEY}_Zx8b0P6mTq2LrW4sVn7yKc3dHf9gJa1eB0r5uM`,
  scopes: ['risk:read'],
  limit: 600,
  expires_at: '2027-02-17T08:00:00.000Z',
};
const client = {
  client_id: CLIENT,
  name: 'underwriting',
  environment: 'production',
  scopes: ['risk:read', 'changes:read'],
  limit: 600,
  created_at: '2026-09-01T08:00:00.000Z',
  last_used_at: null,
};

/** A worked example of each operation: values that pass its schemas, by operation id. */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = {
  assessRisk: {
    parameters: { lat: 52.37, lng: 4.89, peril: 'flood' },
    answer: { ...assessment, model_version: 'flood-v1.0.0' },
  },
  assessRiskBatch: {
    body: {
      locations: [
        { lat: 52.37, lng: 4.89, peril: 'flood' },
        { lat: 25.76, lng: -80.19, peril: 'storm' },
      ],
    },
    answer: { results: [assessment, { risk_score: 0.71, confidence: 0.52 }] },
  },
  listModels: {
    answer: {
      models: [
        {
          peril: 'flood',
          model_version: 'flood-v1.0.0',
          method: 'Depth at return periods and a depth-damage curve, integrated to annual damage.',
          layers: ['elevation', 'coast', 'rivers'],
          layer_versions: [
            {
              layer: 'elevation',
              version: 'etopo5-2026.1',
              unit: 'm',
              return_period_years: null,
              resolution_m: 9277,
              date: '1988-01-01',
              licence: 'public domain',
            },
          ],
          citations: ['Huizinga, de Moel & Szewczyk (2017), doi:10.2760/16510'],
          limits: ['No protection standards are known.'],
          calibration: {
            status: 'calibrated',
            ece: 0.0126,
            coverage_90: 0.891,
            cases: 20000,
            checks: [{ basis: 'map', cases: 20000, ece: 0.0126, raw_ece: 0.0903, coverage_90: 0.891 }],
            note: 'Simulated places with known hazard and building.',
          },
        },
      ],
    },
  },
  createRiskWatch: {
    body: { lat: 52.37, lng: 4.89, peril: 'flood', threshold: 0.7 },
    answer: watch,
  },
  listRiskWatches: { answer: { watches: [watch] } },
  getRiskWatch: { parameters: { id: WATCH }, answer: watch },
  deleteRiskWatch: { parameters: { id: WATCH } },
  createAoi: { body: { name: 'Ljubljana west', geometry }, answer: aoi },
  listAois: { answer: { aois: [aoi] } },
  getAoi: {
    parameters: { id: AOI },
    answer: {
      ...aoi,
      imagery: [
        {
          collection: 'ljubljana',
          metric: 'ndvi',
          scenes: 212,
          first_at: '2022-01-04T10:01:21.000Z',
          last_at: '2026-10-30T10:01:19.000Z',
        },
      ],
    },
  },
  renameAoi: {
    parameters: { id: AOI },
    body: { name: 'Ljubljana, west bank' },
    answer: { ...aoi, name: 'Ljubljana, west bank' },
  },
  deleteAoi: { parameters: { id: AOI } },
  listChanges: {
    parameters: { aoi_id: AOI, since: '2026-01-01' },
    answer: { changes: [{ id: CHANGE, type: 'vegetation_loss', confidence: 0.98 }] },
  },
  getChange: { parameters: { id: CHANGE }, answer: { ...change, provenance } },
  listAnomalies: {
    parameters: { since: '2026-01-01' },
    answer: { anomalies: [{ id: ANOMALY, severity: 'high' }] },
  },
  subscribeToAnomalies: {
    body: { aoi_id: AOI, perils: ['flood', 'wildfire'] },
    answer: { subscription_id: SUBSCRIPTION, status: 'active' },
  },
  listSubscriptions: { answer: { subscriptions: [subscription] } },
  getSubscription: { parameters: { id: SUBSCRIPTION }, answer: subscription },
  updateSubscription: {
    parameters: { id: SUBSCRIPTION },
    body: { status: 'paused' },
    answer: { ...subscription, status: 'paused' },
  },
  cancelSubscription: { parameters: { id: SUBSCRIPTION } },
  getAnomaly: { parameters: { id: ANOMALY }, answer: anomaly },
  getHistorical: {
    parameters: { lat: 46.05, lng: 14.47, metric: 'ndvi', from: '2026-01-01', to: '2026-06-30' },
    answer: {
      series: [
        { t: '2026-03-14', v: 0.41 },
        { t: '2026-04-08', v: 0.57 },
      ],
    },
  },
  listMetrics: {
    answer: {
      metrics: [
        {
          key: 'ndvi',
          unit: '1',
          range: [-1, 1],
          period: 'per clear scene',
          source: 'satellite images',
          perils: ['wildfire'],
          derived_from: [],
          reach_m: 1000,
          collections: 1,
        },
      ],
    },
  },
  listStations: {
    parameters: { bbox: '14.4,46,14.6,46.1', metric: 'river_flow' },
    answer: {
      stations: [
        {
          id: 'stn_01k9q3v8gze7q8w1n5s0t4b6ya',
          name: '5080',
          lat: 46.047,
          lng: 14.538,
          collection: 'slovenian-rivers',
          metric: 'river_flow',
          unit: 'm3/s',
          observations: 7305,
          first_at: '2006-01-01T00:00:00.000Z',
          last_at: '2025-12-31T00:00:00.000Z',
        },
      ],
    },
  },
  getSandbox: {
    answer: {
      status: 'ready',
      progress: 1,
      date: '2025-01-01',
      bounds: [-27.000001, 45.998904, -26.922513, 46.053055],
      simulated: true,
    },
  },
  advanceSandbox: {
    body: { days: 30 },
    answer: {
      date: '2025-01-31',
      days: 30,
      scenes: 3,
      observations: 540,
      changes: { inserted: 1, updated: 2 },
    },
  },
  registerWebhook: {
    body: { url: webhook.url, events: webhook.events },
    answer: { id: WEBHOOK, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgh1g4nHE=' },
  },
  listWebhooks: { answer: { webhooks: [webhook] } },
  getWebhook: { parameters: { id: WEBHOOK }, answer: webhook },
  updateWebhook: {
    parameters: { id: WEBHOOK },
    body: { events: ['*'] },
    answer: { ...webhook, events: ['*'] },
  },
  deleteWebhook: { parameters: { id: WEBHOOK } },
  createKey: {
    body: { name: 'nightly portfolio run', scopes: ['risk:read'], expires_in_days: 90 },
    answer: newKey,
  },
  listKeys: { answer: { keys: [key] } },
  getKey: { parameters: { id: KEY }, answer: key },
  rotateKey: {
    parameters: { id: KEY, overlap_hours: 24 },
    answer: { ...newKey, replaces: KEY, old_key_ends_at: '2026-11-20T08:00:00.000Z' },
  },
  revokeKey: { parameters: { id: KEY } },
  createClient: {
    body: { name: 'underwriting', scopes: ['risk:read', 'changes:read'] },
    answer: {
      client_id: CLIENT,
      client_secret: 'gwcs_C2FVsBQIhrscChlQIMV-b5sSYspob7oDazfgh1g4nHE',
      scopes: ['risk:read', 'changes:read'],
      limit: 600,
    },
  },
  listClients: { answer: { clients: [client] } },
  getClient: { parameters: { id: CLIENT }, answer: client },
  revokeClient: { parameters: { id: CLIENT } },
  getUsage: {
    answer: {
      credential_id: KEY,
      limit: 600,
      remaining: 599,
      days: [{ day: '2026-11-19', credential_id: KEY, units: 1280 }],
    },
  },
  testWebhook: { parameters: { id: WEBHOOK }, answer: { event_id: EVENT } },
  rotateWebhookSecret: {
    parameters: { id: WEBHOOK, overlap_seconds: 3600 },
    answer: {
      id: WEBHOOK,
      secret: 'whsec_p1Jd1X1yTyOtB5z1rj2mV6o4vB1sZcTqkq8xw0yC3mE=',
      previous_secret_until: '2026-11-02T10:32:00.000Z',
    },
  },
  listDeliveries: { parameters: { id: WEBHOOK }, answer: { deliveries: [delivery] } },
  getDelivery: {
    parameters: { id: WEBHOOK, delivery_id: DELIVERY },
    answer: {
      ...delivery,
      payload: changeDetected,
      attempt_log: [
        {
          at: '2026-09-01T02:10:00.120Z',
          status: 503,
          duration_ms: 31,
          error: 'answered 503',
          answer: 'restarting',
        },
        { at: '2026-09-01T02:10:05.300Z', status: 204, duration_ms: 85, error: null, answer: '' },
      ],
    },
  },
  redeliver: {
    parameters: { id: WEBHOOK, delivery_id: DELIVERY },
    answer: {
      ...delivery,
      status: 'pending',
      next_attempt_at: '2026-09-02T08:00:00.000Z',
    },
  },
  redeliverFailed: {
    parameters: { id: WEBHOOK },
    body: { since: '2026-09-01T00:00:00Z' },
    answer: { queued: 214 },
  },
  listEvents: { parameters: { after: EVENT }, answer: { events: [changeDetected] } },
  getEvent: { parameters: { id: EVENT }, answer: changeDetected },
  streamEvents: { parameters: { after: EVENT } },
};

const anomalyData = {
  ...Object.fromEntries(Object.entries(anomaly).filter(([name]) => name !== 'provenance')),
  url: `/v1/anomalies/${ANOMALY}`,
};

/** An example body for each type of event. */
export const EVENT_EXAMPLES: Readonly<Record<string, unknown>> = {
  'risk.threshold_exceeded': {
    ...happened,
    type: 'risk.threshold_exceeded',
    data: {
      subscription_id: SUBSCRIPTION,
      aoi_id: AOI,
      peril: 'wildfire',
      threshold: 0.7,
      risk_score: 0.74,
      previous_score: 0.66,
      confidence: 0.58,
      model_version: 'wildfire-v0.2.0',
      url: `/v1/risk/watches/${WATCH}`,
    },
  },
  'change.detected': changeDetected,
  'change.updated': {
    ...happened,
    type: 'change.updated',
    data: { ...change, status: 'recovered', recovered_at: '2026-10-20', url: `/v1/changes/${CHANGE}` },
  },
  'anomaly.detected': { ...happened, type: 'anomaly.detected', data: anomalyData },
  'anomaly.ended': {
    ...happened,
    type: 'anomaly.ended',
    data: { ...anomalyData, status: 'ended', ended_at: '2026-09-20T10:00:00.000Z' },
  },
  'webhook.disabled': {
    ...happened,
    type: 'webhook.disabled',
    data: {
      webhook_id: WEBHOOK,
      endpoint_url: webhook.url,
      reason: 'five days of nothing but failed deliveries',
      failing_since: '2026-08-27T02:09:00.000Z',
      disabled_at: '2026-09-01T02:10:00.000Z',
      url: `/v1/webhooks/${WEBHOOK}`,
    },
  },
  'webhook.test': { ...happened, type: 'webhook.test', data: {} },
};
