import { errorOfSilence, GroundwatchError, type GroundwatchErrorCode } from './error.ts';
import type { TokenProvider } from './transport.ts';

const RENEW_AHEAD_MS = 60_000; // before its end a token is renewed: clocks differ, and a call takes its time

/** An OAuth client, and where it gets its tokens. */
export interface ClientCredentialsOptions {
  /** Address of the token endpoint without `/oauth/token`; usually that of the service. */
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scopes to ask for; all that the client holds unless told. */
  readonly scopes?: readonly string[];
  /** Takes the place of the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Takes the place of the clock [ms]. */
  readonly now?: () => number;
}

/** The service's codes for what the token endpoint answers. */
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
 * Gives access tokens of an OAuth client, as the option `token` of a client takes them: asks for one with the client's
 * secret when there is none, renews it with the refresh token, and starts anew when that is refused.
 * @throws GroundwatchError when no token can be had
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
      throw errorOfSilence('the token endpoint', cause);
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
        // It was used, revoked or too old: the secret still stands. What else went wrong would go wrong again.
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
    // A token that was refused was revoked, with all that came of it: its refresh token would be refused too.
    const old = held?.accessToken === refused ? undefined : held;
    underway ??= renew(old)
      .then((fresh) => (held = fresh))
      .finally(() => (underway = undefined));
    return (await underway).accessToken;
  };
}
