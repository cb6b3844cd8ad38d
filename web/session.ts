import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Groundwatch } from '../src/client/index.ts';

/** A signed-in user: what the key is for, and the client that carries it. */
export interface Session {
  readonly client: Groundwatch;
  /** `sandbox`, `staging` or `production`: told by the key itself. */
  readonly environment: string;
  /** Names the key in the service's logs; no secret. */
  readonly keyId: string;
}

/** Where the key is kept: for this tab, until it is closed. Never in an address. */
const STORAGE_KEY = 'groundwatch-key';

const KEY_FORM = /^gw_(sandbox|staging|production)_(key_[0-9a-z]+)_[0-9A-Za-z]+$/;

/**
 * Makes a client for a key. `onRefused` is told when the service refuses the key.
 * @returns undefined when the text does not have the form of a key
 */
export function openSession(apiKey: string, onRefused: () => void): Session | undefined {
  const [, environment, keyId] = KEY_FORM.exec(apiKey) ?? [];
  if (environment === undefined || keyId === undefined) return undefined;
  const client = new Groundwatch({
    baseUrl: new URL('.', document.baseURI).href,
    apiKey,
    retry: { retries: 2, longestRetryAfterMs: 5_000 }, // ms; a person is waiting, and is told instead
    fetch: async (...given) => {
      const answer = await globalThis.fetch(...given);
      if (answer.status === 401) onRefused();
      return answer;
    },
  });
  return { client, environment, keyId };
}

export function storedKey(): string | undefined {
  return sessionStorage.getItem(STORAGE_KEY) ?? undefined;
}

export function storeKey(apiKey: string | undefined): void {
  if (apiKey === undefined) sessionStorage.removeItem(STORAGE_KEY);
  else sessionStorage.setItem(STORAGE_KEY, apiKey);
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The client of whoever is signed in. @throws RangeError outside of a session */
export function useClient(): Groundwatch {
  const session = useContext(SessionContext);
  if (session === undefined) throw new RangeError('nobody is signed in');
  return session.client;
}
