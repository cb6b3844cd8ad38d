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
   * Principal of an `Authorization` header. Not a promise when the credential is cached, which saves time per call.
   * @throws Unauthorized when there is no credential or it is not valid
   */
  authenticate(authorization: string | undefined): Principal | Promise<Principal>;
}
