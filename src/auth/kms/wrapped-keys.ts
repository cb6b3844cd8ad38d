import { randomBytes } from 'node:crypto';
import { secretBox, type SecretBox } from '../secret-box.ts';
import type { KeyService } from './key-service.ts';

const KEY_BYTES = 32; // AES-256
const LOOK_MS = 2_000; // time between two looks for keys that another process made
const FIRST = 'first'; // id of the first key, the same for all processes that start at the same time

/** Keys of an installation, as a key service wrapped them. */
export interface WrappedKeyStore {
  /** Newest first. */
  list(): Promise<readonly { readonly id: string; readonly wrapped: string }[]>;
  /** Stores a key unless there is one with this id. */
  add(id: string, wrapped: string): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

/** A box whose keys are kept by a key service. */
export interface WrappedKeyBox {
  readonly box: SecretBox;
  /**
   * Makes a new key, which seals from then on in all processes.
   * @returns a function that removes the older keys; call it when no box is sealed under them any more
   */
  renew(): Promise<() => Promise<void>>;
  close(): void;
}

/**
 * Opens the keys that a key service wrapped, and makes the first one. The service is asked once for each key: opened
 * keys stay in memory, so nothing waits for the service while the installation runs.
 * @param older keys that can still open what was sealed before the key service was set
 * @param onError receives the failure of a look for new keys
 * @throws Error with the reason of the key service
 */
export async function wrappedKeyBox(
  store: WrappedKeyStore,
  service: KeyService,
  older: readonly Buffer[],
  onError: (error: unknown) => void,
): Promise<WrappedKeyBox> {
  let opened = new Map<string, Buffer>();
  let box: SecretBox | undefined;
  const look = async (): Promise<void> => {
    const listed = await store.list();
    const ids = listed.map(({ id }) => id);
    if (box !== undefined && ids.join() === [...opened.keys()].join()) return;
    const found = new Map<string, Buffer>();
    for (const { id, wrapped } of listed) found.set(id, opened.get(id) ?? (await service.unwrap(wrapped)));
    if (found.size === 0) return;
    opened = found;
    box = secretBox(...found.values(), ...older);
  };
  const make = async (id: string): Promise<void> => store.add(id, await service.wrap(randomBytes(KEY_BYTES)));
  await look();
  if (box === undefined) {
    await make(FIRST);
    await look();
  }
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch(onError)
      .finally(() => (looking = false));
  }, LOOK_MS).unref();
  const current = (): SecretBox => box!;
  return {
    box: { seal: (plain) => current().seal(plain), open: (sealed) => current().open(sealed) },
    async renew() {
      const before = (await store.list()).map(({ id }) => id);
      await make(`key-${randomBytes(8).toString('hex')}`);
      await look();
      // Waits until all processes have the new key.
      await new Promise((resolve) => setTimeout(resolve, 2 * LOOK_MS));
      return async () => {
        await store.remove(before);
        await look();
      };
    },
    close: () => clearInterval(timer),
  };
}
