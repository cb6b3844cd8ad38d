import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose';
import type { SigningKey, SigningKeyStore } from '../app/access/client-store.ts';
import type { Clock } from '../app/owner.ts';
import { DAY_MS } from '../base/time.ts';
import { ACCESS_TOKEN_S } from '../contract/limits.ts';

/** Signature of access tokens: ECDSA over P-256 with SHA-256 (RFC 7518 section 3.4). */
export const SIGNATURE = 'ES256';

const SIGNS_FOR_MS = 30 * DAY_MS; // age at which a successor is made
const PUBLISHED_AHEAD_MS = 3_600_000; // a key is published this long before it signs, so that copies of the set know it
const KEPT_AFTER_MS = (ACCESS_TOKEN_S + 600) * 1000; // its last token has ended by then, on any clock
const RELOAD_MS = 60_000; // between looks at what other nodes have made
const UNKNOWN_RELOAD_MS = 1_000; // between looks for a key that a token names and that is not known

/** What is done with the keys there are, newest first, at a time. */
export interface KeyPlan {
  /** Signs now; undefined when there is none at all. */
  readonly signer: SigningKey | undefined;
  readonly needsAnother: boolean;
  /** Have signed nothing that still holds. */
  readonly retired: readonly string[];
}

/** Decides which key signs, and which have had their time. */
export function planKeys(keys: readonly SigningKey[], nowMs: number): KeyPlan {
  const ready = keys.filter(({ createdAt }) => createdAt.getTime() <= nowMs - PUBLISHED_AHEAD_MS);
  const signer = ready[0] ?? keys.at(-1);
  const newest = keys[0];
  const firstUse = (signer?.createdAt.getTime() ?? nowMs) + PUBLISHED_AHEAD_MS;
  const retired =
    ready.length > 1 && firstUse + KEPT_AFTER_MS <= nowMs ? ready.slice(1).map(({ id }) => id) : [];
  return {
    signer,
    needsAnother: newest === undefined || newest.createdAt.getTime() <= nowMs - SIGNS_FOR_MS,
    retired,
  };
}

/** A key as the signing library takes it. */
interface LoadedKey {
  readonly key: SigningKey;
  readonly verifies: CryptoKey;
}

/** The keys that sign access tokens: kept sealed in the database, the same on every node, replaced every 30 days. */
export class SigningKeys {
  readonly #store: SigningKeyStore;
  readonly #clock: Clock;
  #loaded: ReadonlyMap<string, LoadedKey> = new Map();
  #loadedAtMs = Number.NEGATIVE_INFINITY;
  #underway: Promise<void> | undefined;

  constructor(store: SigningKeyStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The key that signs now. */
  async signer(): Promise<{ readonly id: string; readonly key: CryptoKey }> {
    await this.#reload(RELOAD_MS);
    let plan = this.#plan();
    if (plan.needsAnother) {
      await this.#store.add(await newSigningKey(this.#clock.now()));
      await this.#reload(0);
      plan = this.#plan();
    }
    if (plan.retired.length > 0) await this.#store.remove(plan.retired);
    const { id, privateJwk } = plan.signer!;
    return { id, key: (await importJWK(JSON.parse(privateJwk) as JWK, SIGNATURE)) as CryptoKey };
  }

  /** The public key of an id; undefined when no key of ours has it. */
  async verifier(id: string): Promise<CryptoKey | undefined> {
    if (!this.#loaded.has(id)) await this.#reload(UNKNOWN_RELOAD_MS);
    return this.#loaded.get(id)?.verifies;
  }

  /** Every public key whose tokens may still hold, as JWKs. */
  async published(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    await this.signer();
    const { retired } = this.#plan();
    return [...this.#loaded.values()]
      .filter(({ key }) => !retired.includes(key.id))
      .map(({ key }) => key.publicJwk);
  }

  #plan(): KeyPlan {
    return planKeys(
      [...this.#loaded.values()].map(({ key }) => key),
      this.#clock.now(),
    );
  }

  async #reload(olderThanMs: number): Promise<void> {
    const ageMs = this.#clock.now() - this.#loadedAtMs; // below 0 once the clock was set back
    if (ageMs >= 0 && ageMs < olderThanMs) return;
    await (this.#underway ??= this.#load().finally(() => (this.#underway = undefined)));
  }

  async #load(): Promise<void> {
    const keys = await this.#store.list();
    const loaded = new Map<string, LoadedKey>();
    for (const key of keys)
      loaded.set(key.id, {
        key,
        verifies: (await importJWK(key.publicJwk as JWK, SIGNATURE)) as CryptoKey,
      });
    this.#loaded = loaded;
    this.#loadedAtMs = this.#clock.now();
  }
}

/** Makes a key. */
export async function newSigningKey(nowMs: number): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(SIGNATURE, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const id = await calculateJwkThumbprint(publicJwk);
  return {
    id,
    privateJwk: JSON.stringify(await exportJWK(privateKey)),
    publicJwk: { ...publicJwk, kid: id, alg: SIGNATURE, use: 'sig' },
    createdAt: new Date(nowMs),
  };
}
