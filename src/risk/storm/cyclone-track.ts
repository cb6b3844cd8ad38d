import { KM_PER_DEGREE } from '../../geo/earth.ts';
import { hollandB, hollandMaxWind } from './holland.ts';

/** One fix of a tropical cyclone's best track. */
export interface TrackFix {
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  readonly lat: number;
  readonly lng: number;
  /** Maximum one-minute sustained wind [m/s]; NaN when it was not recorded. */
  readonly maxWindMps: number;
  /** NaN when it was not recorded. */
  readonly centralPressureHPa: number;
  /** Radius of maximum wind [km]; absent or NaN when it was not recorded. */
  readonly maxWindRadiusKm?: number;
  /** Pressure around the storm [hPa]; absent or NaN when it was not recorded. */
  readonly environmentHPa?: number;
}

/** State of a storm at a recorded or interpolated moment, with its motion. */
export interface TrackState extends TrackFix {
  /** Eastward and northward translation [m/s]. */
  readonly eastMps: number;
  readonly northMps: number;
}

/** Pressure around a storm where none was recorded [hPa] (Holland 1980; used so by public best-track tools). */
export const ENVIRONMENT_HPA = 1010;

/** Longest gap between fixes that is interpolated [h]; after a longer gap the rest counts as another storm. */
const LONGEST_GAP_H = 24;
/**
 * A leg faster than this is an error in a position or joins two storms [m/s]: 180 km/h; the fastest on record is
 * some 110 km/h.
 */
const FASTEST_MPS = 50;

const HOUR_MS = 3_600_000;
const METRES_PER_DEGREE = 1000 * KM_PER_DEGREE;

/**
 * Interpolates a track in time, linearly between fixes (across the antimeridian the short way), with the motion of
 * the leg. Each leg between two fixes is divided into equal steps of at most `stepHours`, so all fixes are kept.
 * Legs over 24 h or faster than 50 m/s are left out.
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
    // The last fix of a leg is the first of the next, where there is a next.
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
 * Fills in the maximum wind of fixes that have only a pressure, by Holland's relation from the pressure drop, its
 * change and the storm's speed between the fixes before and after; 0 without a drop. Other fixes are returned
 * unchanged.
 * @param fixes ascending in time
 * @throws RangeError when times do not ascend around such a fix
 * @see doi:10.1175/2008MWR2395.1 equations 7 and 11 (Holland 2008)
 */
export function windsFromPressure(fixes: readonly TrackFix[]): readonly TrackFix[] {
  return fixes.map((fix, i) => {
    if (!Number.isNaN(fix.maxWindMps)) return fix;
    const [before, after] = [fixes[i - 1] ?? fix, fixes[i + 1] ?? fix];
    const leg = after === before ? null : legOf(before, after);
    const deepening = leg === null ? 0 : (before.centralPressureHPa - after.centralPressureHPa) / leg.hours;
    const speed = leg === null ? 0 : Math.hypot(leg.eastMps, leg.northMps);
    const { environmentHPa = Number.NaN, centralPressureHPa } = fix;
    const drop = (Number.isNaN(environmentHPa) ? ENVIRONMENT_HPA : environmentHPa) - centralPressureHPa;
    const maxWindMps = drop > 0 ? hollandMaxWind(drop, hollandB(drop, deepening, fix.lat, speed)) : 0;
    return { ...fix, maxWindMps };
  });
}

/** Motion from one fix to the next; null over too long a gap or at an impossible speed. */
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
