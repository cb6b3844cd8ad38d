import type { Incident, WholeIncident } from '../../src/client/index.ts';
import { area, count, percent, whole } from '../format.ts';

/** What an incident consists of: `3 anomalies and 1 change`. */
export function membersInWords(incident: Pick<Incident, 'anomaly_count' | 'change_count'>): string {
  const { anomaly_count: anomalies, change_count: changes } = incident;
  const parts = [
    anomalies > 0 && (anomalies === 1 ? '1 anomaly' : `${whole(anomalies)} anomalies`),
    changes > 0 && count(changes, 'change'),
  ];
  return parts.filter((part) => part !== false).join(' and ');
}

/** Changes of an incident, as far as their size and certainty are concerned. */
type Changes = readonly Pick<WholeIncident['changes'][number], 'area_m2' | 'confidence'>[];

/**
 * How large an incident is: the ground of its changes, `3.2 ha`; of one without changes its areas, `3 areas, 36 km²`.
 * @param areas those of the incident that are known
 */
export function sizeInWords(
  incident: Pick<Incident, 'area_count'>,
  changes: Changes,
  areas: readonly { readonly area_m2: number }[],
): string {
  if (changes.length > 0) return area(sumOf(changes));
  const number = count(incident.area_count, 'area');
  return areas.length < incident.area_count ? number : `${number}, ${area(sumOf(areas))}`;
}

/**
 * How sure it is: of changes the confidence of the largest, `98 % sure`; of anomalies how rarely chance alone gives the
 * most severe of them. The severities are tail probabilities, see docs/methods/anomaly.md.
 */
export function sureInWords({ severity }: Pick<Incident, 'severity'>, changes: Changes): string {
  const largest = changes.toSorted((a, b) => b.area_m2 - a.area_m2)[0];
  return largest === undefined
    ? `chance below 1 in ${CHANCE[severity]}`
    : `${percent(largest.confidence)} sure`;
}

const CHANCE: Readonly<Record<Incident['severity'], string>> = {
  low: '20',
  medium: '100',
  high: '1,000',
  critical: '10,000',
};

function sumOf(items: readonly { readonly area_m2: number }[]): number {
  return items.reduce((sum, { area_m2: size }) => sum + size, 0);
}
