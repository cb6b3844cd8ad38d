import { createContext } from 'preact';
import { type Inputs, useCallback, useContext, useEffect, useState } from 'preact/hooks';

/** A counter; when it changes, all panes reload their data. */
export const RoundContext = createContext(0);

/** State of a request to the service. The last value stays while the request is repeated. */
export interface Answer<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly waiting: boolean;
  /** Repeats the request. */
  readonly again: () => void;
}

/**
 * Sends a request whenever `inputs` change and drops the responses to older inputs. When a response equals the last
 * one, `value` stays the same object, so that nothing that depends on it renders or moves.
 */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, inputs: Inputs): Answer<T> {
  const shown = useContext(RoundContext);
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ key: unknown; value?: T; error?: unknown; waiting: boolean }>({
    key: undefined,
    waiting: true,
  });
  const key = JSON.stringify(inputs);
  useEffect(() => {
    const stop = new AbortController();
    setState((old) =>
      old.key === key ? { ...old, error: undefined, waiting: true } : { key, waiting: true },
    );
    ask(stop.signal).then(
      (value) =>
        !stop.signal.aborted &&
        setState((old) => ({ key, value: isSame(old.value, value) ? old.value! : value, waiting: false })),
      // The last value stays: it is outdated but still correct.
      (error: unknown) => !stop.signal.aborted && setState((old) => ({ ...old, key, error, waiting: false })),
    );
    return () => stop.abort();
  }, [key, round, shown]);
  const again = useCallback(() => setRound((n) => n + 1), []);
  // In the render in which the inputs changed, the state still belongs to the old inputs.
  if (state.key !== key) return { value: undefined, error: undefined, waiting: true, again };
  return { value: state.value, error: state.error, waiting: state.waiting, again };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** State of something that the user does: whether it is running, and why it failed the last time. */
export interface Action<A extends readonly unknown[]> {
  readonly run: (...given: A) => void;
  readonly busy: boolean;
  readonly error: unknown;
}

/** Runs `act` on request, one run at a time, and calls `done` with its result. */
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
