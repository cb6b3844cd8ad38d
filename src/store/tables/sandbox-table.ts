import type { Generated } from 'kysely';

/** State of the simulated region, which is a single row. */
export interface SandboxTable {
  is_only: Generated<boolean>;
  seed: number;
  day: number;
  progress: number;
  ready_at: Date | null;
  paced_at: Generated<Date>;
  holder: string | null;
  held_until: Date | null;
}
