import type { Scope } from '../../src/contract/scopes.ts';
import type { Session } from '../session.ts';

/** Operations for which the console says beforehand that they are refused, with their scopes as the contract declares them. */
export const ACTIONS = {
  createAoi: { scopes: ['aois:write'], name: 'Making an area' },
  renameAoi: { scopes: ['aois:write'], name: 'Renaming an area' },
  deleteAoi: { scopes: ['aois:write'], name: 'Deleting an area' },
  subscribeToAnomalies: { scopes: ['anomalies:write'], name: 'Subscribing' },
  updateSubscription: { scopes: ['anomalies:write'], name: 'Changing a subscription' },
  createRiskWatch: { scopes: ['risk:read', 'webhooks:write'], name: 'Watching a risk' },
  deleteRiskWatch: { scopes: ['risk:read', 'webhooks:write'], name: 'Ending a watch' },
  advanceSandbox: { scopes: ['anomalies:write'], name: 'Advancing the clock' },
  registerWebhook: { scopes: ['webhooks:write'], name: 'Registering an endpoint' },
  updateWebhook: { scopes: ['webhooks:write'], name: 'Changing an endpoint' },
  redeliver: { scopes: ['webhooks:write'], name: 'Sending again' },
  listKeys: { scopes: ['keys:read'], name: 'Reading keys and clients' },
  createKey: { scopes: ['keys:write'], name: 'Making keys and clients' },
  createClient: { scopes: ['keys:write'], name: 'Making keys and clients' },
  inviteMember: { scopes: ['members:write'], name: 'Changing members' },
} as const satisfies Readonly<Record<string, { readonly scopes: readonly Scope[]; readonly name: string }>>;

export type Action = keyof typeof ACTIONS;

type Caller = Pick<Session, 'scopes' | 'person'>;

/** Says why a caller may not do something; undefined: the caller may. */
export function refusalOf(caller: Caller, action: Action): string | undefined {
  const { scopes, name } = ACTIONS[action];
  const lack = scopes.find((scope) => !caller.scopes.includes(scope));
  if (lack === undefined) return undefined;
  return caller.person === undefined
    ? `${name} is not possible with this key: it lacks the scope ${lack}.`
    : `${name} is not possible for you: your role, ${caller.person.membership.role}, lacks the scope ${lack}.`;
}
