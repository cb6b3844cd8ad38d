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

/** Looks a caller up, which takes a query. @throws Unauthorized when the credential is not valid */
export type LookUp = () => Promise<Principal>;

/** Authenticates callers. */
export interface Authenticator {
  /**
   * Returns the principal of an `Authorization` header when the credential is cached; otherwise a function that looks it
   * up, so that the caller decides when that begins.
   * @param call call whose DPoP proof is verified and used up, if the credential is bound to a key; undefined to check
   *   again a credential whose call is still going on
   * @throws Unauthorized when there is no credential or it is not valid
   */
  authenticate(authorization: string | undefined, call?: ProvenCall): Principal | LookUp;
}
