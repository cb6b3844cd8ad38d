import type { Anomaly } from '../contract/anomalies.ts';
import { formatTimestamp } from '../contract/time.ts';
import type { AnomalyRecord } from './stores.ts';

/** An anomaly in the contract's words, without its provenance. */
export function presentAnomaly(anomaly: Omit<AnomalyRecord, 'provenance'>): Omit<Anomaly, 'provenance'> {
  return {
    id: anomaly.id,
    severity: anomaly.severity,
    status: anomaly.endedAt === null ? 'active' : 'ended',
    peril: anomaly.peril,
    aoi_id: anomaly.aoiId,
    station: anomaly.station && {
      name: anomaly.station.key,
      lat: anomaly.station.lat,
      lng: anomaly.station.lng,
    },
    metric: anomaly.metric,
    value: anomaly.value,
    expected: anomaly.expected,
    residual: anomaly.residual,
    started_at: formatTimestamp(anomaly.startedAt.getTime()),
    detected_at: formatTimestamp(anomaly.detectedAt.getTime()),
    ended_at: anomaly.endedAt && formatTimestamp(anomaly.endedAt.getTime()),
  };
}
