/** Every scope that a key or client can have. A GET needs the `:read` scope of its resource. */
export const SCOPES = [
  'risk:read',
  'changes:read',
  'anomalies:read',
  'anomalies:write',
  'historical:read',
  'webhooks:read',
  'webhooks:write',
  'aois:read',
  'aois:write',
  'feeds:read',
  'feeds:write',
  'keys:read',
  'keys:write',
  'audit:read',
] as const;

/**
 * Scopes that only people have, by their role. No key or client can have them: a member has every environment of the
 * account, and a credential must not create what is stronger than itself.
 */
export const PEOPLE_SCOPES = ['members:read', 'members:write'] as const;

/** A scope that a key or client can have. */
export type KeyScope = (typeof SCOPES)[number];

export type Scope = KeyScope | (typeof PEOPLE_SCOPES)[number];
