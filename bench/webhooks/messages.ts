import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { DatabaseConnection } from '../../src/store/connection/database.ts';

/** First message to the sink; the sink answers with its port. */
export interface SinkCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Every later message to the sink; the sink answers with a report. */
export interface SinkOrder {
  /** New delay of each response [ms]; absent: the delay does not change. */
  readonly delayMs?: number;
}

/** Deliveries that the sink received since its last report. */
export interface SinkReport {
  readonly received: number;
  /** Number and arrival [ms since the Unix epoch] of each numbered event. */
  readonly arrivals: readonly (readonly [number, number])[];
  /** Processor time that the sink has used since it started [us]. */
  readonly cpuUs: number;
}

/** First message to a worker; the worker answers when it is ready. */
export interface WorkerOrder {
  readonly connection: DatabaseConnection;
  readonly caPem: string;
  /** Maximum number of concurrent deliveries; absent: the default of the service. */
  readonly atOnce?: number;
}

/** A worker's answer to every later message: resident memory [bytes], and processor time since it was ready. */
export type WorkerReport = readonly [rss: number, cpu: NodeJS.CpuUsage];

/** Milliseconds since the Unix epoch, with fractions. */
export const epochMs = (): number => performance.timeOrigin + performance.now();

/** Sends a message to a child process and waits for its answer. */
export async function ask<T>(child: ChildProcess, message: object): Promise<T> {
  const answer = once(child, 'message') as Promise<[T]>;
  child.send(message);
  return (await answer)[0];
}

/** Kills a child process and waits for its end. */
export async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
