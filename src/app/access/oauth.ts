import type { ClientRecord } from './client-store.ts';
import type { ProvenCall } from './principal.ts';

/** Codes of RFC 6749 section 5.2 and RFC 9449 section 5. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_dpop_proof';

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
  /** Undefined when only the assertion names the client. */
  readonly id: string | undefined;
  /** Undefined when the client sent no secret. */
  readonly secret: string | undefined;
  /** JWT by which the client proves itself instead (RFC 7523); undefined when it sent none. */
  readonly assertion: string | undefined;
}

/** Form fields by name. Fields without a value are absent (RFC 6749 section 3.2). */
export type OAuthForm = ReadonlyMap<string, string>;

/** Tokens issued to a client. */
export interface IssuedToken {
  readonly accessToken: string;
  /** `DPoP` for a token that is bound to a key of the caller. */
  readonly type: 'Bearer' | 'DPoP';
  readonly expiresInS: number;
  readonly scopes: readonly string[];
  readonly refreshToken: string;
}

/** Issues and revokes tokens of clients. */
export interface OAuthServer {
  /** Address in the `iss` claim of the tokens. */
  issuer(): string;
  /** Algorithms that may sign assertions and DPoP proofs. */
  readonly signatures: readonly string[];
  /**
   * Authenticates the client that sent a form. The client secret is required, except for the refresh grant and for
   * revocation. A client with public keys needs an assertion for each call.
   * @throws OAuthRefusal `invalid_client`
   */
  clientOf(credentials: ClientCredentials, grantType: string | undefined): Promise<ClientRecord>;
  /**
   * Issues tokens. They are bound to the key of the call's DPoP proof, if it has one.
   * @throws OAuthRefusal
   */
  issue(client: ClientRecord, form: OAuthForm, call: ProvenCall): Promise<IssuedToken>;
  /** Revokes the grant of a token, and every token of the grant. Does nothing if this client has no such token. */
  revoke(client: ClientRecord, token: string): Promise<void>;
  /** Public keys as JWKs. */
  publicKeys(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}
