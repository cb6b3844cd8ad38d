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

/** Authenticates callers. */
export interface Authenticator {
  /**
   * Returns the principal of an `Authorization` header. Returns it directly, without a promise, when the credential is
   * cached, because that is faster.
   * @throws Unauthorized when there is no credential or it is not valid
   */
  authenticate(authorization: string | undefined): Principal | Promise<Principal>;
}
