import { LAYER_TILE_OPERATIONS } from './pictures/layer-tiles.ts';
import { RISK_TILE_OPERATIONS } from './pictures/risk-tiles.ts';
import { ANOMALY_OPERATIONS } from './anomalies.ts';
import { AOI_OPERATIONS } from './aois.ts';
import { CHANGE_OPERATIONS } from './changes.ts';
import { CLIENT_OPERATIONS } from './clients.ts';
import { COLLECTION_OPERATIONS } from './pictures/collections.ts';
import { DELIVERY_OPERATIONS } from './deliveries.ts';
import { EVENT_OPERATIONS } from './event-list.ts';
import { SERIES_OPERATIONS } from './historical.ts';
import { INCIDENT_OPERATIONS } from './incidents.ts';
import { KEY_OPERATIONS } from './keys.ts';
import { OGC_OPERATIONS } from './ogc/operations.ts';
import type { Operation } from './operation.ts';
import { ACCOUNT_OPERATIONS } from './people/account.ts';
import { AUDIT_OPERATIONS } from './people/audit.ts';
import { MEMBER_OPERATIONS } from './people/members.ts';
import { PICTURE_OPERATIONS } from './pictures/change-images.ts';
import { TILE_OPERATIONS } from './pictures/tiles.ts';
import { RISK_OPERATIONS } from './risk.ts';
import { SANDBOX_OPERATIONS } from './sandbox.ts';
import { FEED_OPERATIONS } from './sources/feeds.ts';
import { LAYER_OPERATIONS } from './sources/layers.ts';
import { STAC_OPERATIONS } from './stac/operations.ts';
import { STATION_OPERATIONS } from './stations.ts';
import { VECTOR_TILE_OPERATIONS } from './pictures/vector-tiles.ts';
import { USAGE_OPERATIONS } from './usage.ts';
import { WATCH_OPERATIONS } from './watches.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';

/** Every operation of the interface, in the order of its documentation. */
export const OPERATIONS: readonly Operation[] = [
  ...RISK_OPERATIONS,
  ...WATCH_OPERATIONS,
  ...AOI_OPERATIONS,
  ...CHANGE_OPERATIONS,
  ...ANOMALY_OPERATIONS,
  ...INCIDENT_OPERATIONS,
  ...SERIES_OPERATIONS,
  ...STATION_OPERATIONS,
  ...FEED_OPERATIONS,
  ...LAYER_OPERATIONS,
  ...COLLECTION_OPERATIONS,
  ...PICTURE_OPERATIONS,
  ...TILE_OPERATIONS,
  ...RISK_TILE_OPERATIONS,
  ...LAYER_TILE_OPERATIONS,
  ...VECTOR_TILE_OPERATIONS,
  ...OGC_OPERATIONS,
  ...STAC_OPERATIONS,
  ...SANDBOX_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...DELIVERY_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...KEY_OPERATIONS,
  ...CLIENT_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...MEMBER_OPERATIONS,
  ...AUDIT_OPERATIONS,
];
