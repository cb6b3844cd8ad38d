import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionState } from '../../src/contract/people/session.ts';
import type { Session } from '../session.ts';
import { type Choice, chosen } from './choice.ts';
import {
  isRefusal,
  openByKey,
  openByPerson,
  openByTypedKey,
  readState,
  type Refusals,
  signOut,
} from './opening.ts';

/**
 * Name of the entry in the session storage that contains the API key. The entry exists until the tab is closed. The API
 * key is never part of an address.
 */
const KEY_ENTRY = 'groundwatch-key';
/** Name of the entry in the local storage with the account and the environment that a person chose last. */
const CHOICE_ENTRY = 'groundwatch-choice';
const KEY_ENDED = 'The service no longer accepts this key. Sign in again.';

/** Where the user is: before the door, at it, or inside. */
export type Entry =
  | { readonly at: 'loading' }
  /** The service did not say who is signed in. */
  | { readonly at: 'failed'; readonly error: unknown }
  | {
      readonly at: 'door';
      /** Whether people can sign in with a provider. */
      readonly withProvider: boolean;
      /** Why the user must sign in again; undefined at the first sign-in. */
      readonly reason: string | undefined;
    }
  | { readonly at: 'inside'; readonly session: Session };

/** How the user comes in and goes out. */
export interface Door {
  readonly entry: Entry;
  /** Signs in with an API key, for this tab. @throws Error with the reason for the user */
  readonly enterByKey: (apiKey: string) => Promise<void>;
  /** Goes to another account or environment of the person. */
  readonly choose: (choice: Choice) => void;
  /** Signs out. @throws Error when the service does not end the session */
  readonly leave: () => Promise<void>;
  readonly again: () => void;
}

/** Signs the user in and out, and follows what the service says about the session. */
// Long function: all that changes the entry, because each change depends on where the user is.
export function useEntry(): Door {
  const [entry, setEntry] = useState<Entry>({ at: 'loading' });
  const now = useRef(entry);
  now.current = entry;
  const provided = useRef(false); // whether people can sign in, as the service said last

  const toDoor = (reason?: string): void => {
    sessionStorage.removeItem(KEY_ENTRY);
    setEntry({ at: 'door', withProvider: provided.current, reason });
  };
  /** The refusals of a session; those of a session that was left are ignored. */
  const refusals = (): Refusals & { client?: Session['client'] } => {
    const of: Refusals & { client?: Session['client'] } = {
      onEnded: () => isInside(of.client) && ended(),
      onForbidden: () => isInside(of.client) && void look(),
    };
    return of;
  };
  const isInside = (client: Session['client'] | undefined): boolean =>
    now.current.at === 'inside' && now.current.session.client === client;

  const enter = (session: Session, of: ReturnType<typeof refusals>): void => {
    of.client = session.client;
    setEntry({ at: 'inside', session });
  };
  const state = async (): Promise<SessionState> => {
    const found = await readState();
    provided.current = found.sign_in;
    return found;
  };
  /** Enters as the person whose session the browser has. Returns false when it has none. */
  const enterByPerson = ({ members }: SessionState): boolean => {
    const found = chosen(members ?? [], localStorage.getItem(CHOICE_ENTRY));
    if (found === undefined) return false;
    const of = refusals();
    enter(openByPerson(found.membership, found.environment, members!, of), of);
    return true;
  };
  /** Looks who is signed in, and with which roles: they may have changed. A failed look changes nothing. */
  const look = async (): Promise<void> => {
    if (now.current.at !== 'inside' || now.current.session.person === undefined) return;
    const found = await state().catch(() => undefined);
    const { current } = now;
    if (found === undefined || current.at !== 'inside' || current.session.person === undefined) return;
    const { memberships } = current.session.person;
    if (JSON.stringify(found.members) === JSON.stringify(memberships)) return;
    if (!enterByPerson(found)) toDoor('Your session has ended. Sign in again.');
  };
  const ended = (): void => {
    if (now.current.at === 'inside' && now.current.session.person === undefined) toDoor(KEY_ENDED);
    else void look();
  };
  const start = async (): Promise<void> => {
    setEntry({ at: 'loading' });
    const apiKey = sessionStorage.getItem(KEY_ENTRY);
    try {
      const found = await state();
      if (apiKey === null) {
        if (!enterByPerson(found)) toDoor();
        return;
      }
      const of = refusals();
      enter(await openByKey(apiKey, of), of);
    } catch (error) {
      if (isRefusal(error)) toDoor(KEY_ENDED);
      else setEntry({ at: 'failed', error });
    }
  };
  useEffect(() => void start(), []);
  useReturns(() => void look());

  return {
    entry,
    again: () => void start(),
    async enterByKey(apiKey) {
      const of = refusals();
      const session = await openByTypedKey(apiKey, of);
      sessionStorage.setItem(KEY_ENTRY, apiKey);
      enter(session, of);
    },
    choose(choice) {
      localStorage.setItem(CHOICE_ENTRY, JSON.stringify(choice));
      if (entry.at !== 'inside' || entry.session.person === undefined) return;
      enterByPerson({ sign_in: true, members: entry.session.person.memberships });
    },
    async leave() {
      if (entry.at === 'inside' && entry.session.person !== undefined) await signOut();
      toDoor();
    },
  };
}

/** Calls `look` when the user comes back to the tab or goes to another page of the console. */
function useReturns(look: () => void): void {
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => {
    const turn = (): void => {
      if (document.visibilityState === 'visible') latest.current();
    };
    document.addEventListener('visibilitychange', turn);
    addEventListener('hashchange', turn);
    return () => {
      document.removeEventListener('visibilitychange', turn);
      removeEventListener('hashchange', turn);
    };
  }, []);
}
