import { setTimeout as sleep } from 'node:timers/promises';
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
import { nanos, type Msg } from '@nats-io/transport-node';
import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';
import { ANSWER_MS, NatsLink, type NatsSettings } from './nats-link.ts';
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
const STOP_MS = 10_000; // time for the jobs that run to end
/** Time for which the server refuses a message that it has stored before [ms]. */
const DUPLICATE_MS = 600_000;
/** Names of priorities in subjects and consumers: the first is asked for first. */
const PRIORITIES = ['new', 'backfill'] as const;

/**
 * Messages in a stream of NATS JetStream: a file in the server that keeps each message until it is acknowledged. Each
 * installation has its own stream, with a consumer for each kind and priority. A stream that is there is left as it is, so
 * an operator may have given it replicas.
 */
export class NatsEngine implements JobEngine {
  readonly name = 'nats';
  readonly #db: Kysely<Database>;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();
  readonly #link: NatsLink;
  #manager: JetStreamManager | undefined;
  #stream = '';
  /** The connection, as its end, on which the stream and its consumers were found or made. */
  #there: AbortSignal | undefined;
  #making: Promise<void> | undefined;
  readonly #loops: Promise<void>[] = [];

  constructor(db: Kysely<Database>, settings: NatsSettings, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
    this.#link = new NatsLink(settings, onError);
  }

  /** Connects. A server that is away is waited for, so this does not fail for it. */
  async start(): Promise<void> {
    this.#stream = (await this.#db.selectFrom('job_stream').select('name').executeTakeFirstOrThrow()).name;
    this.#link.start();
  }

  async send(_transaction: Kysely<Database>, jobs: readonly SendableJob[]): Promise<readonly string[]> {
    await this.#ready();
    const sent = await this.#link.ask((connection) => {
      const stream = jetstream(connection, { timeout: ANSWER_MS });
      const sending = jobs.map(({ kind, priority, id, sends }) =>
        stream.publish(this.#subject(kind, priority), JSON.stringify({ id, sends }), {
          msgID: `${id}.${sends}`,
          expect: { streamName: this.#stream },
        }),
      );
      return Promise.all(sending);
    });
    return sent.map(({ seq }) => String(seq));
  }

  async missing(jobs: readonly SentJob[]): Promise<readonly string[]> {
    await this.#ready();
    const missing: string[] = [];
    for (const { id, sends, message } of jobs) {
      const stored = await this.#link
        .ask(() => this.#manager!.streams.getMessage(this.#stream, { seq: Number(message) }))
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
    this.#link.stop();
    await Promise.race([Promise.all(this.#loops), sleep(STOP_MS, undefined, { ref: false })]);
    await this.#link.close();
  }

  /** Returns once the stream and its consumers are there. @throws Error while the server is away */
  async #ready(): Promise<void> {
    if (this.#there === this.#link.lost) return;
    await (this.#making ??= this.#make().finally(() => (this.#making = undefined)));
  }

  /** Makes the stream and its consumers, where they are missing. */
  async #make(): Promise<void> {
    await this.#link.ask(async (connection) => {
      const { lost } = this.#link;
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
      this.#there = lost;
    });
  }

  #subject(kind: JobKind, priority: number): string {
    return `${this.#stream}.${kind}.${PRIORITIES[priority] ?? 'backfill'}`;
  }

  async #workOn(kind: JobKind, take: (received: Received) => Promise<Verdict>): Promise<void> {
    const { signal } = this.#stopping;
    const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
    let hadMessage = true;
    while (!signal.aborted) {
      await this.#link.up();
      const { lost } = this.#link;
      try {
        const message = await this.#next(kind, hadMessage);
        hadMessage = message !== undefined;
        if (message !== undefined) await this.#settle(message, take);
      } catch (error) {
        // A lost connection was told. A message that was taken is delivered again.
        if (lost.aborted) continue;
        if (this.#there !== undefined) this.#onError(error);
        this.#there = undefined;
        await pause(TROUBLE_MS);
      }
    }
  }

  /**
   * Asks for a message, of the first priority that has one, and waits for one of any priority.
   * @param mayBeMore whether there may be several, so that their priorities count
   */
  async #next(kind: JobKind, mayBeMore: boolean): Promise<Msg | undefined> {
    await this.#ready();
    const { lost } = this.#link;
    const pull = (asked: readonly string[], waitMs: number): Promise<Msg | undefined> =>
      this.#link.ask((connection) => pullMessage(connection, this.#stream, asked, waitMs, lost));
    const consumers = PRIORITIES.map((priority) => `${kind}_${priority}`);
    for (const consumer of mayBeMore ? consumers : []) {
      const message = await pull([consumer], 0);
      if (message !== undefined) return message;
    }
    return pull(consumers, WAIT_MS);
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
