/** How far the simulated region has come; there is one in a database. */
export interface SandboxState {
  readonly seed: number;
  /** First day, counted from 2022-01-01, that has not been observed yet. */
  readonly day: number;
  /** Share of the history that is made, 0 to 1. */
  readonly progress: number;
  /** When the history was complete; null while it is being made. */
  readonly readyAt: Date | null;
  /** Moment of real time that the clock has kept up with. */
  readonly pacedAt: Date;
}

/** The state of the simulated region. Whoever moves it holds it; a holder that is gone loses it after a while. */
export interface SandboxStore {
  read(): Promise<SandboxState | undefined>;
  /** Makes the state of a region that nothing has been observed of, unless there is one. */
  begin(seed: number): Promise<void>;
  /** Takes it for some time. False while another holds it. */
  hold(holder: string, forMs: number): Promise<boolean>;
  /** Goes on holding it. False once it was let go of or another took it: it is not taken again. */
  renew(holder: string, forMs: number): Promise<boolean>;
  release(holder: string): Promise<void>;
  /** Notes how much of the history is made. @throws Error when it is no longer this holder's */
  note(holder: string, progress: number): Promise<void>;
  /** @throws Error as `note` does */
  moveTo(holder: string, day: number): Promise<void>;
  /** The history is complete. @throws Error as `note` does */
  finish(holder: string, at: Date): Promise<void>;
  setPaced(at: Date): Promise<void>;
  /** When a credential of the environment was used last. */
  lastUsedAt(): Promise<Date | null>;
}
