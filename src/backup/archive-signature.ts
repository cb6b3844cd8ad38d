import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { makeFile } from '../base/durable-file.ts';

/** The last file of an archive: who vouches for its checksums. */
export const SIGNATURE_NAME = 'SIGNATURE';
/** Begins a public key, which as bare base64url may begin with a dash and look like an option. */
const PREFIX = 'gwsign_';
const PURPOSE = 'groundwatch backup 1\n'; // a signature for anything else does not fit an archive

/** Signs archives (Ed25519, RFC 8032). */
export interface ArchiveSigner {
  /** Public key: a prefix, and the key as base64url. */
  readonly publicKey: string;
  /** Returns the signature file for the text of the checksum file. */
  sign(sums: string): string;
}

/**
 * Opens the signing key of an installation, and makes it on first use. The key is in no backup, so who can read or
 * change a backup cannot sign another one.
 * @param path file of the key
 */
export async function archiveSigner(path: string): Promise<ArchiveSigner> {
  const { privateKey } = generateKeyPairSync('ed25519');
  await makeFile(path, String(privateKey.export({ type: 'pkcs8', format: 'pem' })), 0o600);
  const key = createPrivateKey(await readFile(path, 'utf8'));
  const publicKey = textOf(createPublicKey(key));
  return {
    publicKey,
    sign: (sums) => {
      const signature = sign(null, Buffer.from(PURPOSE + sums), key).toString('base64url');
      return `${JSON.stringify({ key: publicKey, signature })}\n`;
    },
  };
}

/**
 * Checks the signature file of an archive.
 * @param signer public key that must have signed it; undefined: any
 * @returns the public key that signed it
 * @throws Error when the signature does not fit the checksums, or another key signed
 */
export function signerOf(signatureFile: string, sums: string, signer: string | undefined): string {
  const { key, signature } = read(signatureFile);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.slice(PREFIX.length) };
  let holds = false;
  try {
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    holds = verify(null, Buffer.from(PURPOSE + sums), publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    // not a key: the signature does not hold
  }
  if (!holds) throw new Error('its signature does not fit its content: it was altered');
  if (signer !== undefined && key !== signer)
    throw new Error(`it was signed by ${key}; expected the signer ${signer}`);
  return key;
}

function read(text: string): { readonly key: string; readonly signature: string } {
  try {
    const { key, signature } = JSON.parse(text) as { readonly key: unknown; readonly signature: unknown };
    return { key: String(key), signature: String(signature) };
  } catch {
    return { key: '', signature: '' };
  }
}

function textOf(key: KeyObject): string {
  return PREFIX + String(key.export({ format: 'jwk' }).x);
}
