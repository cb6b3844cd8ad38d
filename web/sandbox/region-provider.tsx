import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { RoundContext, useAction, useAnswer } from '../answer.ts';
import { useClient } from '../session.ts';
import { followRegion, type SandboxStep, UNKNOWN_REGION } from './region.ts';
import { type Region, RegionContext } from './region-context.ts';

const LOOK_AGAIN_MS = 2_000; // while the region is being made or moves
const ADVANCE_MS = 1_800_000; // ms; 365 days, the most that one call takes, at 2 s a day on a busy machine, twice

/** Follows the simulated region for all that is inside, and has it asked for again when the region moved on. */
export function RegionProvider({ children }: { readonly children: ComponentChildren }) {
  const client = useClient();
  const found = useAnswer((signal) => client.getSandbox({ signal }), []);
  const [view, setView] = useState(UNKNOWN_REGION);
  const [step, setStep] = useState<SandboxStep | undefined>(undefined);
  const move = useAction((days: number) => {
    setStep(undefined);
    return client.advanceSandbox({ days }, { timeoutMs: ADVANCE_MS });
  }, setStep);
  const { value, again } = found;
  // With each answer, and not when a move ends: its last answer is still to come then.
  useEffect(() => {
    if (!found.waiting && value !== undefined) setView((old) => followRegion(old, value, move.busy));
  }, [found.waiting]);

  const follow = move.busy || value?.status === 'being_made';
  useEffect(() => {
    if (!follow || found.waiting) return undefined;
    const timer = setTimeout(again, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [follow, found.waiting]);
  // The date after a move, or what a failed one came to.
  useEffect(() => {
    if (!move.busy && value !== undefined) again();
  }, [move.busy]);
  // Its clock goes on by itself too. Not looked at on a timer: that would keep an unwatched region awake.
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') again();
    };
    addEventListener('hashchange', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      removeEventListener('hashchange', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);

  const region = useMemo(
    (): Region => ({
      state: view.state,
      error: found.error,
      waiting: view.state === undefined && found.error === undefined,
      again,
      advance: move.run,
      advancing: move.busy,
      advanceError: move.error,
      step,
    }),
    [view.state, found.error, move.busy, move.error, step],
  );
  return (
    <RegionContext.Provider value={region}>
      <RoundContext.Provider value={view.round}>{children}</RoundContext.Provider>
    </RegionContext.Provider>
  );
}
