import { Worker } from 'node:worker_threads';
import type { PlantedEvent } from '../../sandbox/events.ts';
import type { RegionLayer } from '../../sandbox/hazards.ts';
import type { IndexScene } from '../../sandbox/imagery.ts';
import type { PastFire } from '../../sandbox/past.ts';
import type { SiteSeries } from '../../sandbox/stations.ts';
import type { Answered, Asked, PastStation, SandboxCalls } from './sandbox-thread.ts';
import { threadFile } from '../../base/thread-file.ts';

// The thread ends when it has been idle for this time, to free its memory. Starting it again takes about a second.
const IDLE_MS = 60_000;

interface Waiting {
  readonly thread: Worker;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The simulated region. It is computed in a worker thread of low priority that starts with the first call.
 * Results depend only on the seed and the arguments, not on earlier calls.
 */
export class SandboxRegion {
  readonly seed: number;
  readonly #waiting = new Map<number, Waiting>();
  /** Results requested by `ahead` that no call has used yet, by call and arguments. */
  readonly #ahead = new Map<string, Promise<unknown>>();
  #thread: Worker | undefined;
  #last = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(seed: number) {
    this.seed = seed;
  }

  /** Days in `[from, to)` with a delivered pass, ascending. */
  deliveredPasses(from: number, to: number): Promise<readonly number[]> {
    return this.#ask('deliveredPasses', from, to);
  }

  /** Simulates the satellite pass on a day: its indices and scene classes. */
  scene(day: number): Promise<IndexScene> {
    return this.#ask('scene', day);
  }

  /** Vertical displacement since the first simulated day [mm], up positive; row-major on RADAR_GRID, NaN on water. */
  displacement(day: number): Promise<Float32Array> {
    return this.#ask('displacement', day);
  }

  /** Observations of the stations on days `[from, to)`. */
  observations(from: number, to: number): Promise<readonly SiteSeries[]> {
    return this.#ask('observations', from, to);
  }

  /** Maps of the ground and the water of the region. */
  layers(): Promise<readonly RegionLayer[]> {
    return this.#ask('layers');
  }

  /** Records of the weather stations in the years before the first simulated day. */
  pastWeather(): Promise<readonly PastStation[]> {
    return this.#ask('pastWeather');
  }

  /** Fires in the years before the first simulated day. */
  pastFires(): Promise<readonly PastFire[]> {
    return this.#ask('pastFires');
  }

  /** All planted events: the ground truth. */
  events(): Promise<readonly PlantedEvent[]> {
    return this.#ask('events');
  }

  /**
   * Starts a call ahead of time. The next call with the same arguments gets the result. Calls after that compute it
   * again.
   */
  ahead<C extends keyof SandboxCalls>(
    call: C,
    ...args: Parameters<SandboxCalls[C]>
  ): Promise<ReturnType<SandboxCalls[C]>> {
    const answer = this.#ask(call, ...args);
    // An error is thrown to the caller that uses the result. If no caller does, the rejection must not end the process.
    answer.catch(() => undefined);
    this.#ahead.set(questionOf(call, args), answer);
    return answer;
  }

  /** Ends the thread and drops unused results. The next call starts it again. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#ahead.clear();
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #ask<C extends keyof SandboxCalls>(
    call: C,
    ...args: Parameters<SandboxCalls[C]>
  ): Promise<ReturnType<SandboxCalls[C]>> {
    const question = questionOf(call, args);
    const known = this.#ahead.get(question);
    if (this.#ahead.delete(question)) return known as Promise<ReturnType<SandboxCalls[C]>>;
    clearTimeout(this.#idle);
    const thread = (this.#thread ??= this.#start());
    const asked: Asked = { id: ++this.#last, call, args };
    return new Promise((resolve, reject) => {
      this.#waiting.set(asked.id, { thread, resolve, reject });
      thread.postMessage(asked);
    });
  }

  #start(): Worker {
    const thread = new Worker(threadFile('sandbox-thread', import.meta.url), {
      workerData: this.seed,
      execArgv: [],
    });
    const fail = (error: unknown): void => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const [id, waiting] of this.#waiting) {
        // This call belongs to a newer thread, which was started after the failed thread had been closed.
        if (waiting.thread !== thread) continue;
        this.#waiting.delete(id);
        waiting.reject(error);
      }
    };
    thread.on('message', ({ id, answer }: Answered) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
      waiting?.resolve(answer as never);
    });
    thread.on('error', fail);
    thread.on('exit', (code) =>
      fail(new Error(`the thread of the simulated region ended with code ${code}`)),
    );
    return thread;
  }
}

function questionOf(call: keyof SandboxCalls, args: readonly number[]): string {
  return [call, ...args].join(' ');
}
