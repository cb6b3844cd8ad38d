import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { InvalidInput } from './app/errors.ts';
import { refreshAnomalies } from './app/refresh-anomalies.ts';
import { monitorCollection } from './app/monitor-collection.ts';
import { apiKeyId, newApiKey } from './auth/api-key.ts';
import { keyAuthenticator } from './auth/key-authenticator.ts';
import { secretBox, secretKeyFile } from './auth/secret-box.ts';
import type { CliContext, CliDeps } from './cli/command.ts';
import { runCommand } from './cli/run.ts';
import { welcome, type Reached } from './cli/welcome.ts';
import { LOG_LEVELS, readConfig, type Config } from './config.ts';
import { FolderCubeStore } from './cube/folder-cube-store.ts';
import { buildApp } from './http/app.ts';
import { buildConsoleInBackground } from './http/console-build.ts';
import { givenCertificate } from './http/given-certificate.ts';
import { localCertificate, type LocalCertificate, type ServerCertificate } from './http/local-certificate.ts';
import { answerClientError, replaceCertificate, secureListener } from './http/secure-listener.ts';
import { addressBlocks } from './net/address-guard.ts';
import { checkCallbackUrl } from './net/callback-url.ts';
import { guardedClient } from './net/guarded-client.ts';
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
import { WeatherCsvReader } from './sources/weather-csv.ts';
import { openDatabase, type DatabaseConnection, type OpenDatabase } from './store/database.ts';
import { deliveryQueue } from './store/delivery-queue.ts';
import { startEmbeddedPostgres } from './store/embedded-postgres.ts';
import { housekeep } from './store/housekeeping.ts';
import { JobQueue } from './store/job-queue.ts';
import { migrate } from './store/migrate.ts';
import { openStorage } from './store/storage.ts';
import { parseSchedule } from './webhooks/schedule.ts';
import { newWebhookSecret } from './webhooks/signature.ts';
import { startDeliveryWorker, type DeliveryWorker } from './webhooks/worker.ts';

const HOUSEKEEPING_MS = 3_600_000; // between looks for what has had its time
const CERTIFICATE_CHECK_MS = 6 * 3_600_000; // between looks at the certificate: it is renewed days before its end
const DELIVERY_TIMEOUT_MS = 15_000; // contract.md "Delivery"
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
  const world: Pick<CliContext, 'open' | 'serve'> = {
    open: async () => (await open()).deps,
    serve: async (options) => serve(await open(), options),
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

async function openInstallation(config: Config, log: Log): Promise<Installation> {
  // As root the database server runs as another user, who must be able to pass through; what is secret is closed itself.
  await mkdir(config.dataFolder, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
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
    const sealing = secretBox(
      config.secretKey ?? (await secretKeyFile(join(config.dataFolder, 'secret-key'))),
    );
    const jobs = new JobQueue(database.db, (error) => log.error(`Job queue: ${String(error)}`));
    closers.push(() => jobs.close());
    const storage = openStorage(database.db, sealing, jobs);
    const cube = new FolderCubeStore(join(config.dataFolder, 'cubes'));
    closers.push(async () => cube.close());
    const layers = await opening;
    layers.watch((error) => log.error(`The layers stay as they were: ${String(error)}`));
    closers.push(async () => layers.close());
    const allow = setting('GROUNDWATCH_WEBHOOK_ALLOW', () => addressBlocks(config.webhookAllow));
    const stacks = new GeoTiffStackReader();
    const installation: Installation = {
      config,
      log,
      database,
      jobs,
      sealing,
      delivery: undefined,
      close,
      deps: {
        clock,
        storage,
        cube,
        layers,
        authenticator: keyAuthenticator(storage.keys, clock),
        checkCallback: (url) => checkCallbackUrl(url, allow),
        newWebhookSecret,
        newApiKey,
        wakeDelivery: () => installation.delivery?.wake(),
        ready: async () => jobs.trouble ?? (await readiness(database)),
        version: packageJson.version,
        stacks: { open: (path) => stacks.open(path), readDates: readDatesCsv },
        stackWriter: new GeoTiffStackWriter(),
        labels: { readLabels },
        shelf: new FolderLayerShelf(layerHome),
        tracks: new IbtracsCsvReader(),
        displacementPoints: new DisplacementCsvReader(),
        gustRecords: new GustRecordsCsvReader(),
        weather: new WeatherCsvReader(),
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
    installation.log.info(`Stopping: ${await stopped}`);
  } finally {
    for (const closer of closers) await closer();
  }
}

async function startApi({ config, deps, log }: Installation, withConsole: boolean): Promise<Listening> {
  setting('GROUNDWATCH_TRUST_PROXY', () => addressBlocks(config.trustProxy));
  const certificate = await certificateOf(config, deps.clock.now());
  const exposed = (authorization: string, remoteAddress: string): void =>
    log.warn(
      `A credential came over plain HTTP from ${remoteAddress} and is exposed: ${apiKeyId(authorization) ?? 'none of ours'}`,
    );
  let server: ReturnType<typeof secureListener> | undefined;
  const app = await buildApp({
    deps,
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
  const building = withConsole ? buildConsoleInBackground({ root: packaged('.'), log }) : undefined;
  const renewal = setInterval(() => {
    certificateOf(config, deps.clock.now()).then(
      (fresh) => replaceCertificate(server!, fresh),
      (error: unknown) => log.error(`The certificate could not be renewed: ${String(error)}`),
    );
  }, CERTIFICATE_CHECK_MS);
  return {
    base: config.baseUrl ?? `https://localhost:${(app.server.address() as AddressInfo).port}`,
    dataFolder: config.dataFolder,
    caPath: 'caPath' in certificate ? certificate.caPath : undefined,
    async stop() {
      clearInterval(renewal);
      building?.stop();
      await building?.done;
      const cut = setTimeout(() => server?.closeAllConnections(), STOP_GRACE_MS);
      await app.close();
      clearTimeout(cut);
    },
  };
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
  const keep = (): void => {
    housekeep(database.db, deps.clock.now()).catch((error: unknown) =>
      log.error(`Housekeeping: ${String(error)}`),
    );
  };
  keep();
  const housekeeping = setInterval(keep, HOUSEKEEPING_MS);
  return async () => {
    clearInterval(housekeeping);
    installation.delivery = undefined;
    await delivery.stop(STOP_GRACE_MS);
    await client.close();
  };
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
