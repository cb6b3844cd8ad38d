import 'reflect-metadata'; // @peculiar/x509 fails to load without it
import type { KeyObject } from 'node:crypto';
import { createPublicKey } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING_ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' };

interface CertificateRequest {
  readonly subject: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

interface Issuer {
  readonly key: KeyObject;
  readonly subject: string;
}

/** Issues a self-signed authority that may sign servers but no other authorities. Keys are ECDSA P-256. Returns PEM. */
export function issueAuthority(key: KeyObject, request: CertificateRequest): Promise<string> {
  return issue(key, request, { key, subject: request.subject }, [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ]);
}

/** Issues a server's certificate for DNS names and IP addresses, signed by an authority. Returns PEM. */
export async function issueServer(
  key: KeyObject,
  request: CertificateRequest & { readonly hosts: readonly string[] },
  authority: Issuer,
): Promise<string> {
  const names = request.hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const);
  return issue(key, request, authority, [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(names),
    await AuthorityKeyIdentifierExtension.create(publicKeyOf(authority.key)),
  ]);
}

async function issue(
  key: KeyObject,
  request: CertificateRequest,
  authority: Issuer,
  extensions: readonly Extension[],
): Promise<string> {
  const certificate = await X509CertificateGenerator.create({
    subject: commonName(request.subject),
    issuer: commonName(authority.subject),
    notBefore: new Date(request.notBeforeMs),
    notAfter: new Date(request.notAfterMs),
    publicKey: publicKeyOf(key),
    signingKey: authority.key.toCryptoKey(KEY_ALGORITHM, false, ['sign']),
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: [...extensions, await SubjectKeyIdentifierExtension.create(publicKeyOf(key))],
  });
  return `${certificate.toString('pem')}\n`;
}

/**
 * Always UTF-8: clients compare an issuer's name byte by byte, also with that of an authority made by an older
 * release.
 */
function commonName(text: string): Name {
  return new Name([{ CN: [{ utf8String: text }] }]);
}

function publicKeyOf(key: KeyObject) {
  return createPublicKey(key).toCryptoKey(KEY_ALGORITHM, true, ['verify']);
}
