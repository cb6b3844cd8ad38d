import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';

import { UpstreamUnavailable } from '../../base/errors.ts';
import { findPostgresBinaries, removeOldCopies, type PostgresBinaries } from './postgres-binaries.ts';
import { ensureCluster, SUPERUSER } from './postgres-cluster.ts';
import { findPostgresHome, makeSocketFolder, type PostgresHome } from './postgres-home.ts';
import {
  returnLease,
  SERVICE_DATABASE,
  takeLease,
  type EmbeddedConnection,
  type NoLease,
} from './postgres-lease.ts';
import { checkLimits } from './process-limits.ts';
import {
  adviceOnLog,
  isPostmasterOf,
  logTail,
  readPostmaster,
  removeStrangersLock,
  spawnPostmaster,
  stopPostmaster,
  type Postmaster,
  type PostmasterChild,
} from './postmaster.ts';

/** Timeout for a server to accept connections [ms]. Replaying a write-ahead log of the maximum size takes seconds. */
const START_TIMEOUT_MS = 120_000;
/** Timeout for a server to stop [ms]. It writes a last checkpoint before it ends. */
const STOP_TIMEOUT_MS = 60_000;
/** If a running server cannot be reached for this time [ms], it is assumed to have lost its socket. */
const UNREACHABLE_MS = 10_000;
/** Pause between attempts to connect [ms]. */
const RETRY_MS = 10;
/** Time [ms] after which the log says that the server is not ready yet. Attempts to connect are rarer from then on. */
const TOLD_AFTER_MS = 5_000;
/** Pause between attempts from then on [ms]. The server writes a line into its log for each. */
const PATIENT_MS = 500;
/** Maximum number of failed starts in a row. */
const MAX_STARTS = 6;
/** Matches the log of a failed start that is retried: another server, or the remains of a killed one, blocked it. */
const IN_THE_WAY = /lock file|shared memory block|could not bind/;
/** Pause after the first failed start [ms]; doubled after each further failure. */
const RESTART_MS = 50;
/** First pause between two attempts to restart a server that ended while in use [ms]; doubled each time. */
const REJOIN_MS = 1_000;
/**
 * Maximum pause between these attempts [ms]. The attempts never stop, since the cause, such as a full disk, may end at
 * any time.
 */
const MOST_REJOIN_MS = 15_000;

/** Logger for messages to the operator; a Fastify or pino logger fits. */
export interface ServerLog {
  info(message: string): void;
  warn(message: string): void;
}

/** A share in the embedded server. The server runs as long as any process has a share. */
export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  /** Process id of the server (postmaster). */
  readonly pid: number;
  /** Gives the share back. The process that gives back the last share stops the server and waits for it. Idempotent. */
  stop(): Promise<void>;
}

/** Options of {@link startEmbeddedPostgres}. */
export interface EmbeddedPostgresOptions {
  /** The service's data folder. Created if it is missing. */
  readonly dataFolder: string;
  readonly log: ServerLog;
  /** PostgreSQL settings that override the defaults of the service. Used only if this call starts the server. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts the PostgreSQL server of a data folder, or joins the server if it is already running, even if the process
 * that started the server was killed. If the server ends before the share is given back, it is started again.
 *
 * @throws UpstreamUnavailable when no server can be started. The message says what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = await findPostgresHome(options.dataFolder);
  const binaries = await findPostgresBinaries(home.folder, home.user);
  const password = await ensureCluster(home, binaries);
  const share = new Share(home, binaries, password, options);
  await share.acquire();
  return share;
}

class Share implements EmbeddedPostgres {
  readonly #home: PostgresHome;
  readonly #binaries: PostgresBinaries;
  readonly #password: string;
  readonly #log: ServerLog;
  readonly #settings: Readonly<Record<string, string>>;
  #address: { readonly host: string; readonly port: number } = { host: '', port: 0 };
  #pid = 0;
  #lease: Client | undefined;
  #recovery: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | undefined;
  readonly #ending = new AbortController();

  constructor(
    home: PostgresHome,
    binaries: PostgresBinaries,
    password: string,
    options: EmbeddedPostgresOptions,
  ) {
    this.#home = home;
    this.#binaries = binaries;
    this.#password = password;
    this.#log = options.log;
    this.#settings = options.settings ?? {};
  }

  get pid(): number {
    return this.#pid;
  }

  get connection(): EmbeddedConnection {
    return {
      ...this.#address,
      user: SUPERUSER,
      password: this.#password,
      database: SERVICE_DATABASE,
      ssl: false,
    };
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#release();
    this.#ending.abort();
    return this.#stopping;
  }

  /** Takes a lease. Starts the server if necessary, and tries again several times if the start fails. */
  async acquire(): Promise<void> {
    const { clusterFolder } = this.#home;
    const deadline = performance.now() + START_TIMEOUT_MS;
    let child: PostmasterChild | undefined;
    let starts = 0;
    let silentSince: number | undefined;
    let isTold = false;
    while (performance.now() < deadline) {
      if (this.#stopping !== undefined) return;
      const running = await readPostmaster(clusterFolder);
      const answer = running === undefined ? 'silent' : await this.#join(running);
      if (answer === 'joined') return;
      if (answer === 'not ready') {
        silentSince = undefined;
        if (!isTold && deadline - performance.now() < START_TIMEOUT_MS - TOLD_AFTER_MS) {
          isTold = true;
          this.#log.info(
            `The database server (process ${running?.pid}) starts or recovers. It is given ${START_TIMEOUT_MS / 1000} s.`,
          );
        }
        if (isTold)
          await sleep(PATIENT_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      }
      if (child?.ended() === false) {
        await sleep(RETRY_MS);
      } else if (running !== undefined && (await isPostmasterOf(running.pid, clusterFolder))) {
        silentSince ??= performance.now();
        if (performance.now() - silentSince > UNREACHABLE_MS) {
          this.#log.warn(`The database server (process ${running.pid}) lost its socket and is restarted.`);
          await stopPostmaster(this.#home, this.#binaries, running.pid, STOP_TIMEOUT_MS);
          silentSince = undefined;
        }
        await sleep(RETRY_MS);
      } else {
        if (starts > 0) {
          if (starts === MAX_STARTS || !IN_THE_WAY.test(await logTail(this.#home))) break;
          await sleep(RESTART_MS * 2 ** (starts - 1));
        }
        if (running !== undefined) await removeStrangersLock(clusterFolder, running.pid);
        child = await this.#spawn();
        starts += 1;
      }
    }
    const log = await logTail(this.#home);
    throw new UpstreamUnavailable(
      `The database server of ${this.#home.folder} does not start. The end of its log (${this.#home.logFile}):\n` +
        log +
        adviceOnLog(log),
    );
  }

  async #spawn(): Promise<PostmasterChild> {
    await checkLimits();
    await removeOldCopies(this.#home.folder, this.#binaries);
    const windows = process.platform === 'win32';
    return spawnPostmaster(
      this.#home,
      this.#binaries,
      {
        socketFolder: windows ? '' : await makeSocketFolder(this.#home),
        tcpPort: windows ? this.#address.port || (await freePort()) : undefined,
      },
      this.#settings,
    );
  }

  async #join(running: Postmaster): Promise<'joined' | NoLease> {
    if (running.port === 0 || (running.socketFolder === '' && process.platform !== 'win32')) return 'silent';
    this.#address = { host: running.socketFolder || '127.0.0.1', port: running.port };
    const lease = await takeLease(this.connection).catch((cause: Error) => {
      throw new UpstreamUnavailable(
        `The database server of ${this.#home.folder} refuses the connection: ${cause.message}`,
        { cause },
      );
    });
    if (lease === 'not ready' || lease === 'silent') return lease;
    this.#lease = lease;
    this.#pid = running.pid;
    lease.once('end', () => this.#recover(lease));
    return 'joined';
  }

  /** Called when the lease's connection is lost: the server was killed, or one of its processes crashed. */
  #recover(lost: Client): void {
    if (this.#lease !== lost || this.#stopping !== undefined) return;
    this.#lease = undefined;
    this.#log.warn(
      `The database server (process ${this.#pid}) closed our connection. Reconnecting, or restarting it.`,
    );
    this.#recovery = this.#rejoin();
  }

  /** Tries to take a lease until this succeeds or the share is given back. */
  async #rejoin(): Promise<void> {
    const { signal } = this.#ending;
    for (let pauseMs = REJOIN_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MOST_REJOIN_MS)) {
      try {
        await this.acquire();
        if (!signal.aborted) this.#log.info(`The database server (process ${this.#pid}) is available again.`);
        return;
      } catch (error) {
        this.#log.warn((error as Error).message);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #release(): Promise<void> {
    await this.#recovery;
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease === undefined) return;
    try {
      // The connection of the lease is still open, so the server is alive and postmaster.pid contains its id.
      const running = (await returnLease(lease)) ? await readPostmaster(this.#home.clusterFolder) : undefined;
      if (running === undefined) return;
      if (!(await stopPostmaster(this.#home, this.#binaries, running.pid, STOP_TIMEOUT_MS))) {
        this.#log.warn(
          `The database server (process ${running.pid}) is still stopping after ${STOP_TIMEOUT_MS / 1000} s.`,
        );
      }
    } finally {
      await lease.end().catch(() => undefined);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
