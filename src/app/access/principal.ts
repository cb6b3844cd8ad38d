import type { Environment } from '../owner.ts';

/** The authenticated caller: an account in one environment, through one credential. */
export interface Principal {
  readonly accountId: string;
  readonly environment: Environment;
  /** Public id of the credential, for logs and rate limits. */
  readonly keyId: string;
  readonly scopes: ReadonlySet<string>;
  /** Units per minute; 0: unlimited. */
  readonly rateLimit: number;
}

/** What a proof of possession is about (RFC 9449): the call that carries it in the header `DPoP`. */
export interface ProvenCall {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Authenticates callers. */
export interface Authenticator {
  /**
   * Returns the principal of an `Authorization` header. Returns it directly, without a promise, when the credential is
   * cached, because that is faster.
   * @param call call whose DPoP proof is verified and used up, if the credential is bound to a key; undefined to check
   *   again a credential whose call is still going on
   * @throws Unauthorized when there is no credential or it is not valid
   */
  authenticate(authorization: string | undefined, call?: ProvenCall): Principal | Promise<Principal>;
}
