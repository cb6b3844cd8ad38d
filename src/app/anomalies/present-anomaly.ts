import type { Anomaly } from '../../contract/anomalies.ts';
import { formatTimestamp } from '../../base/time.ts';
import { toSignificant } from '../../numerics/significant-digits.ts';
import type { AnomalyRecord } from './anomaly-store.ts';

/** Number of significant digits of an observation, the same as in the series of the API. */
const OBSERVED_DIGITS = 12;
/** Number of significant digits of computed values, and of means over pixels (pixel samples have seven digits). */
export const COMPUTED_DIGITS = 7;

/** Rounds an observed and an expected value to their significant digits. */
export function presentNumbers(
  { value, expected }: { readonly value: number; readonly expected: number },
  isMean: boolean,
): { readonly value: number; readonly expected: number } {
  return {
    value: toSignificant(value, isMean ? COMPUTED_DIGITS : OBSERVED_DIGITS),
    expected: toSignificant(expected, COMPUTED_DIGITS),
  };
}

/** An anomaly in the format of the API, without its provenance. */
export function presentAnomaly(anomaly: Omit<AnomalyRecord, 'provenance'>): Omit<Anomaly, 'provenance'> {
  const { value, expected } = presentNumbers(anomaly, anomaly.station === null);
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
    value,
    expected,
    // Computed from the rounded values, so that the numbers shown add up.
    residual: toSignificant(value - expected, OBSERVED_DIGITS),
    started_at: formatTimestamp(anomaly.startedAt.getTime()),
    detected_at: formatTimestamp(anomaly.detectedAt.getTime()),
    ended_at: anomaly.endedAt && formatTimestamp(anomaly.endedAt.getTime()),
  };
}
