import type { Owner, Page, PageRequest } from '../owner.ts';

export interface ApiKeyRecord extends Owner {
  readonly id: string;
  readonly name: string | null;
  readonly secretHash: Buffer;
  readonly scopes: readonly string[];
  readonly rateLimit: number;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** When its account was closed; null while it is open. */
  readonly accountDisabledAt: Date | null;
}

export interface KeyStore {
  create(
    key: Omit<ApiKeyRecord, 'createdAt' | 'revokedAt' | 'lastUsedAt' | 'accountDisabledAt'>,
  ): Promise<void>;
  /** By public id, whoever owns it: only for authentication and the operator's command line. */
  find(id: string): Promise<ApiKeyRecord | undefined>;
  list(): Promise<readonly ApiKeyRecord[]>;
  /** Those of one owner that are not revoked at a time, newest first. */
  owned(owner: Owner, now: Date, page: PageRequest): Promise<Page<ApiKeyRecord>>;
  /** Keys of open accounts that expire in a span of time and have not been replaced. */
  expiring(from: Date, until: Date): Promise<readonly ApiKeyRecord[]>;
  /**
   * Ends a key at a time (now: revocation; later: the overlap of a rotation), unless it ends before.
   * @returns when it ends; undefined when there is none
   */
  end(id: string, at: Date): Promise<Date | undefined>;
  touch(id: string, at: Date): Promise<void>;
}
