import type { Subscription } from '../../src/client/index.ts';

const DIGESTS: Readonly<Record<NonNullable<Subscription['digest']>, string>> = {
  hourly: 'One digest each hour',
  daily: 'One digest each day',
};

/** When the alerts of a subscription are sent: `One digest each day, quiet from 22:00 to 07:00 (Europe/Ljubljana)`. */
export function alertsInWords({
  quiet_hours: quiet,
  digest,
  past,
}: Pick<Subscription, 'quiet_hours' | 'digest' | 'past'>): string {
  return [
    digest === null ? 'Each alert at once' : DIGESTS[digest],
    quiet !== null && `quiet from ${quiet.from} to ${quiet.to} (${quiet.zone})`,
    past && 'the past too',
  ]
    .filter((part) => part !== false)
    .join(', ');
}

/** All time zones that the browser knows. */
export function zones(): readonly string[] {
  return Intl.supportedValuesOf('timeZone');
}
