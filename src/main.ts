import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { InvalidInput } from './app/errors.ts';
import { silentFeeds } from './app/feed-silence.ts';
import { refreshAnomalies } from './app/refresh-anomalies.ts';
import { monitorCollection } from './app/monitor-collection.ts';
import { keyWatch } from './app/warn-of-keys.ts';
import { keepWatches } from './app/watch-keeper.ts';
import { runSandbox } from './app/run-sandbox.ts';
import { SandboxRegion } from './app/sandbox-region.ts';
import { SANDBOX_SEED } from './app/seed-sandbox.ts';
import { newApiKey } from './auth/api-key.ts';
import { accessTokens } from './auth/access-token.ts';
import { authenticator } from './auth/authenticator.ts';
import { newClientSecret } from './auth/client-secret.ts';
import { credentialId } from './auth/credential-id.ts';
import { keyVerifier } from './auth/key-verifier.ts';
import { oauthServer } from './auth/oauth-server.ts';
import { rotateSecretKeyFile, secretBox, secretFileBox } from './auth/secret-box.ts';
import { SigningKeys } from './auth/signing-keys.ts';
import { tokenVerifier } from './auth/token-verifier.ts';
import { backUp } from './backup/backup.ts';
import { restoreDatabase, restoreFiles } from './backup/restore.ts';
import { resumeWork } from './backup/resume-work.ts';
import type { CliContext, CliDeps } from './cli/command.ts';
import { runCommand } from './cli/run.ts';
import { welcome, type Reached } from './cli/welcome.ts';
import { LOG_LEVELS, readConfig, type Config } from './config.ts';
import { FolderCubeStore } from './cube/folder-cube-store.ts';
import { diagnosis } from './diagnosis.ts';
import { buildApp } from './http/app.ts';
import { buildConsoleInBackground } from './http/console-build.ts';
import { givenCertificate } from './http/given-certificate.ts';
import { localCertificate, type LocalCertificate, type ServerCertificate } from './http/local-certificate.ts';
import { answerClientError, replaceCertificate, secureListener } from './http/secure-listener.ts';
import { addressBlocks } from './net/address-guard.ts';
import { checkCallbackUrl } from './net/callback-url.ts';
import { guardedClient } from './net/guarded-client.ts';
import { guardedReader } from './net/guarded-reader.ts';
import { readDatesCsv } from './sources/dates-csv.ts';
import { DisplacementCsvReader } from './sources/displacement-csv.ts';
import { FireCsvReader } from './sources/fire-csv.ts';
import { FolderLayerShelf } from './sources/folder-layer-shelf.ts';
import { GeoTiffStackReader } from './sources/geotiff-stack.ts';
import { GeoTiffStackWriter } from './sources/geotiff-stack-writer.ts';
import { GustRecordsCsvReader } from './sources/gust-records-csv.ts';
import { IbtracsCsvReader } from './sources/ibtracs-csv.ts';
import { readLabels } from './sources/labels-file.ts';
import { LayerStore } from './sources/layer-store.ts';
import { StacSceneSource } from './sources/stac-scene-source.ts';
import { PointsFileReader } from './sources/points-file.ts';
import { WeatherCsvReader } from './sources/weather-csv.ts';
import { openDatabase, type DatabaseConnection, type OpenDatabase } from './store/database.ts';
import { deliveryQueue } from './store/delivery-queue.ts';
import { startEmbeddedPostgres } from './store/embedded-postgres.ts';
import { housekeep } from './store/housekeeping.ts';
import { JobQueue } from './store/job-queue.ts';
import { migrate } from './store/migrate.ts';
import type { RedisLimiter } from './store/redis-limiter.ts';
import { reseal } from './store/reseal.ts';
import { openStorage } from './store/storage.ts';
import { parseSchedule } from './webhooks/schedule.ts';
import { newWebhookSecret } from './webhooks/signature.ts';
import { startDeliveryWorker, type DeliveryWorker } from './webhooks/worker.ts';

const HOUSEKEEPING_MS = 3_600_000; // between looks for what has had its time
const CERTIFICATE_CHECK_MS = 60_000; // between looks at the certificate: its files may be replaced, or it may be near its end
const DELIVERY_TIMEOUT_MS = 15_000; // contract.md "Delivery"
const SOURCE_TIMEOUT_MS = 60_000; // for one page of a catalogue, or one piece of a file
const CONNECTIONS_PER_ORIGIN = 256; // as many as the delivery worker holds: one endpoint must not queue others of its host
const LAST_MS = 5_000; // for a process that has nothing left to do
const STOP_GRACE_MS = 16_000; // for requests, deliveries and jobs under way when told to stop

/** Log of what happens beside requests. */
interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Everything that is opened for a command or for the service, in the order in which it is closed again. */
interface Installation {
  readonly config: Config;
  readonly log: Log;
  readonly deps: CliDeps;
  readonly database: OpenDatabase;
  readonly jobs: JobQueue;
  readonly sealing: ReturnType<typeof secretBox>;
  /** Port that this process listens on, once it does. */
  port: number | undefined;
  /** The delivery worker, once one runs in this process. */
  delivery: DeliveryWorker | undefined;
  close(): Promise<void>;
}

/** Runs the command line given, and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  let opened: Promise<Installation> | undefined;
  const open = (): Promise<Installation> => {
    const config = readConfig();
    return (opened ??= openInstallation(config, stderrLog(config.logLevel)));
  };
  const world: Pick<CliContext, 'open' | 'serve' | 'checks' | 'restore'> = {
    restore: async (path) => {
      const config = readConfig();
      await makeDataFolder(config);
      const files = await restoreFiles(path, config.dataFolder);
      const { database, deps } = await open();
      const tables = await restoreDatabase(path, database.pool);
      await resumeWork(deps.storage, database.db);
      return { tables, files };
    },
    open: async () => (await open()).deps,
    serve: async (options) => serve(await open(), options),
    checks: () =>
      diagnosis(async () => {
        const { deps, database } = await open();
        return { deps, server: () => serverOf(database) };
      }),
  };
  const terminal = {
    out: (text: string) => process.stdout.write(`${text}\n`),
    err: (text: string) => process.stderr.write(`${text}\n`),
    version: packageJson.version,
  };
  try {
    process.exitCode = await runCommand(argv, terminal, world);
  } finally {
    const installation = await opened?.catch(() => undefined);
    await installation?.close();
    // Nothing should be left to wait for; should something be, the command has still ended.
    setTimeout(() => process.exit(), LAST_MS).unref();
  }
}

/** As root the database server runs as another user, who must be able to pass through; what is secret is closed itself. */
async function makeDataFolder({ dataFolder }: Config): Promise<void> {
  await mkdir(dataFolder, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}

async function openInstallation(config: Config, log: Log): Promise<Installation> {
  await makeDataFolder(config);
  const clock = { now: () => Date.now() };
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    // The layers are made ready while the database starts: neither needs the other.
    const layerHome = {
      catalogues: [packaged('data/layers/catalogue.json')],
      folder: join(config.dataFolder, 'layers'),
    };
    const opening = LayerStore.open({ ...layerHome, onProblem: (message) => log.error(message) });
    opening.catch(() => undefined);
    let connection: DatabaseConnection;
    if (config.databaseUrl === undefined) {
      const embedded = await startEmbeddedPostgres({ dataFolder: config.dataFolder, log });
      closers.push(() => embedded.stop());
      connection = embedded.connection;
    } else {
      connection = { connectionString: config.databaseUrl };
    }
    await migrate({ connection, log });
    const database = await openDatabase({ connection, log });
    closers.push(() => database.close());
    const keyFile = config.secretKeys.length > 0 ? undefined : join(config.dataFolder, 'secret-key');
    const sealing = keyFile === undefined ? secretBox(...config.secretKeys) : await secretFileBox(keyFile);
    const jobs = new JobQueue(database.db, (error) => log.error(`Job queue: ${String(error)}`));
    closers.push(() => jobs.close());
    const storage = openStorage(database.db, sealing, jobs);
    const cube = new FolderCubeStore(join(config.dataFolder, 'cubes'));
    closers.push(async () => cube.close());
    const region = new SandboxRegion(SANDBOX_SEED);
    closers.push(() => region.close());
    const layers = await opening;
    layers.watch((error) => log.error(`The layers stay as they were: ${String(error)}`));
    closers.push(async () => layers.close());
    const allow = setting('GROUNDWATCH_WEBHOOK_ALLOW', () => addressBlocks(config.webhookAllow));
    const signingKeys = new SigningKeys(storage.signingKeys, clock);
    const issuer = (): string =>
      config.authUrl ?? config.baseUrl ?? `https://localhost:${installation.port ?? config.port}`;
    const tokens = accessTokens(signingKeys, clock, issuer);
    const sources = guardedReader({
      allow: setting('GROUNDWATCH_SOURCE_ALLOW', () => addressBlocks(config.sourceAllow)),
      extraCa: config.caFile && setting('GROUNDWATCH_CA_FILE', () => readFileSync(config.caFile!, 'utf8')),
      timeoutMs: SOURCE_TIMEOUT_MS,
      userAgent: `Groundwatch/${packageJson.version}`,
    });
    closers.push(() => sources.close());
    const files = new StacSceneSource(sources);
    const stacks = new GeoTiffStackReader();
    const installation: Installation = {
      config,
      log,
      database,
      jobs,
      sealing,
      port: undefined,
      delivery: undefined,
      close,
      deps: {
        clock,
        storage,
        cube,
        region,
        layers,
        authenticator: authenticator(
          {
            key: keyVerifier(storage.keys, clock),
            token: tokenVerifier(tokens, storage.clients, storage.grants, clock),
          },
          clock,
        ),
        oauth: oauthServer({ ...storage, keys: signingKeys, tokens, clock, issuer }),
        newClientSecret,
        rotateSecretKey: async () => {
          if (keyFile !== undefined) await rotateSecretKeyFile(keyFile);
          return { resealed: await reseal(database.db, sealing), keyFile };
        },
        backUp: async (path) => {
          const { dataFolder } = config;
          const { version } = packageJson;
          const done = await backUp({ pool: database.pool, dataFolder, path, version, nowMs: clock.now() });
          return { ...done, keyFile: keyFile !== undefined };
        },
        checkCallback: (url) => checkCallbackUrl(url, allow),
        newWebhookSecret,
        newApiKey,
        wakeDelivery: () => installation.delivery?.wake(),
        ready: async () => jobs.trouble ?? (await readiness(database)),
        version: packageJson.version,
        stacks: { open: (path) => stacks.open(path), readDates: readDatesCsv },
        stackWriter: new GeoTiffStackWriter(),
        scenes: files,
        files,
        labels: { readLabels },
        shelf: new FolderLayerShelf(layerHome),
        tracks: new IbtracsCsvReader(),
        displacementPoints: new DisplacementCsvReader(),
        gustRecords: new GustRecordsCsvReader(),
        weather: new WeatherCsvReader(),
        points: new PointsFileReader(),
        fires: new FireCsvReader(),
      },
    };
    return installation;
  } catch (error) {
    await close();
    throw error;
  }
}

/** What listens: where it is reached, and how it is stopped. */
interface Listening extends Reached {
  stop(this: void): Promise<void>;
}

async function serve(
  installation: Installation,
  options: { readonly api: boolean; readonly worker: boolean; readonly console: boolean },
): Promise<void> {
  const stopped = untilStopped();
  const closers: (() => Promise<void>)[] = [];
  try {
    const listening = options.api ? await startApi(installation, options.console) : undefined;
    if (listening !== undefined) closers.push(listening.stop);
    if (options.worker) closers.push(startWorkers(installation));
    const { version } = installation.deps;
    if (listening === undefined)
      process.stdout.write(`Groundwatch ${version}: workers run. Ctrl-C stops them.\n`);
    else process.stdout.write(await welcome(installation.deps, listening));
    // After the demo account is there, whose areas it makes.
    if (options.worker && installation.config.sandbox) {
      const { deps, config, log } = installation;
      closers.unshift(runSandbox(deps, config.sandboxPace, log));
    }
    installation.log.info(`Stopping: ${await stopped}`);
  } finally {
    for (const closer of closers) await closer();
  }
}

async function startApi(installation: Installation, withConsole: boolean): Promise<Listening> {
  const { config, deps, log } = installation;
  setting('GROUNDWATCH_TRUST_PROXY', () => addressBlocks(config.trustProxy));
  const certificate = await certificateOf(config, deps.clock.now());
  const exposed = (authorization: string, remoteAddress: string): void =>
    log.warn(
      `A credential came over plain HTTP from ${remoteAddress} and is exposed: ${credentialId(authorization) ?? 'none of ours'}`,
    );
  let server: ReturnType<typeof secureListener> | undefined;
  const limiter = config.redisUrl === undefined ? undefined : await sharedLimiter(config.redisUrl, log);
  const app = await buildApp({
    deps,
    ...(limiter !== undefined && { limiter }),
    logLevel: config.logLevel,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    baseUrl: config.baseUrl,
    consoleFolder: withConsole ? packaged('web/dist') : undefined,
    onExposedCredential: exposed,
    clientErrorHandler: answerClientError,
    serverFactory: (handler) =>
      (server = secureListener(handler, { certificate, onExposedCredential: exposed })),
  });
  await listen(app, config);
  installation.port = (app.server.address() as AddressInfo).port;
  const building = withConsole ? buildConsoleInBackground({ root: packaged('.'), log }) : undefined;
  let { certPem, keyPem } = certificate;
  const serveCertificate = async (fresh: ServerCertificate): Promise<void> => {
    if (fresh.certPem === certPem && fresh.keyPem === keyPem) return;
    ({ certPem, keyPem } = fresh);
    replaceCertificate(server!, fresh);
    log.info(`Another certificate is served, until ${new Date(fresh.expiresAtMs).toISOString()}`);
  };
  const renew = (): void => {
    certificateOf(config, deps.clock.now())
      .then(serveCertificate)
      .catch((error: unknown) =>
        log.error(`The certificate stays as it was: the one that is there cannot be used: ${String(error)}`),
      );
  };
  const renewal = setInterval(renew, CERTIFICATE_CHECK_MS);
  process.on('SIGHUP', renew);
  return {
    base: config.baseUrl ?? `https://localhost:${installation.port}`,
    dataFolder: config.dataFolder,
    caPath: 'caPath' in certificate ? certificate.caPath : undefined,
    hasSandbox: config.sandbox,
    async stop() {
      clearInterval(renewal);
      process.off('SIGHUP', renew);
      building?.stop();
      await building?.done;
      const cut = setTimeout(() => server?.closeAllConnections(), STOP_GRACE_MS);
      await app.close();
      await limiter?.close();
      clearTimeout(cut);
    },
  };
}

/** Loaded only where it is used. */
async function sharedLimiter(url: string, log: Log): Promise<RedisLimiter> {
  const { redisLimiter } = await import('./store/redis-limiter.ts');
  return redisLimiter(url, log);
}

/** @throws InvalidInput when the address is taken, not this machine's, or not ours to use */
async function listen(app: Awaited<ReturnType<typeof buildApp>>, { host, port }: Config): Promise<void> {
  const listenTextResolver = (address: string): string =>
    `Listening at ${address.replace('http:', 'https:')}`;
  try {
    await app.listen({ host, port, listenTextResolver });
  } catch (cause) {
    const why = { EADDRINUSE: 'another program listens there', EACCES: 'this user may not' }[
      (cause as NodeJS.ErrnoException).code ?? ''
    ];
    throw new InvalidInput(
      `GROUNDWATCH_HOST, GROUNDWATCH_PORT: cannot listen on ${host}, port ${port}: ${why ?? (cause as Error).message}`,
      { cause },
    );
  }
}

async function certificateOf(config: Config, nowMs: number): Promise<ServerCertificate | LocalCertificate> {
  if (config.tlsFiles !== undefined)
    return givenCertificate(config.tlsFiles.cert, config.tlsFiles.key, nowMs);
  const named = config.baseUrl === undefined ? [] : [new URL(config.baseUrl).hostname];
  const hosts = [config.host, hostname(), ...named].filter((host) => host !== '0.0.0.0' && host !== '::');
  return localCertificate({ folder: join(config.dataFolder, 'tls'), hosts: [...new Set(hosts)], nowMs });
}

/** Starts what works beside requests: deliveries, jobs, housekeeping. @returns what stops it again */
function startWorkers(installation: Installation): () => Promise<void> {
  const { config, deps, database, jobs, log, sealing } = installation;
  const client = guardedClient({
    allow: addressBlocks(config.webhookAllow),
    extraCa: config.caFile && setting('GROUNDWATCH_CA_FILE', () => readFileSync(config.caFile!, 'utf8')),
    timeoutMs: DELIVERY_TIMEOUT_MS,
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
  });
  const delivery = startDeliveryWorker({
    queue: deliveryQueue(database.db, sealing),
    post: client.post,
    schedule: parseSchedule(config.webhookSchedule),
    clock: deps.clock,
    userAgent: `Groundwatch/${deps.version}`,
    random: Math.random,
    onError: (error) => log.error(`Deliveries: ${String(error)}`),
  });
  installation.delivery = delivery;
  const working = jobs.work({
    'refresh-anomalies': async (job) => {
      await refreshAnomalies(deps, job, job.aoiId);
      delivery.wake();
    },
    'monitor-collection': async ({ collectionId }) => {
      const collection = await deps.storage.collections.find(collectionId);
      if (collection !== undefined) await monitorCollection(deps, collection, () => undefined);
      delivery.wake();
    },
  });
  working.catch((error: unknown) => log.error(`The job queue could not be started: ${String(error)}`));
  const expiringKeys = keyWatch();
  const warnOfKeys = async (): Promise<void> => {
    for (const { id, endsAt } of await expiringKeys(deps))
      log.warn(`The API key ${id} ends on ${endsAt.toISOString()}: replace it with keys rotate`);
  };
  const warnOfSilence = async (): Promise<void> => {
    for (const { collection, lastMs } of await silentFeeds(deps))
      log.warn(
        `The feed ${collection.name} (${collection.metric}, ${collection.environment}) is silent: nothing since ${new Date(lastMs).toISOString()}`,
      );
  };
  const keep = (): void => {
    housekeep(database.db, deps.clock.now()).catch((error: unknown) =>
      log.error(`Housekeeping: ${String(error)}`),
    );
    warnOfKeys().catch((error: unknown) => log.error(`API keys: ${String(error)}`));
    warnOfSilence().catch((error: unknown) => log.error(`Feeds: ${String(error)}`));
  };
  keep();
  const housekeeping = setInterval(keep, HOUSEKEEPING_MS);
  const stopWatching = keepWatches({
    deps,
    onError: (error) => log.error(`Risk watches: ${String(error)}`),
  });
  return async () => {
    clearInterval(housekeeping);
    await stopWatching();
    installation.delivery = undefined;
    await delivery.stop(STOP_GRACE_MS);
    await client.close();
  };
}

async function serverOf({
  pool,
}: OpenDatabase): Promise<{ readonly nowMs: number; readonly version: string }> {
  const { rows } = await pool.query<{ now: Date; version: string }>(
    "select clock_timestamp() as now, current_setting('server_version') as version",
  );
  const [{ now, version }] = rows as [(typeof rows)[number]];
  return { nowMs: now.getTime(), version };
}

async function readiness(database: OpenDatabase): Promise<string | undefined> {
  try {
    await database.pool.query('select 1');
    return undefined;
  } catch (error) {
    return `the database does not answer: ${(error as Error).message}`;
  }
}

/** A file that ships with the package, from its sources or its build. */
function packaged(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}

/** Writes beside requests in the same form as requests are logged. */
function stderrLog(threshold: Config['logLevel']): Log {
  const write = (level: 'info' | 'warn' | 'error') => (msg: string) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(threshold) || threshold === 'silent') return;
    process.stderr.write(`${JSON.stringify({ level, time: new Date().toISOString(), msg })}\n`);
  };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

/** Reads a setting by what will use it. @throws InvalidInput naming the setting */
function setting<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new InvalidInput(`${name}: ${(cause as Error).message}`, { param: name, cause });
  }
}
