import { gridBbox } from '../../geo/pixel-outline.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { SANDBOX_GRID } from '../../sandbox/terrain.ts';
import { dateOfDay } from '../../sandbox/weather.ts';
import type { Stores } from '../storage.ts';

/** The simulated region as users see it. */
export interface SandboxReport {
  readonly status: 'absent' | 'being_made' | 'ready';
  /** Share of the history that is made. */
  readonly progress: number;
  /** First day that has not been observed, YYYY-MM-DD; null without a region. */
  readonly date: string | null;
  readonly bounds: Bbox;
}

/** How far the simulated region is. */
export async function readSandbox({ sandbox }: Pick<Stores, 'sandbox'>): Promise<SandboxReport> {
  const state = await sandbox.read();
  const bounds = gridBbox(SANDBOX_GRID);
  if (state === undefined) return { status: 'absent', progress: 0, date: null, bounds };
  const { readyAt, progress, day } = state;
  if (readyAt !== null) return { status: 'ready', progress: 1, date: dateOfDay(day), bounds };
  return { status: 'being_made', progress, date: dateOfDay(day), bounds };
}
