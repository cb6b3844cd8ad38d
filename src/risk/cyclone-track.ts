/** One fix of a best track. */
export interface TrackFix {
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number;
  readonly lat: number;
  readonly lng: number;
  /** Maximum one-minute sustained wind [m/s]. */
  readonly maxWindMps: number;
  /** NaN when it was not recorded. */
  readonly centralPressureHPa: number;
  /** Radius of maximum wind [km]; absent or NaN when it was not recorded. */
  readonly maxWindRadiusKm?: number;
  /** Pressure around the storm [hPa]; absent or NaN when it was not recorded. */
  readonly environmentHPa?: number;
}

/** A fix between or on the recorded ones, with the storm's motion. */
export interface TrackState extends TrackFix {
  /** Eastward and northward translation [m/s]. */
  readonly eastMps: number;
  readonly northMps: number;
}

/** Longest gap between fixes that is interpolated [h]; beyond it the storm counts as two. */
const LONGEST_GAP_H = 24;

const HOUR_MS = 3_600_000;
const METRES_PER_DEGREE = 111_195; // of latitude: 2 pi 6371008.8 / 360 (IUGG mean radius)

/**
 * The track at even steps, linear in time between fixes (positions across the antimeridian go the short way), with
 * the translation of the leg. Fixes off the even steps, such as landfalls, are kept too.
 * @param fixes ascending in time
 * @param stepHours positive
 * @throws RangeError when times do not ascend or the step is not positive
 */
export function interpolateTrack(fixes: readonly TrackFix[], stepHours: number): TrackState[] {
  if (!(stepHours > 0)) throw new RangeError(`step of ${stepHours} h`);
  const states: TrackState[] = [];
  for (let i = 0; i + 1 < fixes.length; i++) {
    const from = fixes[i]!;
    const to = fixes[i + 1]!;
    const hours = (to.timeMs - from.timeMs) / HOUR_MS;
    if (!(hours > 0)) throw new RangeError('fixes must ascend in time');
    if (hours > LONGEST_GAP_H) continue;
    const eastDegrees = shortWay(to.lng - from.lng);
    const middle = ((from.lat + to.lat) / 2) * (Math.PI / 180);
    const seconds = hours * 3600;
    const eastMps = (eastDegrees * Math.cos(middle) * METRES_PER_DEGREE) / seconds;
    const northMps = ((to.lat - from.lat) * METRES_PER_DEGREE) / seconds;
    const steps = Math.max(1, Math.ceil(hours / stepHours));
    const last = i + 2 === fixes.length ? steps : steps - 1;
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

function blend(from: number, to: number, t: number): number {
  if (Number.isNaN(from)) return to;
  return Number.isNaN(to) ? from : from + t * (to - from);
}

function shortWay(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}
