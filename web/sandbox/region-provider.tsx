import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { RoundContext, useAction, useAnswer } from '../answer.ts';
import { useClient } from '../session.ts';
import { followRegion, type SandboxStep, UNKNOWN_REGION } from './region.ts';
import { type Region, RegionContext } from './region-context.ts';

const LOOK_AGAIN_MS = 2_000; // time between two requests while the region is being created or its clock advances
// Timeout of a call that advances the clock. The longest call, 365 days at 2 s per day on a busy machine, takes less
// than half of this time.
const ADVANCE_MS = 1_800_000;

/** Provides the simulated region to its children and makes them reload their data when the region has advanced. */
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
  // Runs after each response, not at the end of an advance, because the new date is only in the response to the next
  // request.
  useEffect(() => {
    if (!found.waiting && value !== undefined) setView((old) => followRegion(old, value, move.busy));
  }, [found.waiting]);

  const follow = move.busy || value?.status === 'being_made';
  useEffect(() => {
    if (!follow || found.waiting) return undefined;
    const timer = setTimeout(again, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [follow, found.waiting]);
  // Requests the state again after an advance, successful or not, because the date may have changed.
  useEffect(() => {
    if (!move.busy && value !== undefined) again();
  }, [move.busy]);
  // The clock of the region also advances without a call. The state is requested when the user changes the page or
  // returns to the tab. A timer would keep the region active even if nobody uses it.
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
