import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import type { BundleParts } from '../app/bundles/bundle.ts';
import { prepareRegion } from '../app/sandbox/run-sandbox.ts';
import { SandboxRegion } from '../app/sandbox/sandbox-region.ts';
import { SANDBOX_SEED } from '../app/sandbox/seed-sandbox.ts';
import type { SecretBox } from '../auth/secret-box.ts';
import { SIGNING_KEY } from '../backup/backup.ts';
import { bundleArchives } from '../backup/bundle-archive.ts';
import { entriesInFolder, importJournal } from '../backup/import-journal.ts';
import { forgetBackupPlaces } from '../backup/key-file.ts';
import type { CliDeps } from '../cli/command.ts';
import type { Config } from '../config.ts';
import { addressBlocks } from '../net/address-guard.ts';
import { checkCallbackUrl } from '../net/callback-url.ts';
import { ThreadPictures } from '../pictures/thread-pictures.ts';
import { pieceFiles } from '../sources/layers/piece-files.ts';
import { FolderLayerShelf } from '../sources/layers/folder-layer-shelf.ts';
import type { LayerHome } from '../sources/layers/layer-home.ts';
import { LayerStore } from '../sources/layers/layer-store.ts';
import type { OpenDatabase } from '../store/connection/database.ts';
import { JobQueue } from '../store/job-queue.ts';
import { Pulse } from '../store/pulse/pulse.ts';
import { WorkerPresence } from '../store/jobs/worker-presence.ts';
import { openStorage } from '../store/storage.ts';
import { newSessionSecret } from '../auth/session-secret.ts';
import { newWebhookSecret } from '../webhooks/signature.ts';
import type { DeliveryWorker } from '../webhooks/worker.ts';
import { extraAuthorities } from './authorities.ts';
import { closeList } from './close-list.ts';
import { credentialParts } from './credentials.ts';
import { backUpOf, bucketBackups } from './objects/backing-up.ts';
import { cubesFolder, makeRoomForStart, objectsPlace, openCubes } from './objects/cubes.ts';
import { entriesInObjects } from './objects/import-entries.ts';
import { LAYERS, openLayers } from './objects/layers.ts';
import { objectsMove } from './objects/move.ts';
import { makeDataFolder } from './data-folder.ts';
import {
  connectDatabase,
  databaseShortage,
  databaseTrouble,
  diskShortage,
  openReplica,
  writtenFolders,
} from './database.ts';
import { erasureParts } from './erasure.ts';
import { openPeople } from './people.ts';
import { packagedPath } from './packaged-path.ts';
import type { Log } from './process-log.ts';
import { openSecretKey, type SecretKey } from './secret-key.ts';
import { readSetting } from './setting.ts';
import { openSources } from './sources.ts';

/** Maximum time for running requests, deliveries and jobs to finish when the service is stopped [ms]. */
export const STOP_GRACE_MS = 16_000;

/** All opened resources that a command or the service uses. */
export interface Installation extends Pick<SecretKey, 'forgetSecrets'> {
  readonly config: Config;
  readonly log: Log;
  readonly deps: CliDeps;
  readonly database: OpenDatabase;
  readonly jobs: JobQueue;
  readonly layers: LayerStore;
  readonly sealing: SecretBox;
  /** @throws InvalidInput when the secrets in the database are sealed under another key */
  refuseOtherKey(): Promise<void>;
  /** Port that this process listens on; undefined until it listens. */
  port: number | undefined;
  /** Whether the process was told to stop: `/readyz` says so, and answers close their connections. */
  isStopping: boolean;
  /** Address of the service; read for each use: the port may be known only after listening. */
  baseUrl(): string;
  /** The delivery workers of this process. */
  deliveries: readonly DeliveryWorker[];
  /** Closes everything in the reverse order of opening. */
  close(): Promise<void>;
}

/** Options of {@link openInstallation}. */
export interface OpenOptions {
  /** Called before the embedded database server is started, with a function that stops it. */
  readonly onServer?: (stop: () => Promise<void>) => void;
  /**
   * Whether to compute the simulated region while the installation is being opened, if the region does not exist yet.
   */
  readonly makesRegion?: boolean;
  /**
   * Whether to make the files from which shipped layers are served fast, if they do not exist. Without them the
   * GeoTIFFs of the package are read, which is fast enough for a single command.
   */
  readonly preparesLayers?: boolean;
}

/** Opens everything that commands and the service need. @throws InvalidInput naming a setting that cannot be used */
// Long function: each part is opened after what it needs.
export async function openInstallation(
  config: Config,
  log: Log,
  { onServer = () => undefined, makesRegion = false, preparesLayers = false }: OpenOptions = {},
): Promise<Installation> {
  await makeDataFolder(config.dataFolder);
  await makeRoomForStart(config);
  const clock = { now: () => Date.now() };
  const { onClose, close } = closeList();
  try {
    const region = new SandboxRegion(SANDBOX_SEED);
    onClose(() => region.close());
    const isFirst = makesRegion && config.sandbox && !existsSync(cubesFolder(config));
    if (isFirst) prepareRegion(region);
    // The layers are prepared while the database starts: neither needs the other.
    const layerHome = openLayers(config);
    onClose(() => layerHome.close());
    const layerPlaces = { ...layerPlacesOf(config), home: layerHome.home };
    const openingLayers = LayerStore.open({
      ...layerPlaces,
      isShippedOnly: config.objects !== undefined && !preparesLayers,
      isHurried: isFirst || !preparesLayers,
      onProblem: (message) => log.error(message),
    });
    openingLayers.catch(() => undefined);
    const database = await connectDatabase(config, { log, onServer, onClose });
    const secretKey = await openSecretKey(config, database, { log, onClose });
    const pulse = new Pulse(database.db, (error) => log.error(`Waiting work: ${String(error)}`));
    const jobs = await openJobs(config, database, pulse, log);
    onClose(() => jobs.close());
    const storage = openStorage(database, secretKey.sealing, jobs);
    const cube = await openCubes(config);
    onClose(async () => cube.close());
    const pictures = new ThreadPictures(cube.address);
    onClose(() => pictures.close());
    const layers = await openingLayers;
    layers.watch((error) => log.error(`The layers stay as they were: ${String(error)}`));
    onClose(async () => layers.close());
    const endpoints = endpointParts(config);
    const { sources, layerFiles, close: closeSources } = openSources(config);
    onClose(closeSources);
    const baseUrl = (): string => config.baseUrl ?? `https://localhost:${installation.port ?? config.port}`;
    const people = openPeople(config, { storage, sealing: secretKey.sealing, clock, baseUrl, onClose });
    const installation: Installation = {
      config,
      log,
      database,
      jobs,
      layers,
      sealing: secretKey.sealing,
      refuseOtherKey: () => secretKey.refuseOther(),
      forgetSecrets: () => secretKey.forgetSecrets(),
      port: undefined,
      isStopping: false,
      baseUrl,
      deliveries: [],
      close,
      deps: {
        ...sources,
        ...endpoints,
        ...credentialParts(storage, clock, { authUrl: config.authUrl, baseUrl }),
        people,
        clock,
        storage,
        replica: openReplica(config, database, { log, onClose, sealing: secretKey.sealing, jobs }),
        cube,
        region,
        layers,
        pictures,
        shelf: new FolderLayerShelf({ ...layerPlaces, files: layerFiles }),
        ...bundleParts(config, layerHome.home),
        rotateSecretKey: () => secretKey.rotate(),
        backUp: backUpOf({ config, clock, secretKey, database, cube, layers: layerHome.home }),
        bucketBackups: bucketBackups(cube),
        objectsMove: objectsMove(config, cube, layerHome.moving),
        erasure: erasureParts({ ...config, clock, storage, cube }, database, secretKey.sealing),
        forgetBackupPlaces: (folders) => forgetBackupPlaces(database.pool, folders),
        wakeDelivery: () => installation.deliveries.forEach((worker) => worker.wake()),
        ready: async () =>
          installation.isStopping
            ? 'the node is stopping'
            : (jobs.trouble ?? (await databaseTrouble(database))),
        shortage: async () =>
          (await databaseShortage(database)) ?? (await diskShortage(await writtenFolders(config))),
        version: packageJson.version,
      },
    };
    return installation;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the job queue. The client of NATS is loaded only when it is used. */
async function openJobs(config: Config, database: OpenDatabase, pulse: Pulse, log: Log): Promise<JobQueue> {
  const { db, isPooled, pool } = database;
  const onError = (error: unknown): void => log.error(`Job queue: ${String(error)}`);
  // Only a database of its own has several workers.
  const isSeen = config.databaseUrl !== undefined && !isPooled;
  const options = { ...config.jobs, pulse, presence: isSeen ? new WorkerPresence(pool.options) : undefined };
  if (config.natsUrl === undefined) return new JobQueue(db, onError, options);
  const { NatsEngine } = await import('../store/jobs/nats-engine.ts');
  const settings = { servers: config.natsUrl, ca: extraAuthorities(config) };
  return new JobQueue(db, onError, { ...options, engine: new NatsEngine(db, settings, onError) });
}

/** What commands about bundles need. */
function bundleParts(config: Config, layers: LayerHome): BundleParts {
  return {
    bundleFiles: bundleArchives(join(config.dataFolder, SIGNING_KEY)),
    pieceFiles: pieceFiles(layers),
    importJournal: importJournal(
      config.objects === undefined
        ? entriesInFolder(join(config.dataFolder, 'imports'))
        : entriesInObjects(objectsPlace(config, config.objects)),
    ),
  };
}

/** What is needed to register webhooks and e-mail addresses. @throws InvalidInput naming a bad setting */
function endpointParts(config: Config): Pick<CliDeps, 'checkCallback' | 'newWebhookSecret' | 'mail'> {
  const allow = readSetting('GROUNDWATCH_WEBHOOK_ALLOW', () => addressBlocks(config.webhookAllow));
  return {
    checkCallback: (url) => checkCallbackUrl(url, allow),
    newWebhookSecret,
    mail: config.smtp && { newLinkSecret: () => newSessionSecret().text },
  };
}

/** Where the layers are on this node: the shipped catalogue, and the folder of all files that are served. */
function layerPlacesOf({ dataFolder }: Pick<Config, 'dataFolder'>) {
  return { catalogues: [packagedPath('data/layers/catalogue.json')], folder: join(dataFolder, LAYERS) };
}
