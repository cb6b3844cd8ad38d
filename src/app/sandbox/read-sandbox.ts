import { gridBbox } from '../../geo/pixel-outline.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { SANDBOX_GRID } from '../../sandbox/terrain.ts';
import { dateOfDay } from '../../sandbox/weather.ts';
import type { Stores } from '../storage.ts';

/** State of the simulated region, as shown to users. */
export interface SandboxReport {
  readonly status: 'absent' | 'being_made' | 'ready';
  /** Completed share of the history, 0 to 1. */
  readonly progress: number;
  /** First day that is not observed yet, YYYY-MM-DD; null if there is no region. */
  readonly date: string | null;
  readonly bounds: Bbox;
}

/** Reads the state of the simulated region. */
export async function readSandbox({ sandbox }: Pick<Stores, 'sandbox'>): Promise<SandboxReport> {
  const state = await sandbox.read();
  const bounds = gridBbox(SANDBOX_GRID);
  if (state === undefined) return { status: 'absent', progress: 0, date: null, bounds };
  const { readyAt, progress, day } = state;
  if (readyAt !== null) return { status: 'ready', progress: 1, date: dateOfDay(day), bounds };
  return { status: 'being_made', progress, date: dateOfDay(day), bounds };
}
