import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { InvalidInput, type Problem } from '../../base/errors.ts';
import { CLIENT_KEYS } from '../../contract/limits.ts';
import type { JwkSet } from './client-store.ts';

const MIN_RSA_BITS = 2048; // RFC 7518 section 3.3
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']; // members of private and of secret keys: RFC 7518 section 6
const KINDS = 'a public key: EC P-256, Ed25519, or RSA of 2048 bits or more';

/**
 * Reads the public keys of a client (RFC 7517). Several keys must be told apart by `kid`.
 * @param param how the caller named the key set
 * @throws InvalidInput naming each key that is private, malformed or of another kind
 */
export function readClientKeys(value: unknown, param: string): JwkSet {
  const keys = (value as { readonly keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > CLIENT_KEYS)
    throw new InvalidInput(`${param}.keys: expected 1 to ${CLIENT_KEYS} keys`, { param: `${param}.keys` });
  const ids = keys.map((key: { readonly kid?: unknown } | null) => key?.kid);
  const details = keys.flatMap((key: unknown, i): Problem[] => {
    const message = problemOf(key) ?? (keys.length > 1 ? problemOfId(ids, i) : undefined);
    return message === undefined ? [] : [{ param: `${param}.keys[${i}]`, message }];
  });
  const [first] = details;
  if (first !== undefined)
    throw new InvalidInput(`${first.param}: ${first.message}`, { param: first.param, details });
  return { keys: keys as JwkSet['keys'] };
}

function problemOfId(ids: readonly unknown[], i: number): string | undefined {
  const id = ids[i];
  return typeof id === 'string' && id !== '' && ids.indexOf(id) === i
    ? undefined
    : 'kid: expected a text of its own, because there are several keys';
}

function problemOf(key: unknown): string | undefined {
  if (typeof key !== 'object' || key === null) return `expected ${KINDS}`;
  const secret = PRIVATE.find((member) => member in key);
  if (secret !== undefined) return `${secret}: expected no member of a private key; create another key pair`;
  const { kid } = key as { readonly kid?: unknown };
  if (kid !== undefined && typeof kid !== 'string') return 'kid: expected a text';
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: of } = createPublicKey({
      key: key as JsonWebKey,
      format: 'jwk',
    });
    if (type === 'ed25519') return undefined;
    if (type === 'ec' && of?.namedCurve === 'prime256v1') return undefined;
    if (type === 'rsa' && of!.modulusLength! >= MIN_RSA_BITS) return undefined;
  } catch {
    // not a key at all: the same message
  }
  return `expected ${KINDS}`;
}
