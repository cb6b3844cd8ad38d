import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Groundwatch } from '../../src/client/index.ts';

export type SandboxState = Awaited<ReturnType<Groundwatch['getSandbox']>>;
export type SandboxStep = Awaited<ReturnType<Groundwatch['advanceSandbox']>>;

/** What is known of the simulated region, and how often it has moved on since the console asked first. */
export interface RegionView {
  readonly state: SandboxState | undefined;
  /** Grows when there is something new in the region: then everything shown is asked for again. */
  readonly round: number;
  /** What the last round stood for. */
  readonly stamp: string | undefined;
}

export const UNKNOWN_REGION: RegionView = { state: undefined, round: 0, stamp: undefined };

/**
 * Takes in what the service says of the region. While it `moves`, only its date and progress are followed: what is
 * shown is asked for once, at the end.
 */
export function followRegion(old: RegionView, state: SandboxState, moves: boolean): RegionView {
  const stamp = state.status === 'ready' ? `${state.date}` : state.status;
  if (old.stamp === undefined) return { state, round: old.round, stamp };
  if (moves || stamp === old.stamp) return { ...old, state };
  return { state, round: old.round + 1, stamp };
}

/** What the panes can know of the simulated region, and do with it. */
export interface Region {
  /** Undefined outside the sandbox, and until the service has answered. */
  readonly state: SandboxState | undefined;
  readonly error: unknown;
  /** The service has not said yet whether there is a region. */
  readonly waiting: boolean;
  readonly again: () => void;
  /** Moves its clock by days. */
  readonly advance: (days: number) => void;
  readonly advancing: boolean;
  readonly advanceError: unknown;
  /** What the last move brought. */
  readonly step: SandboxStep | undefined;
}

export const NO_REGION: Region = {
  state: undefined,
  error: undefined,
  waiting: false,
  again: () => undefined,
  advance: () => undefined,
  advancing: false,
  advanceError: undefined,
  step: undefined,
};

export const RegionContext = createContext<Region>(NO_REGION);

export function useRegion(): Region {
  return useContext(RegionContext);
}
