import { SESSION_HOURS } from '../../contract/limits.ts';
import { HOUR_MS } from '../../base/time.ts';
import type { Environment } from '../owner.ts';
import type { Storage } from '../storage.ts';
import type { Identity, Membership } from './member-store.ts';
import type { LookUp, Principal } from './principal.ts';
import type { SessionRecord } from './session-store.ts';

/** A sign-in that was refused. The message is a sentence for the person. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
}

/** Who signed in, as the provider says. */
export interface SignedIn extends Identity {
  /** E-mail address in lower case; undefined when the provider gives none that it has not called unverified. */
  readonly email: string | undefined;
}

/** An OpenID provider. */
export interface IdentityProvider {
  /**
   * Starts a sign-in.
   * @returns the address to which the browser goes, and a sealed ticket that it must bring back
   * @throws UpstreamUnavailable when the provider does not answer
   */
  begin(): Promise<{ readonly url: string; readonly ticket: string }>;
  /**
   * Completes a sign-in. Each works once.
   * @param answer query with which the provider sent the browser back
   * @throws SignInRefused; UpstreamUnavailable when the provider does not answer
   */
  complete(answer: URLSearchParams, ticket: string | undefined): Promise<SignedIn>;
}

/** The account and the environment that a call with a session is about, as the caller gave them. */
export interface SessionChoice {
  readonly accountId: string;
  readonly environment: Environment;
}

/** Sign-in of people and their sessions. It exists when a provider is set. */
export interface People {
  readonly provider: IdentityProvider;
  readonly newSessionSecret: () => { readonly text: string; readonly hash: Buffer };
  readonly sessionHash: (secret: string) => Buffer;
  /**
   * Returns the principal of a call with a session when it was checked within the last second; otherwise a function that
   * looks it up.
   * @throws Unauthorized when the session has ended, or the person is not a member of the account
   */
  authenticate(secret: string, choice: SessionChoice): Principal | LookUp;
  /** Address of the service, where the provider sends browsers back. */
  readonly baseUrl: () => string;
}

/** When a session ends unless it is used again [ms since the Unix epoch]. */
export function endOfSession({ createdAt, lastUsedAt }: SessionRecord): number {
  return Math.min(
    createdAt.getTime() + SESSION_HOURS.most * HOUR_MS,
    lastUsedAt.getTime() + SESSION_HOURS.idle * HOUR_MS,
  );
}

/**
 * Opens a session for a person who signed in. Members that were invited by the person's e-mail address are bound to
 * the person.
 * @param former secret of the session that the browser had before; it ends
 * @returns the secret of the session, and the memberships
 * @throws SignInRefused when nobody invited the person
 */
export async function openSession(
  people: Pick<People, 'newSessionSecret' | 'sessionHash'>,
  storage: Storage,
  { email, ...identity }: SignedIn,
  nowMs: number,
  former: string | undefined,
): Promise<{ readonly secret: string; readonly memberships: readonly Membership[] }> {
  const { text, hash } = people.newSessionSecret();
  const at = new Date(nowMs);
  const memberships = await storage.transaction(async ({ members, sessions }) => {
    if (former !== undefined) await sessions.end(people.sessionHash(former));
    if (email !== undefined) await members.bind(email, identity);
    const found = await members.ofIdentity(identity);
    if (found.length === 0) return found;
    await members.touch(identity, at);
    await sessions.create(hash, { ...identity, createdAt: at, lastUsedAt: at });
    return found;
  });
  if (memberships.length === 0)
    throw new SignInRefused(
      email === undefined
        ? 'The provider gives no verified e-mail address for you, so no invitation can be found.'
        : 'Nobody has invited you to an account of this service, or not by the e-mail address that the provider gives.',
    );
  return { secret: text, memberships };
}

/** Finds the memberships of the person whose session it is; undefined when the session has ended. */
export async function readSession(
  people: Pick<People, 'sessionHash'>,
  storage: Pick<Storage, 'sessions' | 'members'>,
  secret: string,
  nowMs: number,
): Promise<readonly Membership[] | undefined> {
  const session = await storage.sessions.find(people.sessionHash(secret));
  if (session === undefined || endOfSession(session) <= nowMs) return undefined;
  return storage.members.ofIdentity(session);
}
