import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose';
import type { SigningKey, SigningKeyStore } from '../app/access/client-store.ts';
import type { Clock } from '../app/clock.ts';
import { DAY_MS } from '../base/time.ts';
import { ACCESS_TOKEN_S } from '../contract/limits.ts';

/** Signature of access tokens: ECDSA over P-256 with SHA-256 (RFC 7518 section 3.4). */
export const SIGNATURE = 'ES256';

const SIGNS_FOR_MS = 30 * DAY_MS; // age of the newest key at which another key is made
const PUBLISHED_AHEAD_MS = 3_600_000; // from publication to first use of a key, so that cached key sets contain it
/**
 * Time for which a key is kept after the next key has started to sign [ms]. By then every token signed with the key
 * has expired, even if clocks differ by 10 minutes.
 */
const KEPT_AFTER_MS = (ACCESS_TOKEN_S + 600) * 1000;
const RELOAD_MS = 60_000; // interval at which keys made by other nodes are loaded
const UNKNOWN_RELOAD_MS = 1_000; // minimum interval between reloads because of an unknown key id in a token

/** Plan for the signing keys at a given time: the key to sign with, and the keys to add and to remove. */
export interface KeyPlan {
  /** The key that signs now; undefined when there are no keys. */
  readonly signer: SigningKey | undefined;
  /** Whether to make another key. */
  readonly needsAnother: boolean;
  /** Ids of the keys to remove: all tokens that they signed have expired. */
  readonly retired: readonly string[];
}

/** Decides which key signs and which keys are retired. @param keys newest first */
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

/** A signing key, and its public key as an object of the JWT library. */
interface LoadedKey {
  readonly key: SigningKey;
  readonly verifies: CryptoKey;
}

/**
 * The signing keys of access tokens. They are sealed in the database, shared by all nodes and replaced every 30 days.
 */
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

  /** Returns the key that signs now. Makes another key and removes retired keys when due. */
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

  /** Returns the public key with an id; undefined when there is no such key. */
  async verifier(id: string): Promise<CryptoKey | undefined> {
    if (!this.#loaded.has(id)) await this.#reload(UNKNOWN_RELOAD_MS);
    return this.#loaded.get(id)?.verifies;
  }

  /** Returns the public keys (as JWKs) of all tokens that may still be valid. */
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
    const ageMs = this.#clock.now() - this.#loadedAtMs; // negative after the clock was set back
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

/** Makes a signing key. */
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
