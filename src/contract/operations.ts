import { getAnomaly, listAnomalies } from './anomalies.ts';
import { createClient, getClient, listClients, revokeClient } from './clients.ts';
import { createKey, getKey, listKeys, revokeKey, rotateKey } from './keys.ts';
import { getUsage } from './usage.ts';
import { createAoi, deleteAoi, getAoi, listAois, renameAoi } from './aois.ts';
import { getChange, listChanges } from './changes.ts';
import { getEvent, listEvents, streamEvents } from './event-list.ts';
import { getHistorical, listMetrics } from './historical.ts';
import type { Operation } from './operation.ts';
import { listStations } from './stations.ts';
import { advanceSandbox, getSandbox } from './sandbox.ts';
import { assessRisk, assessRiskBatch, listModels } from './risk.ts';
import {
  cancelSubscription,
  getSubscription,
  listSubscriptions,
  subscribe,
  updateSubscription,
} from './subscriptions.ts';
import {
  deleteWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  redeliverFailed,
  registerWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhooks.ts';
import { createWatch, deleteWatch, getWatch, listWatches } from './watches.ts';

/** Every operation of the interface, in the order of its documentation. */
export const OPERATIONS: readonly Operation[] = [
  assessRisk,
  assessRiskBatch,
  listModels,
  createWatch,
  listWatches,
  getWatch,
  deleteWatch,
  createAoi,
  listAois,
  getAoi,
  renameAoi,
  deleteAoi,
  listChanges,
  getChange,
  listAnomalies,
  subscribe,
  listSubscriptions,
  getSubscription,
  updateSubscription,
  cancelSubscription,
  getAnomaly,
  getHistorical,
  listMetrics,
  listStations,
  getSandbox,
  advanceSandbox,
  registerWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret,
  listDeliveries,
  getDelivery,
  redeliver,
  redeliverFailed,
  listEvents,
  getEvent,
  streamEvents,
  createKey,
  listKeys,
  getKey,
  rotateKey,
  revokeKey,
  createClient,
  listClients,
  getClient,
  revokeClient,
  getUsage,
];
