import { getAnomaly, listAnomalies } from './anomalies.ts';
import { createAoi, deleteAoi, getAoi, listAois, renameAoi } from './aois.ts';
import { getChange, listChanges } from './changes.ts';
import { getHistorical, listMetrics } from './historical.ts';
import type { Operation } from './operation.ts';
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
  getWebhook,
  listDeliveries,
  listWebhooks,
  registerWebhook,
  testWebhook,
  updateWebhook,
} from './webhooks.ts';

/** Every operation of the interface, in the order of its documentation. */
export const OPERATIONS: readonly Operation[] = [
  assessRisk,
  assessRiskBatch,
  listModels,
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
  registerWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  listDeliveries,
];
