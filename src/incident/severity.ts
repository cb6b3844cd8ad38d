import type { Severity } from '../contract/anomalies.ts';
import type { Member } from './member.ts';

/** The severities, the lowest first. */
const ASCENDING: readonly Severity[] = ['low', 'medium', 'high', 'critical'];

/** Areas from which on a change counts as medium, high and critical [m2]: 1, 10 and 100 ha (our choice). */
const CHANGE_LIMITS_M2 = [10_000, 100_000, 1_000_000] as const;

/** Severity of a change, by its area. */
export function changeSeverity(areaM2: number): Severity {
  return ASCENDING[CHANGE_LIMITS_M2.filter((limit) => areaM2 >= limit).length]!;
}

/** Rank of a severity, 0 for the lowest. */
export function severityRank(severity: Severity): number {
  return ASCENDING.indexOf(severity);
}

/** Severity of an incident: the highest among its members. */
export function incidentSeverity(members: readonly Pick<Member, 'severity'>[]): Severity {
  return ASCENDING[Math.max(...members.map(({ severity }) => severityRank(severity)))]!;
}
