import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Groundwatch, WebhookEvent } from '../../src/client/index.ts';
import { useClient } from '../session.ts';
import { KEPT_EVENTS, withEvent } from './event-row.ts';

const PAGES = 5; // read for what happened before; the service gives the oldest first

export interface FollowedEvents {
  /** Newest first. */
  readonly events: readonly WebhookEvent[];
  /** The events before now are in, and new ones are listened for. */
  readonly listening: boolean;
  /** There are too many events to read them all: only new ones are followed. */
  readonly onlyNew: boolean;
  readonly error: unknown;
  readonly again: () => void;
}

const NOTHING = { events: [], listening: false, onlyNew: false, error: undefined } as const;

/** The newest events there are, then those that happen while somebody looks. */
export function useEvents(): FollowedEvents {
  const client = useClient();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Omit<FollowedEvents, 'again'>>(NOTHING);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async (): Promise<void> => {
      const past = await readPast(client, signal);
      if (signal.aborted) return;
      setState({ ...NOTHING, events: past?.newest ?? [], listening: true, onlyNew: past === undefined });
      const after = past?.newest[0]?.id;
      for await (const event of client.streamEvents(after === undefined ? {} : { after }, { signal }))
        setState((old) => ({ ...old, events: withEvent(old.events, event) }));
    };
    setState((old) => ({ ...old, error: undefined }));
    follow().catch((error: unknown) => {
      if (!signal.aborted) setState((old) => ({ ...old, listening: false, error }));
    });
    return () => stop.abort();
  }, [client, round]);
  return { ...state, again: useCallback(() => setRound((n) => n + 1), []) };
}

/** The newest events, newest first; undefined when they lie behind more pages than are worth reading. */
async function readPast(
  client: Groundwatch,
  signal: AbortSignal,
): Promise<{ readonly newest: readonly WebhookEvent[] } | undefined> {
  let newest: readonly WebhookEvent[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const { events, next_cursor } = await client.listEvents(
      { limit: KEPT_EVENTS, ...(cursor !== undefined && { cursor }) },
      { signal },
    );
    newest = events.reduce(withEvent, newest);
    if (next_cursor === undefined) return { newest };
    cursor = next_cursor;
  }
  return undefined;
}
