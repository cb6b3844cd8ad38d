import { connectionError, GroundwatchError, type GroundwatchErrorCode } from './error.ts';
import { type AssertionKey, clientAssertion, type ProofKey, proofOfPossession } from './proof.ts';
import type { TokenProvider } from './transport.ts';

const RENEW_AHEAD_MS = 60_000; // time from renewal to expiry of a token; covers clock differences and slow calls

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'; // RFC 7523 section 2.2

/** Credentials of an OAuth client, and the address of its token endpoint. */
export interface ClientCredentialsOptions {
  /** Address of the token endpoint without `/oauth/token`; usually the address of the service. */
  readonly authUrl: string;
  readonly clientId: string;
  /** Set exactly one of `clientSecret` and `key`. */
  readonly clientSecret?: string;
  /** Key by which the client proves itself, if it was made with public keys (`private_key_jwt`). */
  readonly key?: AssertionKey;
  /**
   * Key pair that the tokens are bound to (DPoP), see {@link newProofKey}. Give the same pair to {@link Groundwatch}.
   */
  readonly proofKey?: ProofKey;
  /** Scopes to request; default: all scopes of the client. */
  readonly scopes?: readonly string[];
  /** Function that sends requests; default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Returns the current time [ms since the Unix epoch]; default: `Date.now`. */
  readonly now?: () => number;
}

/** Error code for each HTTP status of the token endpoint. */
const CODES: Readonly<Record<number, GroundwatchErrorCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  429: 'rate_limited',
  500: 'server_error',
};

interface Held {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly renewAtMs: number;
}

/**
 * Creates a provider of access tokens for the option `token` of {@link Groundwatch}. It requests the first token with
 * the client's secret or key and renews it with the refresh token. When the refresh token is rejected, it uses the
 * secret or key again.
 * @throws TypeError when not exactly one of secret and key is given
 * @throws GroundwatchError when the token endpoint gives no token
 */
export function clientCredentials(options: ClientCredentialsOptions): TokenProvider {
  const { clientId, clientSecret, key, proofKey, scopes } = options;
  if ((clientSecret === undefined) === (key === undefined))
    throw new TypeError('give either clientSecret or key');
  const now = options.now ?? (() => Date.now());
  const send = options.fetch ?? ((...given) => globalThis.fetch(...given));
  const url = `${new URL(options.authUrl).href.replace(/\/$/, '')}/oauth/token`;
  let held: Held | undefined;
  let underway: Promise<Held> | undefined;

  const stamp = () => ({ nowMs: now(), id: crypto.randomUUID() });
  /** The fields that prove the client; a client with a key proves itself for each request. */
  const proven = async (): Promise<Readonly<Record<string, string>>> =>
    key === undefined
      ? {}
      : {
          client_assertion_type: JWT_BEARER,
          client_assertion: await clientAssertion(key, { clientId, audience: url }, stamp()),
        };

  const ask = async (fields: Readonly<Record<string, string>>): Promise<Held> => {
    const body = new URLSearchParams({ ...fields, ...(await proven()) });
    const headers =
      proofKey === undefined
        ? {}
        : { dpop: await proofOfPossession(proofKey, { method: 'POST', url }, stamp()) };
    let answer: Response;
    try {
      answer = await send(url, { method: 'POST', redirect: 'error', headers, body });
    } catch (cause) {
      throw connectionError('the token endpoint', cause);
    }
    const given = (await answer.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresInS } = given;
    if (answer.ok && typeof accessToken === 'string')
      return {
        accessToken,
        refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
        renewAtMs: now() + Number(expiresInS ?? 0) * 1000 - RENEW_AHEAD_MS,
      };
    const why = given['error_description'] ?? given['error'];
    throw new GroundwatchError(
      `no token: ${typeof why === 'string' ? why : `the answer was ${answer.status}`}`,
      { status: answer.status, code: CODES[answer.status] ?? 'unreadable_answer' },
    );
  };
  const renew = async (old: Held | undefined): Promise<Held> => {
    if (old?.refreshToken !== undefined) {
      const fields = { grant_type: 'refresh_token', refresh_token: old.refreshToken, client_id: clientId };
      try {
        return await ask(fields);
      } catch (error) {
        // The refresh token is rejected when it was already used, was revoked or has expired. The secret or key
        // may still be valid, so it is tried next. After any other error, that request would fail too.
        const refused = error instanceof GroundwatchError && [400, 401].includes(error.status);
        if (!refused) throw error;
      }
    }
    return ask({
      grant_type: 'client_credentials',
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(scopes !== undefined && { scope: scopes.join(' ') }),
    });
  };
  return async (refused) => {
    if (held !== undefined && held.accessToken !== refused && now() < held.renewAtMs) return held.accessToken;
    // The service revokes an access token together with its refresh token. If the access token was rejected, the
    // refresh token would be rejected too. The secret or key is used instead.
    const old = held?.accessToken === refused ? undefined : held;
    underway ??= renew(old)
      .then((fresh) => (held = fresh))
      .finally(() => (underway = undefined));
    return (await underway).accessToken;
  };
}
