import type { ClientRecord } from './client-store.ts';

/** Codes of RFC 6749 section 5.2. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope';

/** A refused token request. The answer is 401 for `invalid_client`, otherwise 400. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  readonly code: OAuthErrorCode;
  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Credentials that a client sent. */
export interface ClientCredentials {
  readonly id: string;
  /** Undefined when the client sent no secret. */
  readonly secret: string | undefined;
}

/** Form fields by name. Fields without a value are absent (RFC 6749 section 3.2). */
export type OAuthForm = ReadonlyMap<string, string>;

/** Tokens issued to a client. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInS: number;
  readonly scopes: readonly string[];
  readonly refreshToken: string;
}

/** Issues and revokes tokens of clients. */
export interface OAuthServer {
  /** Address in the `iss` claim of the tokens. */
  issuer(): string;
  /**
   * Authenticates the client that sent a form. The client secret is required, except for the refresh grant and for
   * revocation.
   * @throws OAuthRefusal `invalid_client`
   */
  clientOf(credentials: ClientCredentials, grantType: string | undefined): Promise<ClientRecord>;
  /** @throws OAuthRefusal */
  issue(client: ClientRecord, form: OAuthForm): Promise<IssuedToken>;
  /** Revokes the grant of a token, and every token of the grant. Does nothing if this client has no such token. */
  revoke(client: ClientRecord, token: string): Promise<void>;
  /** Public keys as JWKs. */
  publicKeys(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}
