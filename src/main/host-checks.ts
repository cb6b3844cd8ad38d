import { X509Certificate } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '../base/time.ts';
import type { CheckFinding, InstallationCheck } from '../cli/installation-check.ts';
import type { Config } from '../config.ts';
import { addressBlocks } from '../net/address-guard.ts';
import { parseSchedule } from '../webhooks/schedule.ts';
import { extraAuthorities } from './authorities.ts';
import { readSetting } from './setting.ts';

/**
 * The check warns when the operator's certificate expires within this number of days. The service does not renew this
 * certificate.
 */
const EXPIRES_SOON_DAYS = 14;
const MIN_FREE_BYTES = 1e9; // minimum free disk space [bytes]; with less, an ingest may fail
const LOW_FREE_BYTES = 10e9;

const DISK_REMEDY = 'free some space, or move GROUNDWATCH_DATA to a larger disk';

export const settingsCheck = (config: () => Config): InstallationCheck => ({
  part: 'settings',
  remedy: 'correct the setting named; docs/operations.md lists all settings',
  async look() {
    const settings = config();
    const { dataFolder, webhookSchedule } = settings;
    parseSchedule(webhookSchedule);
    readSetting('GROUNDWATCH_TRUST_PROXY', () => addressBlocks(settings.trustProxy));
    readSetting('GROUNDWATCH_SOURCE_ALLOW', () => addressBlocks(settings.sourceAllow));
    readSetting('GROUNDWATCH_WEBHOOK_ALLOW', () => addressBlocks(settings.webhookAllow));
    extraAuthorities(settings);
    return { status: 'ok', found: `data in ${dataFolder}` };
  },
});

export const dataFolderCheck = (config: () => Config): InstallationCheck => ({
  part: 'data folder',
  needs: 'settings',
  remedy: 'let the user who runs the service write to GROUNDWATCH_DATA',
  async look() {
    const { dataFolder } = config();
    if (!existsSync(dataFolder))
      return { status: 'ok', found: `${dataFolder} will be created at the first start` };
    await access(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
    return { status: 'ok', found: `${dataFolder} can be read and written` };
  },
});

export const diskCheck = (config: () => Config): InstallationCheck => ({
  part: 'disk space',
  needs: 'settings',
  remedy: DISK_REMEDY,
  async look() {
    const { dataFolder } = config();
    const { bavail, bsize } = await statfs(existsSync(dataFolder) ? dataFolder : '.');
    const free = bavail * bsize;
    const found = `${(free / 1e9).toFixed(1)} GB free`;
    if (free >= LOW_FREE_BYTES) return { status: 'ok', found };
    return { status: free < MIN_FREE_BYTES ? 'fail' : 'warn', found, remedy: DISK_REMEDY };
  },
});

export const certificateCheck = (config: () => Config): InstallationCheck => ({
  part: 'certificate',
  needs: 'settings',
  remedy: 'give a PEM certificate and its key in GROUNDWATCH_TLS_CERT and GROUNDWATCH_TLS_KEY',
  async look() {
    const { tlsFiles, dataFolder, baseUrl } = config();
    if (tlsFiles !== undefined) return ownCertificate(tlsFiles, baseUrl);
    const path = join(dataFolder, 'tls', 'server.pem');
    if (!existsSync(path))
      return { status: 'ok', found: 'one is created at the first start, signed by a local authority' };
    const { found, daysLeft } = validity(path, new X509Certificate(await readFile(path, 'utf8')));
    return daysLeft < 0
      ? { status: 'fail', found, remedy: 'start the service: it renews its own certificate' }
      : { status: 'ok', found };
  },
});

/** The certificate of GROUNDWATCH_TLS_CERT. @throws InvalidInput for one that the service would refuse at startup */
async function ownCertificate(
  { cert: path, key }: NonNullable<Config['tlsFiles']>,
  baseUrl: string | undefined,
): Promise<Omit<CheckFinding, 'part'>> {
  const { givenCertificate } = await import('../http/tls/given-certificate.ts');
  const { covers } = await import('../http/tls/local-certificate.ts');
  await givenCertificate(path, key, Date.now());
  const certificate = new X509Certificate(await readFile(path, 'utf8'));
  const host = baseUrl && new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  if (host !== undefined && !covers(certificate, host))
    return {
      status: 'warn',
      found: `${path} is not for ${host}, the host of GROUNDWATCH_BASE_URL`,
      remedy: 'clients that connect directly will refuse it; clients behind a proxy see only its certificate',
    };
  const { found, daysLeft } = validity(path, certificate);
  return daysLeft < EXPIRES_SOON_DAYS
    ? { status: daysLeft < 0 ? 'fail' : 'warn', found, remedy: 'renew it' }
    : { status: 'ok', found };
}

function validity(path: string, { validToDate }: X509Certificate) {
  const daysLeft = Math.floor((validToDate.getTime() - Date.now()) / DAY_MS);
  const day = validToDate.toISOString().slice(0, 10);
  return { daysLeft, found: daysLeft < 0 ? `${path} expired on ${day}` : `${path} is valid until ${day}` };
}

export const webhooksCheck = (config: () => Config): InstallationCheck => ({
  part: 'webhooks',
  needs: 'settings',
  remedy: 'write GROUNDWATCH_WEBHOOK_ALLOW as CIDRs, such as 10.0.0.0/8',
  async look() {
    const { webhookAllow } = config();
    addressBlocks(webhookAllow);
    if (webhookAllow.length === 0) return { status: 'ok', found: 'only public addresses are called' };
    return {
      status: 'warn',
      found: `addresses that are not public are called: ${webhookAllow.join(', ')}`,
      remedy: 'check that each of these networks may receive what your callers register',
    };
  },
});

export const rateLimitsCheck = (config: () => Config): InstallationCheck => ({
  part: 'rate limits',
  needs: 'settings',
  remedy:
    'check that REDIS_URL is right and that its server runs; until then each node grants the whole limit',
  async look() {
    const { redisUrl } = config();
    if (redisUrl === undefined) return { status: 'ok', found: 'each node keeps its own' };
    await (await import('../store/redis-limiter.ts')).tryRedis(redisUrl);
    return { status: 'ok', found: 'kept in the server of REDIS_URL, which answers' };
  },
});
