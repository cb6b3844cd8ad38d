import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { threadFile } from '../../base/thread-file.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { Authorise } from '../../net/guarded-reader.ts';
import { toServiceError } from '../imagery/stac-catalogue.ts';
import { closeExchange, openExchange, unship } from './exchange.ts';
import type { FileCalls } from './file-calls.ts';
import { processUse, type ProcessUse } from './process-use.ts';
import type { ReadingLimits } from './reading-limits.ts';
import {
  type Answered,
  type Asked,
  type Beat,
  decodeError,
  encodeError,
  type Reply,
  type Request,
  type Setup,
} from './wire.ts';

/** What a process that reads files is started with. */
export interface ProcessOptions {
  readonly setup: Omit<Setup, 'exchange' | 'hasAccess'>;
  /** Gives the credentials of the requests of the process. */
  readonly authorise?: Authorise | undefined;
  readonly limits: ReadingLimits;
  /** Environment variables of the process. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Descriptor of the exchange file in the process: after the standard streams and the channel. */
const EXCHANGE = 4;
const LOOK_MS = 50; // interval between two looks at what the process uses
/** If a look comes later than this [ms], this process was itself busy, and signs of life wait to be read. */
const LATE_MS = 500;
const END_MS = 2_000; // time for the process to end by itself
const WORDS_MS = 200; // time to wait for its last error messages after its end
const TOLD_LENGTH = 2_000; // length of the kept end of its error messages [characters]

/**
 * Settings of glibc for the process: memory goes back to the system once it is free. By default, glibc keeps more and
 * more of it in the course of many files, and a sound file would end at the limit. Measured over 15,000 files: a peak of
 * 137 MiB in place of 185. Other C libraries ignore them.
 * @see https://man7.org/linux/man-pages/man3/mallopt.3.html
 */
const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

interface Pending {
  /** The file that is read, for messages. */
  readonly what: string;
  /** Processor time of the process when the call began [ms]. */
  readonly cpuMs: number;
  readonly startMs: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A process that reads files, and is ended when it takes more processor time, memory or time than its limits allow.
 * Its calls then fail with `InvalidInput`, which names the files and the limit.
 */
export class ReadingProcess {
  readonly #child: ChildProcess;
  readonly #exchange: number;
  readonly #limits: ReadingLimits;
  readonly #authorise: Authorise | undefined;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  #last = 0;
  #verdict: string | undefined;
  #told = '';
  #hasEnded = false;
  #beat: ProcessUse = { cpuMs: 0, rssBytes: 0 };
  /** Processor time at the last sign of life [ms]. */
  #aliveCpuMs = 0;
  #peakBytes = 0;
  #lookMs = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor({ setup, authorise, limits, environment }: ProcessOptions) {
    this.#limits = limits;
    this.#authorise = authorise;
    this.#exchange = openExchange();
    this.#child = fork(threadFile('file-process', import.meta.url), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', this.#exchange],
      execArgv: [`--max-old-space-size=${Math.floor(limits.memoryBytes / 2 ** 20)}`],
      env: { ...MALLOC, ...environment },
    });
    const child = this.#child;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    child.on('message', (message: Reply | Beat | Asked) => {
      if ('asked' in message) void this.#answer(message.asked);
      else this.#take(message);
    });
    child.on('error', (error) => this.#end(error.message));
    child.on('exit', (code, signal) => {
      const end = (): void => {
        clearTimeout(late);
        resolve();
        this.#end(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`);
      };
      // Its last words may still be on the way. The event `close` would not come after `disconnect`.
      const late = setTimeout(end, WORDS_MS);
      if (child.stderr!.closed) end();
      else child.stderr!.once('close', end);
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#told = (this.#told + text).slice(-TOLD_LENGTH);
    });
    this.#send({ ...setup, exchange: EXCHANGE, hasAccess: authorise !== undefined });
    this.#rest();
  }

  /** Whether the process has ended. No call succeeds any more, and nothing of it is open. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Number of calls that are not answered. */
  get working(): number {
    return this.#pending.size;
  }

  /** What the process has used so far, and the most memory that was seen; undefined when the system does not tell. */
  get use(): (ProcessUse & { readonly peakBytes: number }) | undefined {
    const use = this.#look();
    return use && { ...use, peakBytes: this.#peakBytes };
  }

  /**
   * Calls a function of the process.
   * @param what the file that is read, for messages
   */
  call<K extends keyof FileCalls>(
    what: string,
    name: K,
    ...args: Parameters<FileCalls[K]>
  ): Promise<Awaited<ReturnType<FileCalls[K]>>> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return reject(this.#refusal([what]));
      const id = ++this.#last;
      const cpuMs = this.#look()?.cpuMs ?? 0;
      if (this.#pending.size === 0) this.#work(cpuMs);
      this.#pending.set(id, {
        what,
        cpuMs,
        startMs: performance.now(),
        resolve: resolve as Pending['resolve'],
        reject,
      });
      this.#send({ id, call: name, args });
    });
  }

  /** Ends the process. Calls that are not answered fail. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#holdOn(true);
    if (this.#child.connected) this.#child.disconnect();
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.#ended;
    clearTimeout(kill);
  }

  async #answer({ id, url, refused }: Asked['asked']): Promise<void> {
    try {
      this.#send({ answered: { id, granted: await this.#authorise?.(url, refused) } });
    } catch (error) {
      this.#send({ answered: { id, error: encodeError(toServiceError(url, error)) } });
    }
  }

  #send(message: Request | Setup | Answered | { readonly taken: number }): void {
    if (this.#child.connected) this.#child.send(message, () => undefined); // a lost message means that it ends
  }

  /** Begins to watch, and keeps this process alive for the answer. */
  #work(cpuMs: number): void {
    this.#holdOn(true);
    this.#aliveCpuMs = cpuMs;
    this.#lookMs = performance.now();
    this.#watch = setInterval(() => this.#check(), LOOK_MS);
  }

  /** Stops watching. A process without work does not keep this process alive. */
  #rest(): void {
    clearInterval(this.#watch);
    this.#holdOn(false);
  }

  /** Sets whether this process waits for the other one before it ends. */
  #holdOn(isNeeded: boolean): void {
    const change = isNeeded ? 'ref' : 'unref';
    this.#child[change]();
    this.#child.channel?.[change]();
    (this.#child.stderr as Socket)[change]();
  }

  #look(): ProcessUse | undefined {
    const use = processUse(this.#child.pid ?? -1) ?? (process.platform === 'linux' ? undefined : this.#beat);
    if (use !== undefined) this.#peakBytes = Math.max(this.#peakBytes, use.rssBytes);
    return use;
  }

  #check(): void {
    const nowMs = performance.now();
    const isLate = nowMs - this.#lookMs > LATE_MS;
    this.#lookMs = nowMs;
    const use = this.#look();
    if (use === undefined || isLate) return;
    const { memoryBytes, stepCpuMs, callCpuMs, callMs } = this.#limits;
    if (use.rssBytes > memoryBytes) this.#stop(`it took more than ${megabytes(memoryBytes)} of memory`);
    else if (use.cpuMs - this.#aliveCpuMs > stepCpuMs)
      this.#stop(`one part of it took more than ${stepCpuMs / 1000} s of processor time`);
    for (const { cpuMs, startMs } of this.#pending.values()) {
      if (use.cpuMs - cpuMs > callCpuMs)
        this.#stop(`it took more than ${callCpuMs / 1000} s of processor time`);
      else if (nowMs - startMs > callMs) this.#stop(`it took longer than ${callMs / 1000} s`);
    }
  }

  #stop(verdict: string): void {
    this.#verdict ??= verdict;
    this.#child.kill('SIGKILL');
  }

  #take(message: Reply | Beat): void {
    if ('beat' in message) {
      this.#beat = message.beat;
      this.#aliveCpuMs = processUse(this.#child.pid ?? -1)?.cpuMs ?? message.beat.cpuMs;
      return;
    }
    const { id } = message;
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    const settle = (): void => {
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#rest();
    };
    if ('error' in message) {
      settle();
      pending.reject(decodeError(message.error, pending.what));
      return;
    }
    const { value, arrays } = message;
    if (arrays.length === 0) {
      settle();
      pending.resolve(value);
      return;
    }
    unship(this.#exchange, value, arrays)
      .then(pending.resolve, pending.reject)
      .finally(() => {
        settle();
        this.#send({ taken: id });
      });
  }

  #end(why: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#verdict ??= /heap out of memory|allocation failed/i.test(this.#told)
      ? `it took more than ${megabytes(this.#limits.memoryBytes)} of memory`
      : why;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#rest();
    const error = this.#refusal([...new Set(pending.map(({ what }) => what))]);
    for (const { reject } of pending) reject(error);
    closeExchange(this.#exchange);
  }

  #refusal(files: readonly string[]): InvalidInput {
    return new InvalidInput(`${files.join(', ')}: reading was stopped, because ${this.#verdict}`, {
      cause: this.#told === '' ? undefined : new Error(this.#told),
    });
  }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
