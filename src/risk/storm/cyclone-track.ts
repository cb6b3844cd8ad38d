import { KM_PER_DEGREE } from '../../geo/earth.ts';
import { hollandB, hollandMaxWind } from './holland.ts';

/** One fix of a tropical cyclone's best track. */
export interface TrackFix {
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  readonly lat: number;
  readonly lng: number;
  /** Maximum one-minute sustained wind [m/s]; NaN if not recorded. */
  readonly maxWindMps: number;
  /** Central pressure [hPa]; NaN if not recorded. */
  readonly centralPressureHPa: number;
  /** Radius of maximum wind [km]; absent or NaN if not recorded. */
  readonly maxWindRadiusKm?: number;
  /** Pressure around the storm [hPa]; absent or NaN if not recorded. */
  readonly environmentHPa?: number;
}

/** State of a storm at a recorded or interpolated time, with its motion. */
export interface TrackState extends TrackFix {
  /** Eastward and northward velocity of the storm [m/s]. */
  readonly eastMps: number;
  readonly northMps: number;
}

/**
 * Default pressure around a storm if it was not recorded [hPa] (Holland 1980; public best-track tools use the
 * same value).
 */
export const ENVIRONMENT_HPA = 1010;

/**
 * Maximum gap between fixes that is interpolated [h]. After a longer gap the remaining fixes count as another
 * storm.
 */
const LONGEST_GAP_H = 24;
/**
 * Maximum speed between two fixes [m/s]: 180 km/h; the fastest on record is about 110 km/h. A faster leg means a
 * wrong position or fixes of two different storms.
 */
const FASTEST_MPS = 50;

const HOUR_MS = 3_600_000;
const METRES_PER_DEGREE = 1000 * KM_PER_DEGREE;

/**
 * Interpolates a track in time, linearly between fixes (across the antimeridian if that is shorter). Each state
 * has the velocity of its leg. Each leg between two fixes is divided into equal steps of at most `stepHours`, so
 * all fixes are kept. Legs over 24 h or faster than 50 m/s are left out.
 * @param fixes ascending in time
 * @param stepHours longest step [h], positive
 * @throws RangeError when times do not ascend or the step is not positive
 */
export function interpolateTrack(fixes: readonly TrackFix[], stepHours: number): TrackState[] {
  if (!(stepHours > 0)) throw new RangeError(`step of ${stepHours} h`);
  const states: TrackState[] = [];
  const legs = fixes.slice(1).map((to, i) => legOf(fixes[i]!, to));
  for (const [i, leg] of legs.entries()) {
    if (leg === null) continue;
    const { hours, eastDegrees, eastMps, northMps } = leg;
    const [from, to] = [fixes[i]!, fixes[i + 1]!];
    const steps = Math.max(1, Math.ceil(hours / stepHours));
    // The last fix of a leg is also the first fix of the next leg: skip it here if there is a next leg.
    const last = (legs[i + 1] ?? null) === null ? steps : steps - 1;
    for (let k = 0; k <= last; k++) {
      const t = k / steps;
      states.push({
        timeMs: from.timeMs + t * (to.timeMs - from.timeMs),
        lat: from.lat + t * (to.lat - from.lat),
        lng: shortWay(from.lng + t * eastDegrees),
        maxWindMps: from.maxWindMps + t * (to.maxWindMps - from.maxWindMps),
        centralPressureHPa: blend(from.centralPressureHPa, to.centralPressureHPa, t),
        maxWindRadiusKm: blend(from.maxWindRadiusKm ?? Number.NaN, to.maxWindRadiusKm ?? Number.NaN, t),
        environmentHPa: blend(from.environmentHPa ?? Number.NaN, to.environmentHPa ?? Number.NaN, t),
        eastMps,
        northMps,
      });
    }
  }
  return states;
}

/**
 * Fills in the maximum wind of fixes that have only a pressure, by Holland's relation. It uses the pressure drop,
 * the change of the drop, and the speed of the storm between the fixes before and after. Without a pressure drop
 * the wind is 0. If a neighbouring fix has no pressure, the change of the drop is taken as 0. Other fixes are returned unchanged.
 * @param fixes ascending in time
 * @throws RangeError when times do not ascend around a fix without a wind
 * @see doi:10.1175/2008MWR2395.1 equations 7 and 11 (Holland 2008)
 */
export function windsFromPressure(fixes: readonly TrackFix[]): readonly TrackFix[] {
  return fixes.map((fix, i) => {
    if (!Number.isNaN(fix.maxWindMps)) return fix;
    const [before, after] = [fixes[i - 1] ?? fix, fixes[i + 1] ?? fix];
    const leg = after === before ? null : legOf(before, after);
    const fall = before.centralPressureHPa - after.centralPressureHPa;
    const deepening = leg === null || Number.isNaN(fall) ? 0 : fall / leg.hours;
    const speed = leg === null ? 0 : Math.hypot(leg.eastMps, leg.northMps);
    const { environmentHPa = Number.NaN, centralPressureHPa } = fix;
    const drop = (Number.isNaN(environmentHPa) ? ENVIRONMENT_HPA : environmentHPa) - centralPressureHPa;
    const maxWindMps = drop > 0 ? hollandMaxWind(drop, hollandB(drop, deepening, fix.lat, speed)) : 0;
    return { ...fix, maxWindMps };
  });
}

/** Returns the motion from one fix to the next; null if the gap is too long or the speed is impossible. */
function legOf(from: TrackFix, to: TrackFix) {
  const hours = (to.timeMs - from.timeMs) / HOUR_MS;
  if (!(hours > 0)) throw new RangeError('fixes must ascend in time');
  const eastDegrees = shortWay(to.lng - from.lng);
  const middle = ((from.lat + to.lat) / 2) * (Math.PI / 180);
  const seconds = hours * 3600;
  const eastMps = (eastDegrees * Math.cos(middle) * METRES_PER_DEGREE) / seconds;
  const northMps = ((to.lat - from.lat) * METRES_PER_DEGREE) / seconds;
  if (hours > LONGEST_GAP_H || Math.hypot(eastMps, northMps) > FASTEST_MPS) return null;
  return { hours, eastDegrees, eastMps, northMps };
}

function blend(from: number, to: number, t: number): number {
  if (Number.isNaN(from)) return to;
  return Number.isNaN(to) ? from : from + t * (to - from);
}

function shortWay(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}
