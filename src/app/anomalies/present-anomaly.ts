import type { Anomaly } from '../../contract/anomalies.ts';
import { formatTimestamp } from '../../base/time.ts';
import { toSignificant } from '../../numerics/significant-digits.ts';
import type { AnomalyRecord } from './anomaly-store.ts';

/** Digits of an observation [1]: those of a series. */
const OBSERVED_DIGITS = 12;
/** Digits of a mean over pixels, whose samples hold seven, and of what is computed from observations [1]. */
export const COMPUTED_DIGITS = 7;

/** What was observed and what was expected, with the digits that mean something. */
export function presentNumbers(
  { value, expected }: { readonly value: number; readonly expected: number },
  isMean: boolean,
): { readonly value: number; readonly expected: number } {
  return {
    value: toSignificant(value, isMean ? COMPUTED_DIGITS : OBSERVED_DIGITS),
    expected: toSignificant(expected, COMPUTED_DIGITS),
  };
}

/** An anomaly in the contract's words, without its provenance. */
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
    // Of the numbers shown, so that they add up.
    residual: toSignificant(value - expected, OBSERVED_DIGITS),
    started_at: formatTimestamp(anomaly.startedAt.getTime()),
    detected_at: formatTimestamp(anomaly.detectedAt.getTime()),
    ended_at: anomaly.endedAt && formatTimestamp(anomaly.endedAt.getTime()),
  };
}
