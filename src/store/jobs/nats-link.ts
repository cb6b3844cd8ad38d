import { setTimeout as sleep } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';

/** Time in which the server answers [ms]. */
export const ANSWER_MS = 5_000;
/** Pause between two attempts to connect again [ms]. */
const RECONNECT_MS = 250;

/** Where the server is and how it is reached. */
export interface NatsSettings {
  /** Addresses, comma-separated, as nats://user:password@host:port; tls:// with TLS. */
  readonly servers: string;
  /** PEM of authorities that are trusted besides those of Node.js; undefined: none. */
  readonly ca?: string | undefined;
}

/**
 * A connection to NATS that is made again when it is lost. What the client was told to send meanwhile is dropped, and a
 * question that the server had not answered is never answered, so each question ends when the connection does.
 */
export class NatsLink {
  readonly #settings: NatsSettings;
  readonly #onError: (error: unknown) => void;
  #connection: NatsConnection | undefined;
  /** Until the first connection, or the time in which a server that is there would have answered. */
  #first: Promise<unknown> = Promise.resolve();
  #up = Promise.withResolvers<void>();
  #isUp = false;
  #isClosed = false;
  #lost = new AbortController();

  constructor(settings: NatsSettings, onError: (error: unknown) => void) {
    this.#settings = settings;
    this.#onError = onError;
  }

  /** Aborted when the present connection is lost, and at the end. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Connects. A server that is away is waited for, so this does not fail for it. */
  start(): void {
    // Not awaited: jobs wait in the database while the server is away.
    this.#connect().catch((error: unknown) => this.#onError(new Error(`NATS_URL: ${String(error)}`)));
    this.#first = Promise.race([this.#up.promise, sleep(ANSWER_MS, undefined, { ref: false })]);
  }

  /** Waits until the server is there, or the link is closed. */
  async up(): Promise<void> {
    await this.#up.promise;
  }

  /**
   * Asks the server.
   * @throws Error of the question, or that the server is away, as soon as that is known
   */
  async ask<T>(question: (connection: NatsConnection) => Promise<T>): Promise<T> {
    await this.#first;
    const { signal } = this.#lost;
    if (this.#connection === undefined || !this.#isUp || this.#isClosed)
      throw new Error('NATS_URL: the server does not answer; jobs wait until it does');
    const { promise: lost, reject } = Promise.withResolvers<never>();
    const onLost = (): void => reject(new Error('NATS_URL: the connection was lost'));
    signal.addEventListener('abort', onLost);
    try {
      return await Promise.race([question(this.#connection), lost]);
    } finally {
      signal.removeEventListener('abort', onLost);
    }
  }

  /** Ends the questions that wait. Answers to messages can still be sent until `close`. */
  stop(): void {
    this.#isClosed = true;
    this.#lost.abort();
    this.#up.resolve();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#connection?.close();
  }

  async #connect(): Promise<void> {
    const { ca } = this.#settings;
    const options: NodeConnectionOptions = {
      servers: this.#settings.servers.split(',').map((server) => server.trim()),
      name: 'groundwatch',
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      timeout: ANSWER_MS,
      ...(/(?:^|,)\s*tls:/.test(this.#settings.servers) && {
        tls: ca === undefined ? {} : { ca: [...rootCertificates, ca].join('\n') },
      }),
    };
    const connection = await connect(withLogin(options));
    if (this.#isClosed) return connection.close();
    this.#connection = connection;
    this.#isUp = true;
    this.#up.resolve();
    for await (const status of connection.status()) {
      if (this.#isClosed) return;
      if (status.type === 'disconnect') this.#onLost();
      if (status.type === 'reconnect') {
        this.#isUp = true;
        this.#up.resolve();
      }
      if (status.type === 'error') this.#onError(new Error(`NATS_URL: ${String(status.error)}`));
    }
  }

  #onLost(): void {
    // The client tells it once more when an attempt to connect again fails late.
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#up = Promise.withResolvers();
    const before = this.#lost;
    this.#lost = new AbortController();
    before.abort();
    this.#onError(new Error('NATS_URL: the connection was lost; jobs wait until it is back'));
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
