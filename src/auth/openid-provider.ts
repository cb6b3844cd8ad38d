import type * as OpenId from 'openid-client';
import type { Clock } from '../app/clock.ts';
import type { GrantStore } from '../app/access/client-store.ts';
import { type IdentityProvider, type SignedIn, SignInRefused } from '../app/access/sign-in.ts';
import { UpstreamUnavailable } from '../base/errors.ts';
import { HOUR_MS } from '../base/time.ts';
import { SIGN_IN_MINUTES } from '../contract/limits.ts';
import type { SecretBox } from './secret-box.ts';
import { secretHash } from './secret-hash.ts';
import { openTicket, sealTicket, type SignInTicket } from './sign-in-ticket.ts';

const SIGN_IN_MS = SIGN_IN_MINUTES * 60_000;
const METADATA_MS = HOUR_MS; // time for which the metadata of the provider is kept
const WELL_KNOWN = '/.well-known/openid-configuration';
const START_AGAIN = 'Start again from the console.';

/** How the operator registered this service with the provider. */
export interface ProviderSettings {
  /** Issuer, or the address of its metadata. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Provider {
  readonly openid: typeof OpenId;
  readonly config: OpenId.Configuration;
}

/**
 * Signs people in with an OpenID provider: authorization code flow with PKCE, state and nonce. The provider is first
 * contacted, and the library first loaded, when somebody signs in.
 * @see https://openid.net/specs/openid-connect-core-1_0.html
 */
export function openIdProvider(
  settings: ProviderSettings,
  parts: {
    readonly fetch: typeof globalThis.fetch;
    /** Time limit of one request to the provider [ms]. */
    readonly timeoutMs: number;
    readonly sealing: SecretBox;
    readonly grants: Pick<GrantStore, 'spend'>;
    readonly clock: Clock;
    /** Address to which the provider sends browsers back. */
    readonly redirectUri: () => string;
  },
): IdentityProvider {
  const { sealing, grants, clock, redirectUri } = parts;
  let known: { readonly provider: Promise<Provider>; readonly atMs: number } | undefined;
  const provider = (): Promise<Provider> => {
    if (known !== undefined && clock.now() - known.atMs < METADATA_MS) return known.provider;
    const discovered = discover(settings, parts);
    known = { provider: discovered, atMs: clock.now() };
    discovered.catch(() => (known = undefined));
    return discovered;
  };

  return {
    async begin() {
      const { openid, config } = await provider();
      const [state, nonce, verifier] = [
        openid.randomState(),
        openid.randomNonce(),
        openid.randomPKCECodeVerifier(),
      ];
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri(),
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      const untilMs = clock.now() + SIGN_IN_MS;
      return { url: url.href, ticket: sealTicket(sealing, { state, nonce, verifier, untilMs }) };
    },

    async complete(answer, sealed) {
      const ticket = sealed === undefined ? undefined : openTicket(sealing, sealed, clock.now());
      if (ticket === undefined)
        throw new SignInRefused(
          `This browser has not begun to sign in, or more than ${SIGN_IN_MINUTES} minutes ago. ${START_AGAIN}`,
        );
      if (answer.get('state') !== ticket.state)
        throw new SignInRefused(
          `The provider answers another sign-in than the one that this browser began. ${START_AGAIN}`,
        );
      const proof = { hash: secretHash(ticket.state), expiresAt: new Date(ticket.untilMs) };
      if (!(await grants.spend(proof)))
        throw new SignInRefused(`This sign-in was completed before. ${START_AGAIN}`);
      const url = new URL(redirectUri());
      url.search = answer.toString();
      return exchange(await provider(), url, ticket);
    },
  };
}

/** Exchanges the code in the provider's answer, and checks what comes. @param url address of the answer */
async function exchange({ openid, config }: Provider, url: URL, ticket: SignInTicket): Promise<SignedIn> {
  try {
    const tokens = await openid.authorizationCodeGrant(config, url, {
      expectedState: ticket.state,
      expectedNonce: ticket.nonce,
      pkceCodeVerifier: ticket.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const { iss: issuer, sub: subject } = claims;
    // Many providers put the address into the ID token, others only into the answer of this endpoint.
    const isTold = claims['email'] !== undefined;
    const { email, email_verified: isVerified } =
      isTold || config.serverMetadata().userinfo_endpoint === undefined
        ? claims
        : await openid.fetchUserInfo(config, tokens.access_token, subject);
    return { issuer, subject, email: verifiedEmail(email, isVerified) };
  } catch (cause) {
    throw isOutage(cause, openid)
      ? new UpstreamUnavailable('The OpenID provider does not answer', { cause })
      : new SignInRefused(refusal(cause, openid), { cause });
  }
}

async function discover(
  { issuer, clientId, clientSecret }: ProviderSettings,
  { fetch, timeoutMs }: { readonly fetch: typeof globalThis.fetch; readonly timeoutMs: number },
): Promise<Provider> {
  const openid = await import('openid-client');
  try {
    const config = await openid.discovery(
      new URL(issuer),
      clientId,
      undefined,
      (...given) => {
        // The default of a client, and of a provider that does not say what it takes, is HTTP Basic.
        const methods = given[0].token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
        const prove = methods.includes('client_secret_basic')
          ? openid.ClientSecretBasic(clientSecret)
          : openid.ClientSecretPost(clientSecret);
        return prove(...given);
      },
      {
        timeout: timeoutMs / 1000,
        [openid.customFetch]: fetch as never,
        execute: [openid.enableNonRepudiationChecks],
      },
    );
    const found = config.serverMetadata().issuer;
    // The library compares the issuer only where the setting is not the address of the metadata. It also takes
    // providers with an issuer for each of their tenants, whose e-mail addresses a stranger could choose.
    if (bare(found) !== bare(issuer))
      throw new Error(`expected the metadata of ${issuer}, got those of ${found}`);
    return { openid, config };
  } catch (cause) {
    throw new UpstreamUnavailable('The OpenID provider cannot be used: its metadata cannot be read', {
      cause,
    });
  }
}

/** An issuer without the path of its metadata and without a slash at the end. */
function bare(issuer: string): string {
  return issuer.replace(WELL_KNOWN, '').replace(/\/$/, '');
}

/** Returns an e-mail address, unless the provider says that it has not verified it. */
function verifiedEmail(email: unknown, isVerified: unknown): SignedIn['email'] {
  // Some providers send booleans as texts.
  if (typeof email !== 'string' || isVerified === false || isVerified === 'false') return undefined;
  return email.trim().toLowerCase();
}

function isOutage(error: unknown, openid: typeof OpenId): boolean {
  if (error instanceof openid.ClientError) {
    const { status } = (error.cause ?? {}) as { readonly status?: unknown };
    return (
      error.code === 'OAUTH_TIMEOUT' ||
      error.code === 'OAUTH_ABORT' ||
      (typeof status === 'number' && status >= 500)
    );
  }
  return error instanceof TypeError; // of `fetch`
}

/** Explains a refusal to the person. The log has the cause. */
function refusal(error: unknown, openid: typeof OpenId): string {
  if (error instanceof openid.AuthorizationResponseError && /^\w{1,40}$/.test(error.error))
    return `The provider did not let you in (${error.error}). ${START_AGAIN}`;
  return `The answer of the provider is not valid. ${START_AGAIN}`;
}
