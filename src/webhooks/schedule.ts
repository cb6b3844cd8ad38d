import { InvalidInput } from '../base/errors.ts';
import { DAY_MS } from '../base/time.ts';
import { DELIVERY_SCHEDULE } from '../contract/limits.ts';

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS } as const;
const MAX_ATTEMPTS = 30;
const MAX_DELAY_MS = 7 * UNIT_MS.d;
const JITTER = 0.2; // maximum random addition as a share of the delay, to spread deliveries that failed together
const SETTING = 'GROUNDWATCH_WEBHOOK_SCHEDULE';

/** Delay before each attempt, counted from the previous attempt [ms]. One entry per attempt. */
export type Schedule = readonly number[];

/** Parses delays such as `0,5s,30m,2h`. @throws InvalidInput naming the setting and the invalid delay */
export function parseSchedule(text: string): Schedule {
  const delays = text.split(',').map((entry) => parseDelay(entry.trim()));
  if (delays.length > MAX_ATTEMPTS)
    throw refusal(`expected at most ${MAX_ATTEMPTS} delays, got ${delays.length}`);
  return delays;
}

/**
 * Returns the time at which the next attempt is due [ms since the Unix epoch]: now plus the delay before that attempt,
 * plus a random addition of up to a fifth of this delay. Undefined after the last attempt.
 * @param failedAttempt number of the attempt that failed, from 1
 * @param random returns a number in [0, 1)
 */
export function nextAttemptAt(
  schedule: Schedule,
  failedAttempt: number,
  nowMs: number,
  random: () => number,
): number | undefined {
  const delay = schedule[failedAttempt];
  return delay === undefined ? undefined : nowMs + Math.round(delay * (1 + JITTER * random()));
}

function parseDelay(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (text === '0') return 0;
  const delay = Math.round(Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS]);
  if (!Number.isFinite(delay)) throw refusal(`expected delays such as ${DELIVERY_SCHEDULE}, got "${text}"`);
  if (delay > MAX_DELAY_MS) throw refusal(`expected delays of at most 7d, got "${text}"`);
  return delay;
}

function refusal(message: string): InvalidInput {
  return new InvalidInput(`${SETTING}: ${message}`, { param: SETTING });
}
