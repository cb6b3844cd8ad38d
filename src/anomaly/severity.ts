import type { Severity } from '../contract/anomalies.ts';

/**
 * Two-sided tail probabilities at or below which each severity applies, the most severe first (contract: anomalies).
 */
export const SEVERITY_LIMITS: readonly (readonly [limit: number, severity: Severity])[] = [
  [0.0001, 'critical'],
  [0.001, 'high'],
  [0.01, 'medium'],
  [0.05, 'low'],
];

/** Severity of an observation by its two-sided tail probability; undefined above .05, or for NaN (not judged). */
export function severityOf(tailProbability: number): Severity | undefined {
  for (const [limit, severity] of SEVERITY_LIMITS) if (tailProbability <= limit) return severity;
  return undefined;
}
