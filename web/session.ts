import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Groundwatch } from '../src/client/index.ts';

/** Session of a signed-in user: the client that uses the key, and the public parts of the key. */
export interface Session {
  readonly client: Groundwatch;
  /** Environment of the key: `sandbox`, `staging` or `production`; it is part of the key. */
  readonly environment: string;
  /** Identifier of the key, which is not secret and also appears in the logs of the service. */
  readonly keyId: string;
}

/**
 * Name of the entry in the session storage that contains the API key. The entry exists until the tab is closed. The API
 * key is never part of an address.
 */
const STORAGE_KEY = 'groundwatch-key';

const KEY_FORM = /^gw_(sandbox|staging|production)_(key_[0-9a-z]+)_[0-9A-Za-z]+$/;

/**
 * Creates a client for a key. `onRefused` is called when the service rejects the key.
 * @returns undefined when the text does not have the form of a key
 */
export function openSession(apiKey: string, onRefused: () => void): Session | undefined {
  const [, environment, keyId] = KEY_FORM.exec(apiKey) ?? [];
  if (environment === undefined || keyId === undefined) return undefined;
  const client = new Groundwatch({
    baseUrl: new URL('.', document.baseURI).href,
    apiKey,
    // A user is waiting, so a `Retry-After` of more than 5 s is shown as an error.
    retry: { retries: 2, longestRetryAfterMs: 5_000 },
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

/** Returns the client of the signed-in user. @throws RangeError when nobody is signed in */
export function useClient(): Groundwatch {
  const session = useContext(SessionContext);
  if (session === undefined) throw new RangeError('nobody is signed in');
  return session.client;
}
