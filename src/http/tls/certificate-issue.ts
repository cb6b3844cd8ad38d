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

/**
 * Issues the self-signed certificate of an authority that may sign server certificates but no other authorities. Keys
 * are ECDSA P-256.
 * @returns the certificate as PEM
 */
export function issueAuthority(key: KeyObject, request: CertificateRequest): Promise<string> {
  return issue(key, request, { key, subject: request.subject }, [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ]);
}

/** Issues a server certificate for DNS names and IP addresses, signed by an authority. @returns certificate as PEM */
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
 * Makes a name that is always encoded as UTF-8. The encoding must not change between releases: clients compare the
 * issuer's name in a certificate byte by byte with the authority's name, and an older release may have encoded the
 * authority's name.
 */
function commonName(text: string): Name {
  return new Name([{ CN: [{ utf8String: text }] }]);
}

function publicKeyOf(key: KeyObject) {
  return createPublicKey(key).toCryptoKey(KEY_ALGORITHM, true, ['verify']);
}
