import { useCallback, useEffect, useState } from 'preact/hooks';
import type { WebhookEvent } from '../../src/client/index.ts';
import { useClient } from '../session.ts';
import { KEPT_EVENTS, withEvent } from './event-row.ts';

export interface FollowedEvents {
  /** The newest events, newest first. */
  readonly events: readonly WebhookEvent[];
  /** Whether the past events are loaded and the stream of new events is followed. */
  readonly listening: boolean;
  readonly error: unknown;
  readonly again: () => void;
}

const NOTHING = { events: [], listening: false, error: undefined } as const;

/** Loads the newest events, then follows the event stream while the pane is shown. */
export function useEvents(): FollowedEvents {
  const client = useClient();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Omit<FollowedEvents, 'again'>>(NOTHING);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async (): Promise<void> => {
      const { events } = await client.listEvents({ order: 'desc', limit: KEPT_EVENTS }, { signal });
      if (signal.aborted) return;
      setState({ ...NOTHING, events, listening: true });
      const after = events[0]?.id;
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
