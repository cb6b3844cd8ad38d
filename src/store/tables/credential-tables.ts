import type { ColumnType, Generated } from 'kysely';
import type { JwkSet } from '../../app/access/client-store.ts';
import type { Environment } from '../../app/owner.ts';

type Defaulted<T> = ColumnType<T, T | undefined, T>;

interface OAuthClientsTable {
  account_id: string;
  environment: Environment;
  id: string;
  name: string | null;
  secret_hash: Buffer;
  jwks: ColumnType<JwkSet | null, string | null | undefined, string | null>;
  former_jwks: ColumnType<JwkSet | null, string | null | undefined, string | null>;
  former_until: Defaulted<Date | null>;
  scopes: string[];
  rate_limit: number;
  created_at: Generated<Date>;
  revoked_at: Defaulted<Date | null>;
  last_used_at: Defaulted<Date | null>;
}

interface OAuthGrantsTable {
  account_id: string;
  id: string;
  client_id: string;
  scopes: string[];
  expires_at: Date;
  revoked_at: Defaulted<Date | null>;
  ends_at: Defaulted<Date>;
  key_thumbprint: Defaulted<string | null>;
}

interface RefreshTokensTable {
  account_id: string;
  token_hash: Buffer;
  grant_id: string;
  expires_at: Date;
  used_at: Defaulted<Date | null>;
  successor_salt: Defaulted<Buffer | null>;
}

interface SigningKeysTable {
  id: string;
  private_box: Buffer;
  public_key: ColumnType<unknown, string, string>;
  created_at: Date;
}

interface UsageDaysTable {
  account_id: string;
  environment: Environment;
  credential_id: string;
  day: string;
  units: number;
}

export interface AuditLogTable {
  seq: number;
  at: Date;
  account_id: string | null;
  environment: string | null;
  actor: string;
  action: string;
  target: string | null;
  address: string | null;
  request_id: string | null;
  result: string;
  count: number;
  hash: Buffer;
}

/** Entries of the audit log that are not in its chain yet. */
export interface AuditPendingTable extends Omit<AuditLogTable, 'seq' | 'hash'> {
  id: string;
  /** Place among the entries that were written together. */
  place: number;
  /** HMAC-SHA256 over the entry under the key of the chain. */
  mac: Buffer;
}

interface AccountKeysTable {
  account_id: string;
  /** Key of the account, sealed under the key of backups; null once the account is erased. */
  wrapped: Buffer | null;
  erased_at: Defaulted<Date | null>;
  /** Collections whose files an erasure has still to delete; null when it is complete, or there is none. */
  left_files: Defaulted<string[] | null>;
}

/** Tables of credentials, usage, the audit log and keys of accounts (migrations 0007, 0018, 0022 and 0028). */
export interface CredentialTables {
  oauth_clients: OAuthClientsTable;
  oauth_grants: OAuthGrantsTable;
  refresh_tokens: RefreshTokensTable;
  spent_proofs: { hash: Buffer; expires_at: Date };
  signing_keys: SigningKeysTable;
  sealed_secrets: { name: string; box: Buffer };
  account_keys: AccountKeysTable;
  backup_places: { folder: string };
  wrapped_keys: { id: string; wrapped: string; created_at: Generated<Date> };
  usage_days: UsageDaysTable;
  audit_log: AuditLogTable;
  audit_pending: AuditPendingTable;
  audit_head: { one: Generated<boolean>; seq: number; hash: Buffer };
}
