import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { InvalidInput } from '../../base/errors.ts';
import { belongs, expiresAt } from './local-certificate.ts';
import type { ServerCertificate } from './local-certificate.ts';

/** Names of the settings for the operator's own certificate and its key. */
const CERT_SETTING = 'GROUNDWATCH_TLS_CERT';
const KEY_SETTING = 'GROUNDWATCH_TLS_KEY';

/**
 * Reads the operator's certificate and key. The certificate file is PEM: the certificate of the server, then its
 * chain.
 * @throws InvalidInput that names the setting, when a file is missing, unreadable or not PEM, when the key does not
 * belong to the certificate, or when the certificate is not valid now
 */
export async function givenCertificate(
  certPath: string,
  keyPath: string,
  nowMs: number,
): Promise<ServerCertificate> {
  const certPem = await content(CERT_SETTING, certPath);
  const keyPem = await content(KEY_SETTING, keyPath);
  const certificate = parse(CERT_SETTING, certPath, 'a PEM certificate', () => new X509Certificate(certPem));
  const key = parse(KEY_SETTING, keyPath, 'a PEM private key without a passphrase', () =>
    createPrivateKey(keyPem),
  );
  if (!belongs(certificate, key))
    throw refusal(
      KEY_SETTING,
      `expected the key of the first certificate in ${certPath}, got another in ${keyPath}`,
    );
  if (nowMs >= expiresAt(certificate))
    throw refusal(CERT_SETTING, `${certPath} expired on ${certificate.validToDate.toISOString()}`);
  if (nowMs < certificate.validFromDate.getTime())
    throw refusal(
      CERT_SETTING,
      `${certPath} is valid only from ${certificate.validFromDate.toISOString()} on`,
    );
  return { certPem, keyPem, expiresAtMs: expiresAt(certificate) };
}

async function content(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw refusal(setting, `cannot read ${path}: ${(cause as Error).message}`, cause);
  }
}

function parse<T>(setting: string, path: string, expected: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw refusal(setting, `expected ${expected} in ${path}`, cause);
  }
}

function refusal(setting: string, message: string, cause?: unknown): InvalidInput {
  return new InvalidInput(`${setting}: ${message}`, { param: setting, cause });
}
