import type { Groundwatch } from '../../src/client/index.ts';
import { DAY_MS } from '../../src/base/time.ts';

type Usage = Awaited<ReturnType<Groundwatch['getUsage']>>;

/** Numbers of units that one credential has spent. */
export interface Spent {
  readonly credentialId: string;
  readonly today: number;
  /** Units spent today and on the six days before. */
  readonly week: number;
  /** Units spent in the days that the service reports. */
  readonly month: number;
}

const WEEK_DAYS = 7;

/** Sums the units that each credential has spent up to `today` (`YYYY-MM-DD`, UTC). The largest sum comes first. */
export function spentUntil(today: string, days: Usage['days']): readonly Spent[] {
  const weekBegan = new Date(Date.parse(today) - (WEEK_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const byCredential = Map.groupBy(days, ({ credential_id }) => credential_id);
  const sum = (of: Usage['days']): number => of.reduce((total, { units }) => total + units, 0);
  return [...byCredential]
    .map(([credentialId, of]) => ({
      credentialId,
      today: sum(of.filter(({ day }) => day === today)),
      week: sum(of.filter(({ day }) => day >= weekBegan)),
      month: sum(of),
    }))
    .toSorted((a, b) => b.month - a.month);
}
