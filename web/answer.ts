import { createContext } from 'preact';
import { type Inputs, useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';

/** Provides a counter. When it changes, all panes reload their data. */
export const RoundContext = createContext(0);

/** How long after its start a request on its way is not repeated when the panes reload their data [ms]. */
const FRESH_MS = 1000;

/** The last request of an answer. */
interface Flight {
  readonly stop: AbortController;
  readonly key: string;
  readonly round: number;
  readonly startedAt: number;
  isOnItsWay: boolean;
}

/** State of a request to the service. `value` keeps the last value while the request is repeated. */
export interface Answer<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly waiting: boolean;
  /** Repeats the request. */
  readonly again: () => void;
}

/**
 * Sends a request whenever `inputs` change, and ignores responses for older inputs. When a response equals the previous
 * response, `value` stays the same object, so that the components that depend on it do not render again.
 */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, inputs: Inputs): Answer<T> {
  const shown = useContext(RoundContext);
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ key: unknown; value?: T; error?: unknown; waiting: boolean }>({
    key: undefined,
    waiting: true,
  });
  const key = JSON.stringify(inputs);
  const flight = useRef<Flight | undefined>(undefined);
  useEffect(() => () => flight.current?.stop.abort(), []);
  useEffect(() => {
    // When a page is opened, its requests and the one for the state of the sandbox start together. If that one says that
    // there are new data, the others, which are on their way, bring them already.
    const before = flight.current;
    const isFresh = performance.now() - (before?.startedAt ?? -Infinity) < FRESH_MS;
    if (before?.isOnItsWay === true && before.key === key && before.round === round && isFresh) return;
    before?.stop.abort();
    const stop = new AbortController();
    const own: Flight = { stop, key, round, startedAt: performance.now(), isOnItsWay: true };
    flight.current = own;
    setState((old) =>
      old.key === key ? { ...old, error: undefined, waiting: true } : { key, waiting: true },
    );
    const load = async (): Promise<void> => {
      try {
        const value = await ask(stop.signal);
        if (!stop.signal.aborted)
          setState((old) => ({ key, value: isSame(old.value, value) ? old.value! : value, waiting: false }));
      } catch (error) {
        // After an error the last value stays: it is outdated, but better than no value.
        if (!stop.signal.aborted) setState((old) => ({ ...old, key, error, waiting: false }));
      } finally {
        own.isOnItsWay = false;
      }
    };
    void load();
  }, [key, round, shown]);
  const again = useCallback(() => setRound((n) => n + 1), []);
  // In the first render after `inputs` changed, the state still belongs to the old inputs and is not returned.
  if (state.key !== key) return { value: undefined, error: undefined, waiting: true, again };
  return { value: state.value, error: state.error, waiting: state.waiting, again };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** State of an action of the user: whether it is running, and the error if its last run failed. */
export interface Action<A extends readonly unknown[]> {
  readonly run: (...given: A) => void;
  readonly busy: boolean;
  readonly error: unknown;
}

/** Runs `act` when `run` is called, one run at a time, and calls `done` with the result of `act`. */
export function useAction<A extends readonly unknown[], R>(
  act: (...given: A) => Promise<R>,
  done?: (result: R) => void,
): Action<A> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const run = (...given: A): void => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    const whole = async (): Promise<void> => {
      try {
        const result = await act(...given);
        done?.(result);
      } catch (reason) {
        setError(reason);
      } finally {
        setBusy(false);
      }
    };
    void whole();
  };
  return { run, busy, error };
}
