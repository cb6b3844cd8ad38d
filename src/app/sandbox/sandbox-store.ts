/** Progress of the simulated region. A database has one region. */
export interface SandboxState {
  readonly seed: number;
  /** First day that is not observed yet, counted from 2022-01-01. */
  readonly day: number;
  /** Completed share of the history, 0 to 1. */
  readonly progress: number;
  /** Time at which the history became complete; null while it is being made. */
  readonly readyAt: Date | null;
  /** Real time up to which the simulated clock has been advanced. */
  readonly pacedAt: Date;
}

/** Stored state of the simulated region. Changing it needs a lease, which ends unless it is renewed. */
export interface SandboxStore {
  read(): Promise<SandboxState | undefined>;
  /** Creates the state of a new region, unless there is one already. */
  begin(seed: number): Promise<void>;
  /** Leases the region for `forMs` [ms]. Returns false while another holder has the lease. */
  hold(holder: string, forMs: number): Promise<boolean>;
  /** Extends a lease to `forMs` [ms] from now. Returns false if the holder has released or lost the lease. */
  renew(holder: string, forMs: number): Promise<boolean>;
  release(holder: string): Promise<void>;
  /** Records the completed share of the history. @throws Error when the holder has lost the lease */
  note(holder: string, progress: number): Promise<void>;
  /** Records the first day that is not observed yet. @throws Error when the holder has lost the lease */
  moveTo(holder: string, day: number): Promise<void>;
  /** Records that the history is complete. @throws Error when the holder has lost the lease */
  finish(holder: string, at: Date): Promise<void>;
  setPaced(at: Date): Promise<void>;
  /** Time at which any sandbox credential was last used; null if none was used. */
  lastUsedAt(): Promise<Date | null>;
}
