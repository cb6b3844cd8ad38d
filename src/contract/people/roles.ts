import { PEOPLE_SCOPES, type Scope, SCOPES } from '../scopes.ts';

/** Roles of the members of an account. */
export const ROLES = ['viewer', 'analyst', 'admin', 'billing'] as const;
export type Role = (typeof ROLES)[number];

const VIEWER = [
  'risk:read',
  'changes:read',
  'anomalies:read',
  'historical:read',
  'webhooks:read',
  'aois:read',
  'feeds:read',
] as const satisfies readonly Scope[];

/** What each role may do, in every environment of the account. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: VIEWER,
  analyst: [...VIEWER, 'anomalies:write', 'webhooks:write', 'aois:write', 'feeds:write'],
  admin: [...SCOPES, ...PEOPLE_SCOPES],
  billing: ['keys:read'],
};

/** What each role is for. */
export const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  viewer: 'Reads areas, changes, anomalies, risk, events and webhooks.',
  analyst: 'Also changes areas, subscriptions, watches and webhooks.',
  admin: 'Does everything, with keys, clients, members and the audit log.',
  billing: 'Reads what was spent, and by which key or client.',
};
