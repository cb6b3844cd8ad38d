import type { Incident } from '../../src/client/index.ts';
import { count, whole } from '../format.ts';

/** What an incident consists of: `3 anomalies and 1 change`. */
export function membersInWords(incident: Pick<Incident, 'anomaly_count' | 'change_count'>): string {
  const { anomaly_count: anomalies, change_count: changes } = incident;
  const parts = [
    anomalies > 0 && (anomalies === 1 ? '1 anomaly' : `${whole(anomalies)} anomalies`),
    changes > 0 && count(changes, 'change'),
  ];
  return parts.filter((part) => part !== false).join(' and ');
}
