import { createContext } from 'preact';
import { type Inputs, useCallback, useContext, useEffect, useState } from 'preact/hooks';

/** When it changes, everything shown is asked for again. */
export const RoundContext = createContext(0);

/** What a question to the service has led to so far; an older value stays while it is asked again. */
export interface Answer<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly waiting: boolean;
  /** Asks once more. */
  readonly again: () => void;
}

/**
 * Asks the service whenever `inputs` change; an answer to an older question is dropped. The same answer once more
 * leaves the object that was there, so that nothing that hangs on it moves.
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
      // What was known stays: it is older, not wrong.
      (error: unknown) => !stop.signal.aborted && setState((old) => ({ ...old, key, error, waiting: false })),
    );
    return () => stop.abort();
  }, [key, round, shown]);
  const again = useCallback(() => setRound((n) => n + 1), []);
  // In the render where the inputs changed, the state is still the old question's.
  if (state.key !== key) return { value: undefined, error: undefined, waiting: true, again };
  return { value: state.value, error: state.error, waiting: state.waiting, again };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Something the user does: whether it is under way, and why it failed the last time. */
export interface Action<A extends readonly unknown[]> {
  readonly run: (...given: A) => void;
  readonly busy: boolean;
  readonly error: unknown;
}

/** Does one thing at a time; `done` is told its result. */
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
