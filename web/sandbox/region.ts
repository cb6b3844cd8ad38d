import type { Groundwatch } from '../../src/client/index.ts';
import { count } from '../format.ts';

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

/** What the days brought, in a line. */
export function outcomeOf({ days, scenes, observations, changes }: SandboxStep): string {
  const found = changes.inserted + changes.updated;
  const came = `${count(days, 'day')}: ${count(scenes, 'scene')} and ${count(observations, 'observation')} came in`;
  if (found === 0) return `${came}; no change is new or further on.`;
  return `${came}; ${count(changes.inserted, 'change')} new, ${changes.updated} further on.`;
}
