import { Groundwatch, GroundwatchError } from '../../src/client/index.ts';
import { ROLE_SCOPES } from '../../src/contract/people/roles.ts';
import type { Membership, SessionState } from '../../src/contract/people/session.ts';
import type { Session } from '../session.ts';

/** What the service may refuse during a session. */
export interface Refusals {
  /** The service does not accept the key or the session any more. */
  readonly onEnded: () => void;
  /** The caller may not do something that the console offered. */
  readonly onForbidden: () => void;
}

const KEY_FORM = /^gw_(sandbox|staging|production)_key_[0-9a-z]+_[0-9A-Za-z]+$/;

/** Address of the service. */
const SERVICE = (): string => new URL('.', document.baseURI).href;

function clientOf(
  credential: { readonly apiKey: string } | { readonly session: Membership; readonly environment: string },
  { onEnded, onForbidden }: Refusals,
): Groundwatch {
  return new Groundwatch({
    baseUrl: SERVICE(),
    ...('apiKey' in credential
      ? { apiKey: credential.apiKey }
      : { session: { accountId: credential.session.account.id, environment: credential.environment } }),
    // A user is waiting, so a `Retry-After` of more than 5 s is shown as an error.
    retry: { retries: 2, longestRetryAfterMs: 5_000 },
    fetch: async (...given) => {
      const answer = await globalThis.fetch(...given);
      if (answer.status === 401) onEnded();
      if (answer.status === 403) onForbidden();
      return answer;
    },
  });
}

/** Opens a session with an API key. @throws GroundwatchError when the service does not accept it */
export async function openByKey(apiKey: string, refusals: Refusals): Promise<Session> {
  const client = clientOf({ apiKey }, refusals);
  const { id, name, caller } = await client.getAccount();
  return {
    client,
    environment: caller.environment,
    account: { id, name },
    callerId: caller.id,
    scopes: caller.scopes,
    person: undefined,
  };
}

/** Opens a session with an API key that the user typed. @throws Error with the reason for the user */
export async function openByTypedKey(apiKey: string, refusals: Refusals): Promise<Session> {
  if (!KEY_FORM.test(apiKey))
    throw new Error(
      'This is not a complete API key. A key begins with gw_sandbox_, gw_staging_ or gw_production_, followed by two more parts.',
    );
  try {
    return await openByKey(apiKey, refusals);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new Error('The service does not accept this key: it is wrong, expired or revoked.', {
      cause: error,
    });
  }
}

/** Returns whether an error says that the service does not accept a credential. */
export function isRefusal(error: unknown): boolean {
  return error instanceof GroundwatchError && error.code === 'unauthorized';
}

/** Opens a session of a person who signed in with the provider, for one account and environment. */
export function openByPerson(
  membership: Membership,
  environment: string,
  memberships: readonly Membership[],
  refusals: Refusals,
): Session {
  return {
    client: clientOf({ session: membership, environment }, refusals),
    environment,
    account: membership.account,
    callerId: membership.id,
    scopes: ROLE_SCOPES[membership.role],
    person: { membership, memberships },
  };
}

/** Asks the service who is signed in. @throws Error when it does not answer */
export async function readState(): Promise<SessionState> {
  const answer = await fetch(`${SERVICE()}auth/session`).catch((cause: unknown) => {
    throw new Error(
      'The service does not answer. Is it running, and does this browser trust its certificate?',
      {
        cause,
      },
    );
  });
  if (!answer.ok) throw new Error(`The service does not say who is signed in: it answered ${answer.status}.`);
  return (await answer.json()) as SessionState;
}

/** Ends the session of a person, in all tabs of this browser. @throws Error when the service does not do it */
export async function signOut(): Promise<void> {
  const answer = await fetch(`${SERVICE()}auth/sign-out`, { method: 'POST' }).catch(() => undefined);
  if (!answer?.ok) throw new Error('You are still signed in: the service did not answer. Try again.');
}
