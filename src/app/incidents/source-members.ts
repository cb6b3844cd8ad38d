import { GREENNESS_METRICS } from '../../incident/followed-loss.ts';
import type { Member } from '../../incident/member.ts';
import { isLasting } from '../../incident/phenomena.ts';
import { changeSeverity } from '../../incident/severity.ts';
import type { AnomalySource, ChangeSource } from './incident-store.ts';

/** An anomaly as a member of incidents. */
export function memberOfAnomaly(anomaly: AnomalySource): Member {
  const { id, metric, peril, severity, residual, startedAt, endedAt, aoi, station } = anomaly;
  return {
    kind: 'anomaly',
    id,
    what: metric,
    sign: residual < 0 ? -1 : 1,
    peril,
    severity,
    fromMs: startedAt.getTime(),
    toMs: endedAt === null ? Infinity : endedAt.getTime(),
    overMs: endedAt === null ? Infinity : endedAt.getTime(),
    ground: station === null ? aoi.bounds : [station.lng, station.lat, station.lng, station.lat],
    extent: aoi.bounds,
    areas: [{ id: aoi.id, name: aoi.name }],
    departure: residual < 0 && station === null && GREENNESS_METRICS.includes(metric) ? residual : null,
    areaM2: 0,
  };
}

/** A change as a member of incidents. Only moving ground lasts; other changes stand until they recover. */
export function memberOfChange(change: ChangeSource): Member {
  const { id, type, areaM2, bounds, firstAnomalyAt, recoveredAt, areas } = change;
  const fromMs = Date.parse(firstAnomalyAt);
  const overMs = recoveredAt === null ? Infinity : Date.parse(recoveredAt);
  return {
    kind: 'change',
    id,
    what: type,
    sign: 1,
    peril: null,
    severity: changeSeverity(areaM2),
    fromMs,
    toMs: isLasting(type) ? overMs : fromMs,
    overMs,
    ground: bounds,
    extent: bounds,
    areas,
    departure: null,
    areaM2,
  };
}
