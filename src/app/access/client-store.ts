import type { Owner, Page, PageRequest } from '../owner.ts';

/** An OAuth client: a program that trades its secret for short-lived tokens. */
export interface ClientRecord extends Owner {
  readonly id: string;
  readonly name: string | null;
  readonly secretHash: Buffer;
  readonly scopes: readonly string[];
  /** Units a minute; 0 is unlimited. */
  readonly rateLimit: number;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** When its account was closed; null while it is open. */
  readonly accountDisabledAt: Date | null;
}

export type NewClient = Omit<ClientRecord, 'createdAt' | 'revokedAt' | 'lastUsedAt' | 'accountDisabledAt'>;

/** OAuth clients. */
export interface ClientStore {
  create(client: NewClient): Promise<void>;
  /** By public id, whoever owns it: only for authentication and the operator's command line. */
  find(id: string): Promise<ClientRecord | undefined>;
  /** Those of one owner that are not revoked, newest first. */
  owned(owner: Owner, page: PageRequest): Promise<Page<ClientRecord>>;
  list(): Promise<readonly ClientRecord[]>;
  revoke(id: string, at: Date): Promise<void>;
  touch(id: string, at: Date): Promise<void>;
}

/** What a client was given when it proved itself: the family of all tokens that came of it. */
export interface Grant {
  readonly id: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** A refresh token as kept: by its hash. */
export interface RefreshToken {
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** Grants and their refresh tokens. */
export interface GrantStore {
  create(grant: Grant, token: RefreshToken): Promise<void>;
  /** The grant that a refresh token belongs to, and what has become of both. */
  ofToken(hash: Buffer): Promise<
    | {
        readonly grant: Grant;
        readonly expiresAt: Date;
        readonly usedAt: Date | null;
        readonly revokedAt: Date | null;
      }
    | undefined
  >;
  /** Uses a token up, and puts the next one in its place. False when another call was first: nothing is changed then. */
  exchange(grant: Grant, used: Buffer, next: RefreshToken, at: Date): Promise<boolean>;
  revoke(id: string, at: Date): Promise<void>;
  /** Whether a grant of a client stands. */
  stands(id: string, clientId: string): Promise<boolean>;
}

/** A key that signs access tokens. */
export interface SigningKey {
  /** RFC 7638 thumbprint of the public key. */
  readonly id: string;
  /** JWK text of the private key; sealed where it is kept. */
  readonly privateJwk: string;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

export interface SigningKeyStore {
  /** Newest first. */
  list(): Promise<readonly SigningKey[]>;
  add(key: SigningKey): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}
