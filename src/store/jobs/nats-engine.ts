import { setTimeout as sleep } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  jetstreamManager,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
} from '@nats-io/jetstream';
import {
  connect,
  nanos,
  type Msg,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node';
import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';
import { pullMessage } from './nats-pull.ts';
import {
  JOB_KINDS,
  type JobEngine,
  type JobKind,
  type JobTicket,
  type Received,
  type SendableJob,
  type SentJob,
  type Verdict,
} from './job-engine.ts';

/** Time without a heartbeat after which a message goes to another worker, and interval between heartbeats [ms]. */
const ACK_WAIT_MS = 10_000;
const HEARTBEAT_MS = 3_000;
const WAIT_MS = 10_000; // time for which the server is asked to wait for a message
const TROUBLE_MS = 2_000; // pause after a question that failed
const AGAIN_MS = 300; // delay of a message that came too early
const ANSWER_MS = 5_000; // time in which the server answers
const STOP_MS = 10_000; // time for the jobs that run to end
/** Time for which the server refuses a message that it has stored before [ms]. */
const DUPLICATE_MS = 600_000;
/** Names of priorities in subjects and consumers: the first is asked for first. */
const PRIORITIES = ['new', 'backfill'] as const;

/** Where the server is and how it is reached. */
export interface NatsSettings {
  /** Addresses, comma-separated, as nats://user:password@host:port; tls:// with TLS. */
  readonly servers: string;
  /** PEM of authorities that are trusted besides those of Node.js; undefined: none. */
  readonly ca?: string | undefined;
}

/**
 * Messages in a stream of NATS JetStream: a file in the server that keeps each message until it is acknowledged. Each
 * installation has its own stream, with a consumer for each kind and priority. A stream that is there is left as it is, so
 * an operator may have given it replicas.
 */
export class NatsEngine implements JobEngine {
  readonly name = 'nats';
  readonly #db: Kysely<Database>;
  readonly #settings: NatsSettings;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #connection: NatsConnection | undefined;
  /** Until the first connection, or the time in which a server that is there would have answered. */
  #first: Promise<unknown> = Promise.resolve();
  /** Aborted at the end, and when the connection is lost, because the server has forgotten what it was asked. */
  #lost = new AbortController();
  #manager: JetStreamManager | undefined;
  #stream = '';
  /** Whether the stream and its consumers are there, as far as is known. */
  #isThere = false;
  #making: Promise<void> | undefined;
  readonly #loops: Promise<void>[] = [];

  constructor(db: Kysely<Database>, settings: NatsSettings, onError: (error: unknown) => void) {
    this.#db = db;
    this.#settings = settings;
    this.#onError = onError;
  }

  /** Connects. A server that is away is waited for, so this does not fail for it. */
  async start(): Promise<void> {
    this.#stream = (await this.#db.selectFrom('job_stream').select('name').executeTakeFirstOrThrow()).name;
    // Not awaited: jobs wait in the database while the server is away.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#connect(resolve).catch((error: unknown) => this.#onError(new Error(`NATS_URL: ${String(error)}`)));
    const { signal } = this.#stopping;
    const patience = sleep(ANSWER_MS, undefined, { ref: false, signal }).catch(() => undefined);
    this.#first = Promise.race([promise, patience]);
  }

  async send(_transaction: Kysely<Database>, jobs: readonly SendableJob[]): Promise<readonly string[]> {
    const connection = await this.#ready();
    const stream = jetstream(connection, { timeout: ANSWER_MS });
    const sent = await Promise.all(
      jobs.map(({ kind, priority, id, sends }) =>
        stream.publish(this.#subject(kind, priority), JSON.stringify({ id, sends }), {
          msgID: `${id}.${sends}`,
          expect: { streamName: this.#stream },
        }),
      ),
    );
    return sent.map(({ seq }) => String(seq));
  }

  async missing(jobs: readonly SentJob[]): Promise<readonly string[]> {
    await this.#ready();
    const missing: string[] = [];
    for (const { id, sends, message } of jobs) {
      const stored = await this.#manager!.streams
        .getMessage(this.#stream, { seq: Number(message) })
        .catch((error: unknown) => {
          if (error instanceof JetStreamApiError) return null; // no such message
          throw error;
        });
      // In a stream that was made anew, the number may be that of another message.
      const ticket = stored?.json<JobTicket>();
      if (ticket?.id !== id || ticket.sends !== sends) missing.push(id);
    }
    return missing;
  }

  work(take: (kind: JobKind, received: Received) => Promise<Verdict>): Promise<void> {
    for (const kind of JOB_KINDS) this.#loops.push(this.#workOn(kind, (received) => take(kind, received)));
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#lost.abort();
    await Promise.race([Promise.all(this.#loops), sleep(STOP_MS, undefined, { ref: false })]);
    await this.#connection?.close();
  }

  async #connect(onFirst: () => void): Promise<void> {
    const { ca } = this.#settings;
    const options: NodeConnectionOptions = {
      servers: this.#settings.servers.split(',').map((server) => server.trim()),
      name: 'groundwatch',
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 1_000,
      timeout: ANSWER_MS,
      ...(/(?:^|,)\s*tls:/.test(this.#settings.servers) && {
        tls: ca === undefined ? {} : { ca: [...rootCertificates, ca].join('\n') },
      }),
    };
    const connection = await connect(withLogin(options));
    if (this.#stopping.signal.aborted) return connection.close();
    this.#connection = connection;
    onFirst();
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        // The server may come back without its files.
        this.#isThere = false;
        this.#lost.abort();
        if (!this.#stopping.signal.aborted) this.#lost = new AbortController();
        if (!this.#stopping.signal.aborted)
          this.#onError(new Error('NATS_URL: the connection was lost; jobs wait until it is back'));
      }
      if (status.type === 'error') this.#onError(new Error(`NATS_URL: ${String(status.error)}`));
    }
  }

  /** Returns the connection once the stream and its consumers are there. @throws Error while the server is away */
  async #ready(): Promise<NatsConnection> {
    await this.#first;
    const connection = this.#connection;
    if (connection === undefined)
      throw new Error('NATS_URL: the server does not answer; jobs wait until it does');
    if (!this.#isThere)
      await (this.#making ??= this.#make(connection).finally(() => (this.#making = undefined)));
    return connection;
  }

  /** Makes the stream and its consumers, where they are missing. */
  async #make(connection: NatsConnection): Promise<void> {
    this.#manager = await jetstreamManager(connection, { timeout: ANSWER_MS });
    const { streams, consumers } = this.#manager;
    await streams.info(this.#stream).catch(async (error: unknown) => {
      if (!(error instanceof JetStreamApiError)) throw error;
      await streams.add({
        name: this.#stream,
        subjects: [`${this.#stream}.>`],
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.File,
        duplicate_window: nanos(DUPLICATE_MS),
      });
    });
    for (const kind of JOB_KINDS)
      for (const [p, priority] of PRIORITIES.entries())
        await consumers.add(this.#stream, {
          durable_name: `${kind}_${priority}`,
          filter_subject: this.#subject(kind, p),
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          ack_wait: nanos(ACK_WAIT_MS),
          max_deliver: -1,
        });
    this.#isThere = true;
  }

  #subject(kind: JobKind, priority: number): string {
    return `${this.#stream}.${kind}.${PRIORITIES[priority] ?? 'backfill'}`;
  }

  async #workOn(kind: JobKind, take: (received: Received) => Promise<Verdict>): Promise<void> {
    const { signal } = this.#stopping;
    const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
    let hadMessage = true;
    while (!signal.aborted) {
      try {
        const message = await this.#next(kind, hadMessage);
        hadMessage = message !== undefined;
        if (message !== undefined) await this.#settle(message, take);
      } catch (error) {
        // The relay reports a server that is away. A message that was taken is delivered again.
        if (this.#isThere && !signal.aborted) this.#onError(error);
        this.#isThere = false;
        await pause(TROUBLE_MS);
      }
    }
  }

  /**
   * Asks for a message, of the first priority that has one, and waits for one of any priority.
   * @param mayBeMore whether there may be several, so that their priorities count
   */
  async #next(kind: JobKind, mayBeMore: boolean): Promise<Msg | undefined> {
    const connection = await this.#ready();
    const { signal } = this.#lost;
    const consumers = PRIORITIES.map((priority) => `${kind}_${priority}`);
    for (const consumer of mayBeMore ? consumers : []) {
      const message = await pullMessage(connection, this.#stream, [consumer], 0, signal);
      if (message !== undefined) return message;
    }
    return pullMessage(connection, this.#stream, consumers, WAIT_MS, signal);
  }

  /** Processes a message, with heartbeats, and acknowledges it when that is done. */
  async #settle(message: Msg, take: (received: Received) => Promise<Verdict>): Promise<void> {
    const answer = (what: string): void => void message.respond(what);
    const heartbeat = setInterval(() => answer('+WPI'), HEARTBEAT_MS);
    const again = (ms: number): void => answer(`-NAK {"delay": ${nanos(ms)}}`);
    try {
      const verdict = await take({ ticket: message.json<JobTicket>() });
      if (verdict === 'again') again(AGAIN_MS);
      else answer('+ACK');
    } catch (error) {
      again(TROUBLE_MS);
      throw error;
    } finally {
      clearInterval(heartbeat);
    }
  }
}

/** Takes user and password, or a token, out of the addresses, where the client does not look for them. */
function withLogin(options: NodeConnectionOptions): NodeConnectionOptions {
  let login: NodeConnectionOptions = {};
  const servers = (options.servers as readonly string[]).map((server) => {
    const url = new URL(server);
    const [user, pass] = [url.username, url.password].map(decodeURIComponent) as [string, string];
    if (user !== '') login = pass === '' ? { token: user } : { user, pass };
    return url.host;
  });
  return { ...options, ...login, servers };
}

/** Asks the servers once. @throws Error when none answers, or JetStream is not enabled there */
export async function tryNats({ servers }: NatsSettings): Promise<void> {
  const connection = await connect(
    withLogin({
      servers: servers.split(',').map((server) => server.trim()),
      timeout: ANSWER_MS,
      reconnect: false,
    }),
  );
  try {
    await jetstreamManager(connection, { timeout: ANSWER_MS });
  } finally {
    await connection.close();
  }
}
