import { X509Certificate } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallationCheck } from '../cli/installation-check.ts';
import type { CliDeps } from '../cli/command.ts';
import { readConfig, type Config } from '../config.ts';
import { addressBlocks } from '../net/address-guard.ts';
import { parseSchedule } from '../webhooks/schedule.ts';
import { extraAuthorities } from './authorities.ts';
import { setting } from './setting.ts';
import { DAY_MS } from '../base/time.ts';

const EXPIRES_SOON_DAYS = 14; // of a certificate: an operator's own is not renewed by us
const LEAST_FREE = 1e9; // bytes of disk, below which an ingest may not end
const LITTLE_FREE = 10e9;
const CLOCK_DRIFT_MS = 2_000; // between this machine and the database
const SILENT_FILES = 3; // damaged layers or cubes that are told one by one

const WALL_REMEDY =
  'as an administrator of the database make the role and grant it: docs/operations.md "PostgreSQL of your own"';

const SECRETS_REMEDY =
  'put back the file secret-key, or the keys of GROUNDWATCH_SECRET_KEY; or, if the key is lost: groundwatch secrets forget';

/** What the checks of a database look at. */
export interface DiagnosisDeps {
  readonly deps: CliDeps;
  /** Time of the database server [ms since the Unix epoch], its version, and why it does not keep accounts apart itself. */
  readonly server: () => Promise<{
    readonly nowMs: number;
    readonly version: string;
    readonly missingWall: string | undefined;
  }>;
  /** Secrets at rest, and how many do not open. */
  readonly secrets: () => Promise<{ readonly all: number; readonly closed: number }>;
}

/** Every check of an installation, in the order in which they build on each other. */
export function diagnosis(open: () => Promise<DiagnosisDeps>): readonly InstallationCheck[] {
  const config = (): Config => readConfig();
  return [
    {
      part: 'settings',
      remedy: 'mend the setting named; docs/operations.md lists all',
      async look() {
        const settings = config();
        const { dataFolder, webhookSchedule } = settings;
        parseSchedule(webhookSchedule);
        setting('GROUNDWATCH_TRUST_PROXY', () => addressBlocks(settings.trustProxy));
        setting('GROUNDWATCH_SOURCE_ALLOW', () => addressBlocks(settings.sourceAllow));
        setting('GROUNDWATCH_WEBHOOK_ALLOW', () => addressBlocks(settings.webhookAllow));
        extraAuthorities(settings);
        return { status: 'ok', found: `data in ${dataFolder}` };
      },
    },
    {
      part: 'data folder',
      needs: 'settings',
      remedy: 'let the user who runs the service write to GROUNDWATCH_DATA',
      async look() {
        const { dataFolder } = config();
        if (!existsSync(dataFolder))
          return { status: 'ok', found: `${dataFolder} is made at the first start` };
        await access(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
        return { status: 'ok', found: `${dataFolder} can be read and written` };
      },
    },
    {
      part: 'disk space',
      needs: 'settings',
      remedy: 'free some room, or put GROUNDWATCH_DATA on a larger disk',
      async look() {
        const { dataFolder } = config();
        const { bavail, bsize } = await statfs(existsSync(dataFolder) ? dataFolder : '.');
        const free = bavail * bsize;
        const found = `${(free / 1e9).toFixed(1)} GB free`;
        if (free >= LITTLE_FREE) return { status: 'ok', found };
        const remedy = 'free some room, or put GROUNDWATCH_DATA on a larger disk';
        return { status: free < LEAST_FREE ? 'fail' : 'warn', found, remedy };
      },
    },
    {
      part: 'database',
      needs: 'settings',
      remedy:
        'see that DATABASE_URL is right and its server runs, or leave it out: the service then runs its own',
      async look() {
        const { server } = await open();
        const { version } = await server();
        return { status: 'ok', found: `PostgreSQL ${version} answers, its tables are of this release` };
      },
    },
    {
      part: 'row-level security',
      needs: 'database',
      remedy: WALL_REMEDY,
      async look() {
        const { missingWall } = await (await open()).server();
        return missingWall === undefined
          ? { status: 'ok', found: 'the database keeps accounts and environments apart by itself' }
          : { status: 'warn', found: missingWall, remedy: WALL_REMEDY };
      },
    },
    {
      part: 'time',
      needs: 'database',
      remedy: 'set both clocks by a time server',
      async look() {
        const { server } = await open();
        const before = Date.now();
        const { nowMs } = await server();
        const drift = nowMs - (before + Date.now()) / 2;
        const found = `the database's clock is ${Math.abs(Math.round(drift))} ms ${drift < 0 ? 'behind' : 'ahead of'} this machine's`;
        if (Math.abs(drift) <= CLOCK_DRIFT_MS) return { status: 'ok', found };
        return {
          status: 'warn',
          found,
          remedy: 'set both clocks by a time server: keys and tokens end by them',
        };
      },
    },
    {
      part: 'certificate',
      needs: 'settings',
      remedy: 'give a PEM certificate and its key in GROUNDWATCH_TLS_CERT and GROUNDWATCH_TLS_KEY',
      async look() {
        const { tlsFiles, dataFolder, baseUrl } = config();
        const path = tlsFiles?.cert ?? join(dataFolder, 'tls', 'server.pem');
        if (tlsFiles === undefined && !existsSync(path))
          return { status: 'ok', found: 'one is made at the first start, signed by a local authority' };
        // What the service would refuse at its start.
        if (tlsFiles !== undefined) {
          const { givenCertificate } = await import('../http/tls/given-certificate.ts');
          await givenCertificate(tlsFiles.cert, tlsFiles.key, Date.now());
        }
        const certificate = new X509Certificate(await readFile(path, 'utf8'));
        const host = baseUrl && new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
        const { covers } = await import('../http/tls/local-certificate.ts');
        if (tlsFiles !== undefined && host !== undefined && !covers(certificate, host))
          return {
            status: 'warn',
            found: `${path} is not for ${host}, the host of GROUNDWATCH_BASE_URL`,
            remedy:
              'clients that come to the service itself refuse it; behind a proxy that does not, all is well',
          };
        const { validToDate } = certificate;
        const days = Math.floor((validToDate.getTime() - Date.now()) / DAY_MS);
        const found = `${path} is valid until ${validToDate.toISOString().slice(0, 10)}`;
        const remedy = tlsFiles === undefined ? 'start the service: it renews its own' : 'renew it';
        if (days < 0)
          return {
            status: 'fail',
            found: `${path} ended on ${validToDate.toISOString().slice(0, 10)}`,
            remedy,
          };
        return days < EXPIRES_SOON_DAYS && tlsFiles !== undefined
          ? { status: 'warn', found, remedy }
          : { status: 'ok', found };
      },
    },
    {
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
          remedy: 'see that each of these networks may receive what your callers register',
        };
      },
    },
    {
      part: 'secrets',
      needs: 'database',
      remedy: SECRETS_REMEDY,
      async look() {
        const { all, closed } = await (await open()).secrets();
        return closed === 0
          ? { status: 'ok', found: `${all} at rest, all open under the key there is` }
          : {
              status: 'fail',
              found: `${closed} of ${all} at rest do not open under the key there is`,
              remedy: SECRETS_REMEDY,
            };
      },
    },
    {
      part: 'rate limits',
      needs: 'settings',
      remedy: 'see that REDIS_URL is right and its server runs; until then each node grants the whole limit',
      async look() {
        const { redisUrl } = config();
        if (redisUrl === undefined) return { status: 'ok', found: 'kept by each node for itself' };
        await (await import('../store/redis-limiter.ts')).tryRedis(redisUrl);
        return { status: 'ok', found: 'kept in the server of REDIS_URL, which answers' };
      },
    },
    {
      part: 'layers',
      needs: 'database',
      remedy: 'groundwatch layers check tells which; layers add --replace installs one again',
      async look() {
        const { deps } = await open();
        const damaged: string[] = [];
        let count = 0;
        for await (const { path, problem } of deps.shelf.check()) {
          count++;
          if (problem !== null) damaged.push(`${path}: ${problem}`);
        }
        return told(count, 'files', damaged, 'layers remove, then layers add again');
      },
    },
    {
      part: 'standing feeds',
      needs: 'database',
      remedy: 'groundwatch feeds list tells which',
      async look() {
        const { storage } = (await open()).deps;
        const feeds = await storage.catalogues.list();
        const failing: string[] = [];
        for (const feed of feeds)
          for (const { aoi, problem } of await storage.catalogues.areas(feed))
            if (problem !== null) failing.push(`${feed.name}, ${aoi.id}: ${problem}`);
        if (failing.length === 0) return { status: 'ok', found: `${feeds.length} catalogues are followed` };
        return {
          status: 'warn',
          found: `${failing.length} areas could not be served: ${failing.slice(0, SILENT_FILES).join('; ')}`,
          remedy: 'groundwatch feeds list names all; each is asked for again within the hour',
        };
      },
    },
    {
      part: 'cubes',
      needs: 'database',
      remedy: 'groundwatch collections check tells more',
      async look() {
        const { deps } = await open();
        const damaged: string[] = [];
        const collections = await deps.storage.collections.list();
        for (const { id, name, metric } of collections)
          for (const what of await deps.cube.check(id)) damaged.push(`${name} (${metric}): ${what}`);
        return told(
          collections.length,
          'collections',
          damaged,
          'groundwatch collections repair drops what is damaged; ingest its scenes again',
        );
      },
    },
  ];
}

function told(count: number, what: string, damaged: readonly string[], remedy: string) {
  if (damaged.length === 0)
    return { status: 'ok', found: `${count} ${what}, every byte as written` } as const;
  const more = damaged.length - SILENT_FILES;
  return {
    status: 'fail',
    found: `${damaged.slice(0, SILENT_FILES).join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
    remedy,
  } as const;
}
