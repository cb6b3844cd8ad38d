import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Membership } from '../src/contract/people/session.ts';
import type { Groundwatch } from '../src/client/index.ts';

/** Session of a signed-in user: a client that makes the calls, and what it may do. */
export interface Session {
  readonly client: Groundwatch;
  /** Environment of the calls: `sandbox`, `staging` or `production`. */
  readonly environment: string;
  readonly account: { readonly id: string; readonly name: string };
  /** Id of the key or of the member. It is not secret and also appears in the logs of the service. */
  readonly callerId: string;
  readonly scopes: readonly string[];
  /** Who signed in with the provider; undefined: the session uses an API key. */
  readonly person: Person | undefined;
}

/** A person who signed in with the provider. */
export interface Person {
  /** The membership in the account of the session. */
  readonly membership: Membership;
  /** All memberships of the person, by the name of the account. */
  readonly memberships: readonly Membership[];
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session of the signed-in user. @throws RangeError when nobody is signed in */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new RangeError('nobody is signed in');
  return session;
}

/** Returns the client of the signed-in user. @throws RangeError when nobody is signed in */
export function useClient(): Groundwatch {
  return useSession().client;
}

/**
 * Whether to show when this service recorded something. In the sandbox such a date would stand beside those of the
 * simulated region, which has a calendar of its own.
 */
export function useRecordDates(): boolean {
  return useSession().environment !== 'sandbox';
}
