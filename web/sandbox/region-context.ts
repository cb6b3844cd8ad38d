import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SandboxState, SandboxStep } from './region.ts';

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
