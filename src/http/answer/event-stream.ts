import { Readable } from 'node:stream';
import type { EventLog, EventPosition } from '../../app/events/event-log.ts';
import type { EventNews } from '../../app/events/event-news.ts';
import type { Owner } from '../../app/owner.ts';
import type { EventType } from '../../contract/events.ts';

const HEARTBEAT_MS = 15_000; // between signs of life; proxies commonly cut what is silent for 30 s or more
const RECONNECT_MS = 2_000; // told to browsers: how long they wait before they come back
const PAGE = 100; // events read at once: 2 MB at the largest
const CHECK_MS = 1_000; // between looks at the credential: contract.md "API keys"

export interface EventStreamOptions {
  readonly log: EventLog;
  readonly news: EventNews;
  readonly owner: Owner;
  readonly type: EventType | undefined;
  readonly from: EventPosition;
  /** Whether the credential still allows it. */
  readonly holds: () => Promise<boolean>;
  /** Ends the stream: the service stops, or the caller is gone. */
  readonly signal: AbortSignal;
  readonly heartbeatMs?: number;
}

/**
 * Server-sent events from a place on, until the signal, or until the credential ends. Reads only as fast as it is read.
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
  while (!signal.aborted && (await options.holds())) {
    if (isNews) {
      const page = await log.page(owner, { after: from, type, limit: PAGE });
      for (const { id, type: name, body } of page.events)
        yield `id: ${id}\nevent: ${name}\ndata: ${body}\n\n`;
      if (page.events.length > 0) spokenMs = performance.now();
      // Where no more is visible, all below the horizon is read, events of other types too.
      from = page.more ? page.events.at(-1)! : page.horizon;
      if (page.more) continue;
    }
    if (performance.now() - spokenMs >= heartbeatMs) {
      spokenMs = performance.now();
      yield ':\n\n';
    }
    isNews = await news.wait(owner, from, Math.min(CHECK_MS, heartbeatMs), signal);
  }
}
