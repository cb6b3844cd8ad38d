import type { ClientRecord } from './client-store.ts';

/** Codes of RFC 6749 section 5.2. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope';

/** A request for a token that is refused. Answered 401 for `invalid_client`, else 400. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  readonly code: OAuthErrorCode;
  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** How a client names itself, and proves it. */
export interface ClientCredentials {
  readonly id: string;
  /** Undefined: none was sent. */
  readonly secret: string | undefined;
}

/** Fields of a form, each once; those without a value are absent (RFC 6749 section 3.2). */
export type OAuthForm = ReadonlyMap<string, string>;

/** What a client gets. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInS: number;
  readonly scopes: readonly string[];
  readonly refreshToken: string;
}

/** Issues tokens to clients and takes them back. */
export interface OAuthServer {
  /** Address that tokens name as their issuer. */
  issuer(): string;
  /**
   * The client that sent a form. Without a secret only the refresh grant and a revocation get through.
   * @throws OAuthRefusal `invalid_client`
   */
  clientOf(credentials: ClientCredentials, grantType: string | undefined): Promise<ClientRecord>;
  /** @throws OAuthRefusal */
  issue(client: ClientRecord, form: OAuthForm): Promise<IssuedToken>;
  /** Ends the grant of a token of this client, and with it every token of the grant; nothing for any other text. */
  revoke(client: ClientRecord, token: string): Promise<void>;
  /** Public keys as JWKs. */
  publicKeys(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}
