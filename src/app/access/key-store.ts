import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';

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
  /** When the account was closed; null while it is open. */
  readonly accountDisabledAt: Date | null;
}

export interface KeyStore {
  create(
    key: Omit<ApiKeyRecord, 'createdAt' | 'revokedAt' | 'lastUsedAt' | 'accountDisabledAt'>,
  ): Promise<void>;
  /** Finds a key of any account by its public id. Only for authentication and the operator's command line. */
  find(id: string): Promise<ApiKeyRecord | undefined>;
  list(): Promise<readonly ApiKeyRecord[]>;
  /** Keys of one owner that are not revoked at `now`, newest first. */
  owned(owner: Owner, now: Date, page: PageRequest): Promise<Page<ApiKeyRecord>>;
  /** Keys of open accounts that expire after `from` and not after `until`, except revoked and replaced ones. */
  expiring(from: Date, until: Date): Promise<readonly ApiKeyRecord[]>;
  /**
   * Sets the time at which a key ends: now to revoke it, later for the overlap of a rotation. If the key already ends
   * earlier, its end does not change.
   * @returns when the key ends; undefined when there is no such key
   */
  end(id: string, at: Date): Promise<Date | undefined>;
  touch(id: string, at: Date): Promise<void>;
}
