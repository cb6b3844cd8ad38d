import type { Verdict } from '../app/webhooks/delivery-queue.ts';
import { nextAttemptAt } from './schedule.ts';
import type { Schedule } from './schedule.ts';
import { DAY_MS } from '../base/time.ts';
import { FAILING_DAYS } from '../contract/limits.ts';

const GONE = 410; // RFC 9110 section 15.5.11: the receiver asks to be forgotten
const PATIENCE_MS = FAILING_DAYS * DAY_MS;

/** Judges one attempt by the status it was answered with; null when no whole answer came. */
export function judge(
  status: number | null,
  delivery: {
    /** Counted from 1, since its schedule began. */
    readonly attempt: number;
    /** First failure of the endpoint since it last took anything; null when its last answer was a success. */
    readonly failingSinceMs: number | null;
  },
  schedule: Schedule,
  nowMs: number,
  random: () => number,
  /** How long the endpoint asked to wait [ms]; heeded as far as the schedule itself ever waits. */
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
