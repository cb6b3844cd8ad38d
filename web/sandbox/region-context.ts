import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SandboxState, SandboxStep } from './region.ts';

/** State of the simulated region, and the function that advances its clock. */
export interface Region {
  /** State of the region; undefined outside the sandbox, and until the service has responded. */
  readonly state: SandboxState | undefined;
  readonly error: unknown;
  /** Whether the service has not responded to the first request about the region yet. */
  readonly waiting: boolean;
  readonly again: () => void;
  /** Advances the clock of the region by a number of days. */
  readonly advance: (days: number) => void;
  readonly advancing: boolean;
  readonly advanceError: unknown;
  /** Result of the last successful advance of the clock; undefined while the clock advances. */
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
