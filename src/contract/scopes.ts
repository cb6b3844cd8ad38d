/** Every scope that a credential can have. A GET needs the `:read` scope of its resource. */
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
] as const;

export type Scope = (typeof SCOPES)[number];
