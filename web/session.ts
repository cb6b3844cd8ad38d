import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Groundwatch } from '../src/client/index.ts';

/** A signed-in user: the client that uses the key, and what the key itself says. */
export interface Session {
  readonly client: Groundwatch;
  /** `sandbox`, `staging` or `production`; it is part of the key. */
  readonly environment: string;
  /** Identifier of the key, as in the logs of the service; not a secret. */
  readonly keyId: string;
}

/** Entry of the session storage that has the key: it lasts until the tab is closed. The key is never in an address. */
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
    retry: { retries: 2, longestRetryAfterMs: 5_000 }, // ms; a person is waiting, so a longer wait is shown as an error
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

/** The client of the signed-in user. @throws RangeError outside a session */
export function useClient(): Groundwatch {
  const session = useContext(SessionContext);
  if (session === undefined) throw new RangeError('nobody is signed in');
  return session.client;
}
