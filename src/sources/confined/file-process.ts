import { writeFileSync } from 'node:fs';
import type { Authorise, Granted } from '../../net/guarded-reader.ts';
import { release } from '../../base/release.ts';
import { lowerThreadPriority } from '../../base/thread-priority.ts';
import { ExchangeWriter } from './exchange.ts';
import { fileCalls } from './file-calls.ts';
import {
  type Answered,
  type Asked,
  type Beat,
  decodeError,
  encodeError,
  type Reply,
  type Request,
  type Setup,
  type Taken,
} from './wire.ts';

/** Entry of the process that reads files of others. It ends with the process that started it. */

const BEAT_MS = 200; // interval between two signs of life

const send = (message: Reply | Beat | Asked): void => void process.send?.(message);

process.on('disconnect', () => process.exit());
// An interrupt from the terminal reaches all processes. The other process decides what happens.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
if (process.platform === 'linux')
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000'); // the first process to end when the machine is out of memory
  } catch {
    // The limit of memory still holds.
  }
lowerThreadPriority();

interface Waiting {
  readonly url: string;
  readonly resolve: (granted: Granted | undefined) => void;
  readonly reject: (error: Error) => void;
}
/** Requests that wait for their credentials. */
const waiting = new Map<number, Waiting>();
let lastAsked = 0;

/** Asks the other process for the credentials of a request. */
const authorise: Authorise = (url, refused) =>
  new Promise((resolve, reject) => {
    const id = ++lastAsked;
    waiting.set(id, { url, resolve, reject });
    send({ asked: { id, url, refused } });
  });

function take({ answered }: Answered): void {
  const one = waiting.get(answered.id);
  waiting.delete(answered.id);
  if ('error' in answered) one?.reject(decodeError(answered.error, one.url));
  else one?.resolve(answered.granted);
}

process.once('message', (setup: Setup) => {
  const calls = fileCalls(setup, setup.hasAccess ? authorise : undefined) as Readonly<
    Record<string, (...args: readonly unknown[]) => Promise<unknown>>
  >;
  const exchange = new ExchangeWriter(setup.exchange);
  let working = 0;
  let beats: NodeJS.Timeout | undefined;
  const beat = (): void => {
    const { user, system } = process.cpuUsage();
    send({ beat: { cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() } });
  };
  const answer = async ({ id, call, args }: Request): Promise<void> => {
    if (working++ === 0) beats = setInterval(beat, BEAT_MS);
    try {
      const value = await calls[call]!(...args);
      send({ id, ...exchange.ship(id, value) });
      if (call === 'readWindow') release(value as Float32Array);
    } catch (error) {
      send({ id, error: encodeError(error) });
    } finally {
      if (--working === 0) clearInterval(beats);
    }
  };
  process.on('message', (message: Request | Taken | Answered) => {
    if ('taken' in message) exchange.taken(message.taken);
    else if ('answered' in message) take(message);
    else void answer(message);
  });
});
