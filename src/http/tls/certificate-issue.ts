import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
} from '@peculiar/asn1-x509';
import { createHash, createPublicKey, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'; // RFC 5758 section 3.2
const COMMON_NAME = '2.5.4.3'; // RFC 5280 appendix A
const SERIAL_BYTES = 16; // random; RFC 5280 section 4.1.2.2 allows 20

interface CertificateRequest {
  readonly subject: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** A self-signed authority that may sign servers and nothing below. Keys are ECDSA P-256. Returns PEM. */
export function issueAuthority(key: KeyObject, request: CertificateRequest): string {
  return issue(key, request, { key, subject: request.subject }, [
    extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
    extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign)),
  ]);
}

/** A server's certificate for DNS names and IP addresses, signed by an authority. Returns PEM. */
export function issueServer(
  key: KeyObject,
  request: CertificateRequest & { readonly hosts: readonly string[] },
  authority: { readonly key: KeyObject; readonly subject: string },
): string {
  const names = request.hosts.map((host) =>
    isIP(host) === 0 ? new GeneralName({ dNSName: host }) : new GeneralName({ iPAddress: host }),
  );
  return issue(key, request, authority, [
    extension(id_ce_basicConstraints, true, new BasicConstraints()),
    extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature)),
    extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([id_kp_serverAuth])),
    extension(id_ce_subjectAltName, false, new SubjectAlternativeName(names)),
    extension(
      id_ce_authorityKeyIdentifier,
      false,
      new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdentifier(authority.key)) }),
    ),
  ]);
}

/** @see RFC 5280 section 4.1 */
function issue(
  key: KeyObject,
  request: CertificateRequest,
  authority: { readonly key: KeyObject; readonly subject: string },
  extensions: readonly Extension[],
): string {
  const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const serial = randomBytes(SERIAL_BYTES);
  serial[0] = (serial[0]! & 0x7f) | 0x40; // positive, and of one length
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: bytes(serial),
    signature: signatureAlgorithm,
    issuer: commonName(authority.subject),
    validity: new Validity({
      notBefore: new Date(request.notBeforeMs),
      notAfter: new Date(request.notAfterMs),
    }),
    subject: commonName(request.subject),
    subjectPublicKeyInfo: publicKeyInfo(key),
    extensions: new Extensions([
      ...extensions,
      extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyIdentifier(key))),
    ]),
  });
  const signed = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), authority.key);
  const der = AsnConvert.serialize(
    new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue: bytes(signed) }),
  );
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function extension(extnID: string, critical: boolean, value: object): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function commonName(text: string): Name {
  const value = new AttributeValue({ utf8String: text });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function publicKeyInfo(key: KeyObject): SubjectPublicKeyInfo {
  return AsnConvert.parse(createPublicKey(key).export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo);
}

/** SHA-1 of the public key's bits. @see RFC 5280 section 4.2.1.2, method 1 */
function keyIdentifier(key: KeyObject): ArrayBuffer {
  const bits = new Uint8Array(publicKeyInfo(key).subjectPublicKey);
  return bytes(createHash('sha1').update(bits).digest());
}

function bytes(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}
