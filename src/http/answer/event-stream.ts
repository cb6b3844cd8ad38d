import { Readable } from 'node:stream';
import type { EventLog, EventPosition } from '../../app/events/event-log.ts';
import type { EventNews } from '../../app/events/event-news.ts';
import type { Owner } from '../../app/owner.ts';
import { Unavailable } from '../../base/errors.ts';
import { NoPlace } from '../../base/fair-queue.ts';
import type { EventType } from '../../contract/events.ts';
import { STREAM_HEARTBEAT_S } from '../../contract/limits.ts';

const HEARTBEAT_MS = STREAM_HEARTBEAT_S * 1000;
const RECONNECT_MS = 2_000; // time that a browser waits before it reconnects
const PAGE = 100; // maximum number of events read from the database at once: at most 2 MB
const CHECK_MS = 1_000; // interval between two checks of the credential

export interface EventStreamOptions {
  readonly log: EventLog;
  readonly news: EventNews;
  readonly owner: Owner;
  readonly type: EventType | undefined;
  readonly from: EventPosition;
  /** Returns whether the credential is still valid and has the scope. */
  readonly holds: () => Promise<boolean>;
  /** Aborted when the service stops or the caller disconnects; the stream then ends. */
  readonly signal: AbortSignal;
  readonly heartbeatMs?: number;
}

/**
 * Streams the events after a position as server-sent events, until the signal is aborted or the credential is no
 * longer valid. Reads from the database only as fast as the caller reads from the stream.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function eventStream(options: EventStreamOptions): Readable {
  return Readable.from(messages(options), { objectMode: false, highWaterMark: 65_536 });
}

async function* messages(options: EventStreamOptions): AsyncGenerator<string, void, undefined> {
  const { log, news, owner, type, signal, heartbeatMs = HEARTBEAT_MS } = options;
  let { from } = options;
  let spokenMs = performance.now();
  let isNews = true;
  yield `retry: ${RECONNECT_MS}\n\n`;
  while (!signal.aborted) {
    const read = await unlessAway(async () => {
      if (!(await options.holds())) return 'ended';
      return isNews ? await log.page(owner, { after: from, type, limit: PAGE }) : 'nothing';
    });
    if (read === 'ended') return;
    if (typeof read === 'object') {
      const page = read;
      for (const { id, type: name, body } of page.events)
        yield `id: ${id}\nevent: ${name}\ndata: ${body}\n\n`;
      if (page.events.length > 0) spokenMs = performance.now();
      // If there is no further page, all events before the end have been sent, or skipped because of their type.
      from = page.more ? page.events.at(-1)! : page.end;
      if (page.more) continue;
    }
    if (performance.now() - spokenMs >= heartbeatMs) {
      spokenMs = performance.now();
      yield ':\n\n';
    }
    const isFound = await news.wait(owner, from, Math.min(CHECK_MS, heartbeatMs), signal);
    // What could not be read before is read now.
    isNews = isFound || (isNews && read === 'away');
  }
}

/** Reads, and returns `away` while the database does not answer, or not this account: a browser does not reconnect after a refusal. */
async function unlessAway<T>(read: () => Promise<T>): Promise<T | 'away'> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Unavailable || error instanceof NoPlace) return 'away';
    throw error;
  }
}
