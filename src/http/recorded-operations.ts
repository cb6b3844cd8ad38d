import type { Operation } from '../contract/operation.ts';

/**
 * Whether each operation that does not only read is an act for the audit log: whoever makes, changes, ends or sends
 * something is recorded; whoever only asks with a body is not.
 */
export const RECORDED: Readonly<Record<string, boolean>> = {
  createKey: true,
  rotateKey: true,
  revokeKey: true,
  createClient: true,
  revokeClient: true,
  registerWebhook: true,
  updateWebhook: true,
  deleteWebhook: true,
  rotateWebhookSecret: true,
  testWebhook: true,
  redeliver: true,
  redeliverFailed: true,
  createAoi: true,
  renameAoi: true,
  deleteAoi: true,
  subscribeToAnomalies: true,
  updateSubscription: true,
  cancelSubscription: true,
  createRiskWatch: true,
  deleteRiskWatch: true,
  advanceSandbox: true,
  assessRiskBatch: false,
};

/** Whether an operation's success is recorded. @throws RangeError for one of which nobody has decided it */
export function isRecorded({ id, method }: Pick<Operation, 'id' | 'method'>): boolean {
  if (method === 'GET') return false;
  const recorded = RECORDED[id];
  if (recorded === undefined)
    throw new RangeError(`RECORDED: expected whether ${method} ${id} is an act for the audit log`);
  return recorded;
}
