import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { InvalidInput } from '../base/errors.ts';
import { prepareRegion } from '../app/sandbox/run-sandbox.ts';
import { SandboxRegion } from '../app/sandbox/sandbox-region.ts';
import { SANDBOX_SEED } from '../app/sandbox/seed-sandbox.ts';
import { newApiKey } from '../auth/api-key.ts';
import { accessTokens } from '../auth/access-token.ts';
import { authenticator } from '../auth/authenticator.ts';
import { newClientSecret } from '../auth/client-secret.ts';
import { keyVerifier } from '../auth/key-verifier.ts';
import { oauthServer } from '../auth/oauth-server.ts';
import { renewSecretKeyFile, secretBox, type SecretBox, secretFileBox } from '../auth/secret-box.ts';
import { SigningKeys } from '../auth/signing-keys.ts';
import { tokenVerifier } from '../auth/token-verifier.ts';
import { backUp } from '../backup/backup.ts';
import type { CliDeps } from '../cli/command.ts';
import type { Config } from '../config.ts';
import { FolderCubeStore } from '../cube/folder-cube-store.ts';
import { addressBlocks } from '../net/address-guard.ts';
import { checkCallbackUrl } from '../net/callback-url.ts';
import { guardedReader } from '../net/guarded-reader.ts';
import { readDatesCsv } from '../sources/imagery/dates-csv.ts';
import { DisplacementCsvReader } from '../sources/records/displacement-csv.ts';
import { FireCsvReader } from '../sources/records/fire-csv.ts';
import { FolderLayerShelf } from '../sources/layers/folder-layer-shelf.ts';
import { StackFileReader } from '../sources/imagery/stack-file.ts';
import { GeoTiffStackWriter } from '../sources/imagery/geotiff-stack-writer.ts';
import { GustRecordsCsvReader } from '../sources/records/gust-records-csv.ts';
import { IbtracsCsvReader } from '../sources/records/ibtracs-csv.ts';
import { readLabels } from '../sources/records/labels-file.ts';
import { LayerStore } from '../sources/layers/layer-store.ts';
import { SceneFolder } from '../sources/imagery/scene-folder.ts';
import { StacSceneSource } from '../sources/imagery/stac-scene-source.ts';
import { PointsFileReader } from '../sources/stations/file.ts';
import { WeatherCsvReader } from '../sources/records/weather-csv.ts';
import { openDatabase, type DatabaseConnection, type OpenDatabase } from '../store/connection/database.ts';
import { startEmbeddedPostgres } from '../store/server/embedded-postgres.ts';
import { JobQueue } from '../store/job-queue.ts';
import { migrate } from '../store/connection/migrate.ts';
import { type Forgotten, forgetSecrets, hasSecrets, opensSecrets } from '../store/upkeep/lost-secrets.ts';
import { reseal } from '../store/upkeep/reseal.ts';
import { openStorage } from '../store/storage.ts';
import { newWebhookSecret } from '../webhooks/signature.ts';
import type { DeliveryWorker } from '../webhooks/worker.ts';
import { extraAuthorities } from './authorities.ts';
import { makeDataFolder } from './data-folder.ts';
import { packaged } from './packaged.ts';
import type { Log } from './process-log.ts';
import { setting } from './setting.ts';

/** For requests, deliveries and jobs under way when told to stop [ms]. */
export const STOP_GRACE_MS = 16_000;

const SOURCE_TIMEOUT_MS = 60_000; // for one page of a catalogue, or one piece of a file

/** Everything that is opened for a command or for the service, in the order in which it is closed again. */
export interface Installation {
  readonly config: Config;
  readonly log: Log;
  readonly deps: CliDeps;
  readonly database: OpenDatabase;
  readonly jobs: JobQueue;
  readonly layers: LayerStore;
  readonly sealing: ReturnType<typeof secretBox>;
  /** @throws InvalidInput when the secrets in the database are sealed under another key than there is */
  refuseOtherKey(): Promise<void>;
  /** Drops what is sealed under a key that is lost. */
  forgetSecrets(): Promise<Forgotten>;
  /** Port that this process listens on, once it does. */
  port: number | undefined;
  /** The delivery worker, once one runs in this process. */
  delivery: DeliveryWorker | undefined;
  close(): Promise<void>;
}

/** What is wished of an opening beside the installation. */
export interface Opening {
  /** Told how to stop the database server as soon as it is being started. */
  readonly onDatabase?: (stop: () => Promise<void>) => void;
  /** Whether the simulated region is made meanwhile, where it was never made. */
  readonly makesRegion?: boolean;
}

/** Opens everything that commands and the service stand on. @throws InvalidInput naming a setting that cannot be used */
export async function openInstallation(
  config: Config,
  log: Log,
  { onDatabase = () => undefined, makesRegion = false }: Opening = {},
): Promise<Installation> {
  await makeDataFolder(config.dataFolder);
  const clock = { now: () => Date.now() };
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const cubes = join(config.dataFolder, 'cubes');
    const region = new SandboxRegion(SANDBOX_SEED);
    closers.push(() => region.close());
    const isFirst = makesRegion && config.sandbox && !existsSync(cubes);
    if (isFirst) prepareRegion(region);
    // The layers are made ready while the database starts: neither needs the other.
    const layerHome = {
      catalogues: [packaged('data/layers/catalogue.json')],
      folder: join(config.dataFolder, 'layers'),
    };
    const opening = LayerStore.open({
      ...layerHome,
      isHurried: isFirst,
      onProblem: (message) => log.error(message),
    });
    opening.catch(() => undefined);
    let connection: DatabaseConnection;
    if (config.databaseUrl === undefined) {
      const starting = startEmbeddedPostgres({ dataFolder: config.dataFolder, log });
      onDatabase(async () => (await starting).stop());
      const embedded = await starting;
      closers.push(() => embedded.stop());
      connection = embedded.connection;
    } else {
      connection = { connectionString: config.databaseUrl };
    }
    await migrate({ connection, log });
    const database = await openDatabase({ connection, log });
    closers.push(() => database.close());
    const keyFile = config.secretKeys.length > 0 ? undefined : join(config.dataFolder, 'secret-key');
    // A file that is lost is not made again: what it sealed would look broken, and the old one could not be put back.
    const isFileLost = keyFile !== undefined && (await hasSecrets(database.db)) && !existsSync(keyFile);
    let box =
      keyFile === undefined
        ? secretBox(...config.secretKeys)
        : isFileLost
          ? secretBox(randomBytes(32))
          : await secretFileBox(keyFile);
    const sealing: SecretBox = { seal: (plain) => box.seal(plain), open: (sealed) => box.open(sealed) };
    const jobs = new JobQueue(database.db, (error) => log.error(`Job queue: ${String(error)}`));
    closers.push(() => jobs.close());
    const storage = openStorage(database, sealing, jobs);
    const cube = new FolderCubeStore(cubes);
    closers.push(async () => cube.close());
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
      extraCa: extraAuthorities(config),
      timeoutMs: SOURCE_TIMEOUT_MS,
      userAgent: `Groundwatch/${packageJson.version}`,
    });
    closers.push(() => sources.close());
    const files = new StacSceneSource(sources);
    const stacks = new StackFileReader();
    const installation: Installation = {
      config,
      log,
      database,
      jobs,
      layers,
      sealing,
      async refuseOtherKey() {
        if (await opensSecrets(database.db, sealing)) return;
        const expected = 'expected the key under which the secrets in the database are sealed';
        throw new InvalidInput(
          `${keyFile ?? 'GROUNDWATCH_SECRET_KEY'}: ${expected}, got ${isFileLost ? 'none' : 'another'}; put it back, or if it is lost: groundwatch secrets forget (docs/operations.md "The data folder")`,
        );
      },
      async forgetSecrets() {
        if (keyFile !== undefined) box = await secretFileBox(keyFile);
        return forgetSecrets(database.db, sealing, newWebhookSecret);
      },
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
          const renewKey = keyFile === undefined ? undefined : () => renewSecretKeyFile(keyFile);
          return { resealed: await reseal(database.db, sealing, renewKey), keyFile };
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
        stacks: { open: (path, choice) => stacks.open(path, choice), readDates: readDatesCsv },
        stackWriter: new GeoTiffStackWriter(),
        scenes: files,
        sceneFolders: new SceneFolder(files),
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

async function readiness(database: OpenDatabase): Promise<string | undefined> {
  try {
    await database.pool.query('select 1');
    return undefined;
  } catch (error) {
    return `the database does not answer: ${(error as Error).message}`;
  }
}
