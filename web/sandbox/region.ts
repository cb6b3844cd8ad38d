import type { Groundwatch } from '../../src/client/index.ts';
import { count } from '../format.ts';

export type SandboxState = Awaited<ReturnType<Groundwatch['getSandbox']>>;
export type SandboxStep = Awaited<ReturnType<Groundwatch['advanceSandbox']>>;

/** Last known state of the simulated region, and a counter of its changes since the first response. */
export interface RegionView {
  readonly state: SandboxState | undefined;
  /** Counter that grows when the region has new data. All panes then reload their data. */
  readonly round: number;
  /** Date of the region (its status if not ready) when `round` was last set; undefined before the first response. */
  readonly stamp: string | undefined;
}

export const UNKNOWN_REGION: RegionView = { state: undefined, round: 0, stamp: undefined };

/**
 * Updates the view with a response about the region.
 * @param moves whether the clock is being advanced; `round` then stays the same and grows only with the first response
 * after the advance, so that the panes reload only once
 */
export function followRegion(old: RegionView, state: SandboxState, moves: boolean): RegionView {
  const stamp = state.status === 'ready' ? `${state.date}` : state.status;
  if (old.stamp === undefined) return { state, round: old.round, stamp };
  if (moves || stamp === old.stamp) return { ...old, state };
  return { state, round: old.round + 1, stamp };
}

/** Describes the result of an advance of the clock in one line. */
export function outcomeOf({ days, scenes, observations, changes }: SandboxStep): string {
  const found = changes.inserted + changes.updated;
  const came = `${count(days, 'day')}: ${count(scenes, 'scene')} and ${count(observations, 'observation')} ingested`;
  if (found === 0) return `${came}; no new or updated changes.`;
  return `${came}; ${count(changes.inserted, 'new change')}, ${changes.updated} updated.`;
}
