import type { Verdict } from '../app/webhooks/delivery-queue.ts';
import { nextAttemptAt } from './schedule.ts';
import type { Schedule } from './schedule.ts';
import { DAY_MS } from '../base/time.ts';
import { FAILING_DAYS } from '../contract/limits.ts';

const GONE = 410; // RFC 9110 section 15.5.11; a receiver responds with it to stop all deliveries
const PATIENCE_MS = FAILING_DAYS * DAY_MS;

/** Decides what happens after an attempt. @param status HTTP status; null when no complete response arrived */
export function judge(
  status: number | null,
  delivery: {
    /** Number of the attempt in its schedule, from 1. */
    readonly attempt: number;
    /** Time of the first failure of the endpoint after its last success; null when its last attempt succeeded. */
    readonly failingSinceMs: number | null;
  },
  schedule: Schedule,
  nowMs: number,
  random: () => number,
  /** Delay that the endpoint requested [ms]. It is limited to the longest delay in the schedule. */
  waitMs = 0,
): Verdict {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === GONE) return { kind: 'disable', reason: 'gone' };
  if (delivery.failingSinceMs !== null && nowMs - delivery.failingSinceMs >= PATIENCE_MS)
    return { kind: 'disable', reason: 'failing' };
  const dueAtMs = nextAttemptAt(schedule, delivery.attempt, nowMs, random);
  if (dueAtMs === undefined) return { kind: 'dead' };
  return { kind: 'retry', dueAtMs: Math.max(dueAtMs, nowMs + Math.min(waitMs, Math.max(...schedule))) };
}
