import type { Environment } from '../owner.ts';

/** Who is asking: an account in one environment, through one credential. */
export interface Principal {
  readonly accountId: string;
  readonly environment: Environment;
  /** The credential's public id, for logs and limits. */
  readonly keyId: string;
  readonly scopes: ReadonlySet<string>;
  /** Units a minute; 0 is unlimited. */
  readonly rateLimit: number;
}

/** Finds out who is asking. */
export interface Authenticator {
  /**
   * The principal of an `Authorization` header; at once when it is known, so a warm call costs no promise.
   * @throws Unauthorized when there is no credential or it does not hold
   */
  authenticate(authorization: string | undefined): Principal | Promise<Principal>;
}
