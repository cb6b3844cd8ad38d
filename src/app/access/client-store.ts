import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';

/** Public keys as a JWK set (RFC 7517 section 5). */
export interface JwkSet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** An OAuth client: a program that exchanges its secret, or an assertion that it signs, for short-lived tokens. */
export interface ClientRecord extends Owner {
  readonly id: string;
  readonly name: string | null;
  /** Hash of its secret. A client with `jwks` has a secret that nobody was told. */
  readonly secretHash: Buffer;
  /** Keys that verify its assertions (`private_key_jwt`); null: it proves itself by its secret. */
  readonly jwks: JwkSet | null;
  /** Keys that it had before, which verify its assertions until `formerUntil`; both null: none do. */
  readonly formerJwks: JwkSet | null;
  readonly formerUntil: Date | null;
  readonly scopes: readonly string[];
  /** Units per minute; 0: unlimited. */
  readonly rateLimit: number;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** When the account was closed; null while it is open. */
  readonly accountDisabledAt: Date | null;
}

export type NewClient = Omit<
  ClientRecord,
  'formerJwks' | 'formerUntil' | 'createdAt' | 'revokedAt' | 'lastUsedAt' | 'accountDisabledAt'
>;

/** OAuth clients. */
export interface ClientStore {
  create(client: NewClient): Promise<void>;
  /** Finds a client of any account by its public id. Only for authentication and the operator's command line. */
  find(id: string): Promise<ClientRecord | undefined>;
  /** Clients of one owner that are not revoked, newest first. */
  owned(owner: Owner, page: PageRequest): Promise<Page<ClientRecord>>;
  list(): Promise<readonly ClientRecord[]>;
  /** Replaces the keys of a client. The present ones still verify its assertions until a time; null: no longer. */
  replaceKeys(id: string, jwks: JwkSet, formerUntil: Date | null): Promise<void>;
  revoke(id: string, at: Date): Promise<void>;
  touch(id: string, at: Date): Promise<void>;
}

/** A grant to an authenticated client. When it ends, all access and refresh tokens issued under it end too. */
export interface Grant {
  readonly id: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Time after which no refresh token of the grant works. */
  readonly endsAt: Date;
  /** RFC 7638 thumbprint of the key that its tokens are bound to (RFC 9449); null: none. */
  readonly keyThumbprint: string | null;
}

/** A stored refresh token. The store contains the hash of the token, not the token. */
export interface RefreshToken {
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** Grants and their refresh tokens. */
export interface GrantStore {
  create(grant: Grant, token: RefreshToken): Promise<void>;
  /**
   * Finds the grant of a refresh token; undefined for an unknown token. `expiresAt`, `usedAt` and `successorSalt` describe the
   * token, `revokedAt` the grant. `successorSalt` is what the next token was derived with; null while it is unused.
   */
  ofToken(hash: Buffer): Promise<
    | {
        readonly grant: Grant;
        readonly expiresAt: Date;
        readonly usedAt: Date | null;
        readonly successorSalt: Buffer | null;
        readonly revokedAt: Date | null;
      }
    | undefined
  >;
  /**
   * Marks a refresh token as used and stores its successor. Returns false, without any change, when another call has
   * already used the token.
   */
  exchange(
    grant: Grant,
    used: { readonly hash: Buffer; readonly successorSalt: Buffer },
    next: RefreshToken,
    at: Date,
  ): Promise<boolean>;
  revoke(id: string, at: Date): Promise<void>;
  /** Returns whether the grant belongs to the client and is not revoked. */
  isLive(id: string, clientId: string): Promise<boolean>;
  /** Records the use of a proof that works once. Returns false when it was used before. */
  spend(proof: { readonly hash: Buffer; readonly expiresAt: Date }): Promise<boolean>;
}

/** A key that signs access tokens. */
export interface SigningKey {
  /** RFC 7638 thumbprint of the public key. */
  readonly id: string;
  /** Private key as JWK text. The store encrypts it. */
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
