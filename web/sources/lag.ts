import { count } from '../format.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far a time lies behind now, in whole days or below two days in hours: `5 hours`, `3 days`. */
export function lagText(time: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(time));
  return ms < 2 * DAY_MS ? count(Math.floor(ms / HOUR_MS), 'hour') : count(Math.floor(ms / DAY_MS), 'day');
}
