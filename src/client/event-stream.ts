import { sleep } from './retry.ts';
import type { Event as WebhookEvent } from './api-types.ts';

export interface StreamOptions {
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal;
  /** Idle timeout after which the stream is opened again [ms]; default 45,000, three heartbeats. */
  readonly silenceMs?: number;
  /** Wait before a stream that broke or ended is opened again [ms]; default 1,000. */
  readonly reconnectMs?: number;
}

/** Opens a stream of the events that follow the event with the id `after`. Rejects after the last failed retry. */
export type OpenStream = (
  after: string | undefined,
  signal: AbortSignal,
) => Promise<ReadableStream<Uint8Array>>;

const SILENCE_MS = 45_000; // ms; the service sends a heartbeat every 15 s
const RECONNECT_MS = 1_000; // ms

/** Yields the events of successive streams. Each stream starts after the last event of the previous stream. */
export async function* followEvents(
  open: OpenStream,
  after: string | undefined,
  { signal, silenceMs = SILENCE_MS, reconnectMs = RECONNECT_MS }: StreamOptions = {},
): AsyncGenerator<WebhookEvent, void, undefined> {
  let last = after;
  for (;;) {
    const stop = new AbortController();
    const abort = (): void => stop.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    let silence: ReturnType<typeof setTimeout> | undefined;
    const listen = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), silenceMs);
    };
    try {
      if (signal?.aborted) return;
      const stream = await open(last, stop.signal);
      listen();
      for await (const { id, data } of messages(stream, listen)) {
        last = id;
        yield JSON.parse(data) as WebhookEvent;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // A stream that broke is opened again. A stream that could not be opened is an error for the caller.
      if (silence === undefined) throw error;
    } finally {
      clearTimeout(silence);
      signal?.removeEventListener('abort', abort);
      stop.abort();
    }
    await sleep(reconnectMs, signal).catch(() => undefined);
  }
}

/**
 * Yields the messages of a stream of server-sent events that have both data and an identifier.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
async function* messages(
  stream: ReadableStream<Uint8Array>,
  onData: () => void,
): AsyncGenerator<{ readonly id: string; readonly data: string }, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onData();
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = parts.pop()!;
      for (const part of parts) {
        const fields = new Map<string, string>();
        for (const line of part.split('\n')) {
          const colon = line.indexOf(':');
          if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
        }
        const [id, data] = [fields.get('id'), fields.get('data')];
        if (id !== undefined && data !== undefined) yield { id, data };
      }
    }
  } finally {
    reader.releaseLock();
  }
}
