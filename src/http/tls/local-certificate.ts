import type { KeyObject } from 'node:crypto';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeFile, replaceFile } from '../../base/durable-file.ts';
import { DAY_MS } from '../../base/time.ts';

const MAX_TRIES = 3; // attempts to read or create a key, while other processes may create and remove it
const CLOCK_SKEW_MS = 3_600_000; // 1 h: a client whose clock is up to this far behind accepts a new certificate
const AUTHORITY_LIFETIME_MS = 3653 * DAY_MS; // ten years
const SERVER_LIFETIME_MS = 397 * DAY_MS; // browsers accept a lifetime of at most 398 days
const RENEW_BEFORE_MS = 30 * DAY_MS; // time before expiry at which a certificate is renewed
const AUTHORITY_SUBJECT = 'Groundwatch local authority';
const SERVER_SUBJECT = 'Groundwatch';
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const UNSPECIFIED = new Set(['0.0.0.0', '::']); // a server can listen on these, but no client connects to them

/** A certificate, its key, and the time at which the certificate expires [ms since the Unix epoch]. */
export interface ServerCertificate {
  readonly certPem: string;
  readonly keyPem: string;
  readonly expiresAtMs: number;
}

export interface LocalCertificate extends ServerCertificate {
  /** File with the authority that clients must trust: `curl --cacert`, `NODE_EXTRA_CA_CERTS`. */
  readonly caPath: string;
  readonly caPem: string;
}

/**
 * Returns a server certificate from the data folder's own authority. Creates or renews it as needed. It is valid for
 * localhost, the loopback addresses, the name of this machine and the given hosts (names or addresses). Each key is
 * written once, before its certificate, and certificates are replaced atomically. If the process is killed at any
 * point, the next start creates the files that are missing, with the existing keys.
 */
export async function localCertificate(options: {
  /** Folder of the four PEM files; created when missing. */
  readonly folder: string;
  readonly hosts: readonly string[];
  readonly nowMs: number;
}): Promise<LocalCertificate> {
  const { folder, nowMs } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const caPath = join(folder, 'ca.pem');
  const caKey = await keyFile(join(folder, 'ca-key.pem'));
  const serverKey = await keyFile(join(folder, 'server-key.pem'));
  const notBeforeMs = nowMs - CLOCK_SKEW_MS;

  const ca = await certificateFile(
    caPath,
    (found) =>
      found.ca && belongs(found, caKey) && expiresAt(found) - nowMs > SERVER_LIFETIME_MS + RENEW_BEFORE_MS,
    async () =>
      (await issuing()).issueAuthority(caKey, {
        subject: AUTHORITY_SUBJECT,
        notBeforeMs,
        notAfterMs: nowMs + AUTHORITY_LIFETIME_MS,
      }),
  );

  const hosts = serverHosts([...options.hosts, hostname()]);
  const server = await certificateFile(
    join(folder, 'server.pem'),
    (found) =>
      belongs(found, serverKey) &&
      found.verify(ca.publicKey) &&
      expiresAt(found) - nowMs > RENEW_BEFORE_MS &&
      hosts.every((host) => covers(found, host)),
    async () =>
      (await issuing()).issueServer(
        serverKey,
        { subject: SERVER_SUBJECT, notBeforeMs, notAfterMs: notBeforeMs + SERVER_LIFETIME_MS, hosts },
        { key: caKey, subject: AUTHORITY_SUBJECT },
      ),
  );
  return {
    certPem: server.toString(),
    keyPem: pem(serverKey),
    expiresAtMs: expiresAt(server),
    caPath,
    caPem: ca.toString(),
  };
}

/** Returns whether a key belongs to a certificate. */
export function belongs(certificate: X509Certificate, key: KeyObject): boolean {
  return certificate.checkPrivateKey(key);
}

/** Returns the end of a certificate's validity [ms since the Unix epoch]. */
export function expiresAt(certificate: X509Certificate): number {
  return certificate.validToDate.getTime();
}

/** Loads the library only when a certificate is issued, about once a year, so that other starts are fast. */
const issuing = (): Promise<typeof import('./certificate-issue.ts')> => import('./certificate-issue.ts');

function serverHosts(wanted: readonly string[]): readonly string[] {
  const named = wanted
    .map((host) => host.toLowerCase())
    .filter((host) => (isIP(host) === 0 ? DNS_NAME.test(host) : !UNSPECIFIED.has(host)));
  return [...new Set(['localhost', '127.0.0.1', '::1', ...named])];
}

/** Returns whether a certificate is valid for a host, which is a name or an address without brackets. */
export function covers(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

/**
 * Returns the key in a file. Creates a new ECDSA P-256 key when the file is missing or contains no key. Processes that
 * start at the same time get the same key, so that no certificate is signed by a key that is then overwritten.
 */
async function keyFile(path: string): Promise<KeyObject> {
  for (let tries = 1; ; tries++) {
    const found = await textOf(path);
    const key = found === undefined ? undefined : parsed(() => createPrivateKey(found));
    if (key !== undefined) return key;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    if (found !== undefined) await replaceFile(path, pem(privateKey), 0o600);
    else if (!(await makeFile(path, pem(privateKey), 0o600)) && tries === MAX_TRIES)
      throw new Error(`${path} can neither be read nor made`); // for example a dangling link
  }
}

/** Returns the certificate in a file if it is still usable; otherwise issues a new one. */
async function certificateFile(
  path: string,
  serves: (found: X509Certificate) => boolean,
  issue: () => Promise<string>,
): Promise<X509Certificate> {
  const text = await textOf(path);
  const found = text === undefined ? undefined : parsed(() => new X509Certificate(text));
  if (found !== undefined && serves(found)) return found;
  const issued = await issue();
  await replaceFile(path, issued, 0o644);
  return new X509Certificate(issued);
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined; // a damaged file is replaced like a missing one
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
