import { connectionError, GroundwatchError, type GroundwatchErrorCode } from './error.ts';
import type { TokenProvider } from './transport.ts';

const RENEW_AHEAD_MS = 60_000; // time from renewal to expiry of a token; covers clock differences and slow calls

/** Credentials of an OAuth client, and the address of its token endpoint. */
export interface ClientCredentialsOptions {
  /** Address of the token endpoint without `/oauth/token`; usually the address of the service. */
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
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
 * the client's secret and renews it with the refresh token. When the refresh token is rejected, it uses the secret
 * again.
 * @throws GroundwatchError when the token endpoint gives no token
 */
export function clientCredentials(options: ClientCredentialsOptions): TokenProvider {
  const { clientId, clientSecret, scopes } = options;
  const now = options.now ?? (() => Date.now());
  const send = options.fetch ?? ((...given) => globalThis.fetch(...given));
  const url = `${new URL(options.authUrl).href.replace(/\/$/, '')}/oauth/token`;
  let held: Held | undefined;
  let underway: Promise<Held> | undefined;

  const ask = async (fields: Readonly<Record<string, string>>): Promise<Held> => {
    let answer: Response;
    try {
      answer = await send(url, { method: 'POST', redirect: 'error', body: new URLSearchParams(fields) });
    } catch (cause) {
      throw connectionError('the token endpoint', cause);
    }
    const body = (await answer.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresInS } = body;
    if (answer.ok && typeof accessToken === 'string')
      return {
        accessToken,
        refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
        renewAtMs: now() + Number(expiresInS ?? 0) * 1000 - RENEW_AHEAD_MS,
      };
    const why = body['error_description'] ?? body['error'];
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
        // The refresh token is rejected when it was already used, was revoked or has expired. The secret may still
        // be valid, so it is tried next. After any other error, a request with the secret would fail too.
        const refused = error instanceof GroundwatchError && [400, 401].includes(error.status);
        if (!refused) throw error;
      }
    }
    return ask({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...(scopes !== undefined && { scope: scopes.join(' ') }),
    });
  };
  return async (refused) => {
    if (held !== undefined && held.accessToken !== refused && now() < held.renewAtMs) return held.accessToken;
    // The service revokes an access token together with its refresh token. If the access token was rejected, the
    // refresh token would be rejected too. The secret is used instead.
    const old = held?.accessToken === refused ? undefined : held;
    underway ??= renew(old)
      .then((fresh) => (held = fresh))
      .finally(() => (underway = undefined));
    return (await underway).accessToken;
  };
}
