// Example resources for the documentation of operations and events. All values are valid by their schemas.
// Long file: one example for each resource.
import { RATE_LIMIT_UNITS } from './limits.ts';

export const AOI = 'aoi_01k9q3v8gze7q8w1n5s0t4b6y0';
export const CHANGE = 'chg_01k9q3v8gze7q8w1n5s0t4b6y1';
export const COLLECTION = 'col_01k9q3v8gze7q8w1n5s0t4b6yc';
export const INCIDENT = 'inc_01jxvq5v8gze7q8w1n5s0t4b6y2';
export const ANOMALY = 'an_01k9q3v8gze7q8w1n5s0t4b6y2';
export const SUBSCRIPTION = 'sub_01k9q3v8gze7q8w1n5s0t4b6y3';
export const WATCH = 'rw_01k9q3v8gze7q8w1n5s0t4b6wd';
export const WEBHOOK = 'wh_01k9q3v8gze7q8w1n5s0t4b6y4';
export const EVENT = 'evt_01k9q3v8gze7q8w1n5s0t4b6y5';
export const DELIVERY = 'dlv_01k9q3v8gze7q8w1n5s0t4b6y6';
export const KEY = 'key_01k9q3v8gze7q8w1n5s0t4b6y7';
const NEXT_KEY = 'key_01k9q3v8gze7q8w1n5s0t4b6y8';
export const CLIENT = 'cli_01k9q3v8gze7q8w1n5s0t4b6y9';
export const ACCOUNT = 'acc_01k9q3v8gze7q8w1n5s0t4b6yb';
export const MEMBER = 'mbr_01k9q3v8gze7q8w1n5s0t4b6yc';

export const geometry = {
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

export const aoi = {
  id: AOI,
  name: 'Ljubljana west',
  geometry,
  area_m2: 20_652_000,
  created_at: '2026-11-02T09:30:00.000Z',
};

export const quietHours = { zone: 'Europe/Ljubljana', from: '22:00', to: '07:00' };

export const subscription = {
  subscription_id: SUBSCRIPTION,
  status: 'active',
  aoi_id: AOI,
  perils: ['flood', 'wildfire'],
  quiet_hours: null,
  digest: null,
  past: false,
  created_at: '2026-11-02T09:31:00.000Z',
};

export const webhook = {
  id: WEBHOOK,
  url: 'https://hooks.example.com/groundwatch',
  events: ['change.detected', 'anomaly.detected'],
  status: 'active',
  disabled_reason: null,
  created_at: '2026-11-02T09:32:00.000Z',
};

export const change = {
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

export const provenance = {
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
  series: [
    {
      metric: 'ndvi',
      unit: '1',
      sample_type: 'int16',
      scale: 0.0001,
      offset: 0,
      reading: { nodata: -32_768, mask: { file: 'scl.tif', encoding: 'sentinel-2-scl' } },
    },
  ],
  mask_encodings: {
    'sentinel-2-scl': {
      bits: 8,
      masked: [
        { bit: 0, width: 8, from: 0, to: 3 },
        { bit: 0, width: 8, from: 8, to: 255 },
      ],
    },
  },
  baseline: { kind: 'harmonic', observations: 41 },
  evidence: [{ date: '2026-07-12', statistic: -4.2, boundary: -2.6, posterior: 0.71 }],
  pixels: { seed: 5_120, runs: [5_120, 3, 5_221, 4] },
  grid: { crs: 'EPSG:32633', width: 101, height: 100 },
  method: 'harmonic-ewma',
  parameters: { ewma_lambda: 0.3 },
  model_version: 'change-v1.0.0',
  software_version: 'groundwatch 1.4.0',
  digest_recipe: 2,
  digest: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
};

export const versions = [
  {
    model_version: 'change-v0.7.0',
    software_version: 'groundwatch 1.3.0',
    stated_at: '2026-09-01T02:10:00.000Z',
    status: 'suspected',
    confidence: 0.91,
    digest: 'fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9',
  },
  {
    model_version: provenance.model_version,
    software_version: provenance.software_version,
    stated_at: change.updated_at,
    status: change.status,
    confidence: change.confidence,
    digest: provenance.digest,
  },
];

export const anomaly = {
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

export const assessment = { risk_score: 0.62, confidence: 0.44 };

export const watch = {
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

export const delivery = {
  id: DELIVERY,
  event_id: EVENT,
  event_type: 'change.detected',
  status: 'succeeded',
  attempts: 2,
  created_at: '2026-09-01T02:10:00.000Z',
  next_attempt_at: null,
  last_attempt: { at: '2026-09-01T02:10:05.300Z', status: 204, duration_ms: 85, error: null },
};

export const happened = {
  id: EVENT,
  created_at: '2026-09-01T02:10:00.000Z',
  environment: 'production',
} as const;
export const changeDetected = {
  ...happened,
  type: 'change.detected',
  data: { ...change, url: `/v1/changes/${CHANGE}`, images_url: `/v1/changes/${CHANGE}/images` },
};

export const key = {
  id: KEY,
  name: 'nightly portfolio run',
  environment: 'production',
  scopes: ['risk:read'],
  limit: RATE_LIMIT_UNITS,
  status: 'expiring',
  created_at: '2026-09-01T08:00:00.000Z',
  expires_at: '2026-11-30T08:00:00.000Z',
  last_used_at: '2026-11-18T02:10:00.000Z',
  warning: `Ends in 11 days: replace it with POST /v1/keys/${KEY}/rotate`,
};
export const newKey = {
  id: NEXT_KEY,
  key: `gw_production_${NEXT_KEY}_Zx8b0P6mTq2LrW4sVn7yKc3dHf9gJa1eB0r5uM`,
  scopes: ['risk:read'],
  limit: RATE_LIMIT_UNITS,
  expires_at: '2027-02-17T08:00:00.000Z',
};
export const client = {
  client_id: CLIENT,
  name: 'underwriting',
  environment: 'production',
  scopes: ['risk:read', 'changes:read'],
  limit: RATE_LIMIT_UNITS,
  token_endpoint_auth_method: 'client_secret',
  former_keys_until: null,
  created_at: '2026-09-01T08:00:00.000Z',
  last_used_at: null,
};

/** Public key of RFC 7517 appendix A.1. */
export const publicKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
  kid: '2026-09',
};

export const anomalyData = {
  ...Object.fromEntries(Object.entries(anomaly).filter(([name]) => name !== 'provenance')),
  url: `/v1/anomalies/${ANOMALY}`,
  past: false,
};

export const incident = {
  id: INCIDENT,
  title: 'Thin vegetation and loss of vegetation at Ljubljana west, since 12 July 2026',
  severity: 'high',
  status: 'open',
  perils: ['wildfire'],
  kinds: ['ndvi', 'vegetation_loss'],
  started_at: '2026-07-12T00:00:00.000Z',
  ended_at: null,
  last_observed_at: '2026-08-31T10:00:00.000Z',
  past: false,
  aoi_ids: [AOI],
  area_count: 1,
  anomaly_count: 1,
  change_count: 1,
  area_m2: 4_100,
  bbox: [14.46, 46.04, 14.52, 46.08],
  images_url: `/v1/changes/${CHANGE}/images`,
  opened_at: '2026-09-01T02:10:01.000Z',
  updated_at: '2026-09-01T02:10:01.000Z',
};

export const incidentMembers = {
  anomalies: [
    {
      id: ANOMALY,
      metric: 'ndvi',
      peril: 'wildfire',
      severity: 'high',
      status: 'active',
      aoi_id: AOI,
      started_at: '2026-08-21T10:00:00.000Z',
      ended_at: null,
      url: `/v1/anomalies/${ANOMALY}`,
    },
  ],
  changes: [
    {
      id: CHANGE,
      type: 'vegetation_loss',
      status: 'confirmed',
      confidence: 0.98,
      area_m2: 4_100,
      first_anomaly_at: '2026-07-12',
      confirmed_at: '2026-08-31',
      url: `/v1/changes/${CHANGE}`,
      images_url: `/v1/changes/${CHANGE}/images`,
    },
  ],
};

export const incidentData = { ...incident, url: `/v1/incidents/${INCIDENT}` };

export const member = {
  id: MEMBER,
  email: 'ada@example.com',
  role: 'analyst',
  status: 'active',
  created_at: '2026-11-02T09:30:00.000Z',
  last_sign_in_at: '2026-11-19T08:00:00.000Z',
};

export const collection = {
  id: COLLECTION,
  name: 'ljubljana',
  metric: 'ndvi',
  unit: '1',
  crs: 'EPSG:32633',
  width: 300,
  height: 300,
  pixel_area_m2: 100,
  bounds: [14.46, 46.03, 14.5, 46.06],
  first_at: '2023-01-04T10:05:31.000Z',
  last_at: '2026-11-19T10:05:29.000Z',
  true_colour: true,
};

export const scene = {
  id: 'scn_01k9q3v8gze7q8w1n5s0t4b6ys',
  key: 'S2A_20260831',
  href: 'S2A_33TVM_20260831_0_L2A/B08.tif',
  datetime: '2026-08-31T10:05:31.000Z',
  clear_fraction: 0.93,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  true_colour: true,
};

export const legend = {
  ramp: 'vegetation',
  min: -0.2,
  max: 0.9,
  colours: ['#6b4a2f', '#b58a55', '#e8d9a0', '#a6cf6f', '#4f9a3f', '#12542a'],
};

const picture = (moment: string, key: string, day: string) => ({
  url: `/v1/changes/${CHANGE}/images/${moment}`,
  true_colour_url: `/v1/changes/${CHANGE}/images/${moment}?colours=true`,
  scene: { id: key, href: `${key}/B08.tif`, datetime: `${day}T10:05:31.000Z` },
  clear_fraction: 1,
});

export const changeImages = {
  change_id: CHANGE,
  collection: { id: COLLECTION, name: 'ljubljana' },
  metric: 'ndvi',
  unit: '1',
  first_anomaly_at: '2026-07-12',
  seed: { lat: 46.0512345, lng: 14.4712345 },
  width: 480,
  height: 480,
  pixel_m: 10,
  width_m: 600,
  before: picture('before', 'S2B_20250903', '2025-09-03'),
  after: picture('after', 'S2A_20260831', '2026-08-31'),
  legend,
};
