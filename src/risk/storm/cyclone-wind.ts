import { hollandBOfWind, hollandWind, maxWindRadiusKm } from './holland.ts';
import { ENVIRONMENT_HPA, type TrackState } from './cyclone-track.ts';

/** Central pressure of a wind where none was recorded: `dp = (v / 3.4)^(1/0.644)` [hPa, m/s]. @see doi:10.1175/1520-0493(1977)105<0421:TCMSLP>2.0.CO;2 */
const ATKINSON_FACTOR = 3.4;
const ATKINSON_EXPONENT = 0.644;

/** Pressure drop [hPa] below which a profile has no meaning. */
const LEAST_DROP_HPA = 1;

/** Beyond this distance the field is not evaluated [km]: winds there are below gale force by construction. */
export const FIELD_RADIUS_KM = 300;

const KM_PER_DEGREE = 111.195; // of latitude: 2 pi 6371.0088 / 360 (IUGG mean radius)

/** The wind field of one moment of a storm: call it with positions. */
export interface WindField {
  /** One-minute sustained wind over open water [m/s]; 0 beyond 300 km. */
  windAt(lat: number, lng: number): number;
}

/**
 * Wind field around a storm: Holland's profile scaled so that rotation and translation together reach the recorded
 * maximum; the translation is added as a vector that fades as R/r outside the radius of maximum wind, so it strengthens
 * the right side of the track in the north and the left side in the south.
 */
export function windField(state: TrackState): WindField {
  const speed = Math.hypot(state.eastMps, state.northMps);
  // A weak storm carried faster than its recorded wind blows no harder than that.
  const translation = Math.min(speed, state.maxWindMps);
  const east = speed > 0 ? (state.eastMps * translation) / speed : 0;
  const north = speed > 0 ? (state.northMps * translation) / speed : 0;
  const rotation = Math.max(0, state.maxWindMps - translation);
  const environment = recorded(state.environmentHPa) ?? ENVIRONMENT_HPA;
  const drop = Math.max(LEAST_DROP_HPA, pressureDrop(state, environment));
  const radius = recorded(state.maxWindRadiusKm) ?? maxWindRadiusKm(environment - drop);
  const b = hollandBOfWind(drop, rotation);
  const turn = state.lat >= 0 ? 1 : -1; // counter-clockwise in the north
  const kmPerLng = KM_PER_DEGREE * Math.cos((state.lat * Math.PI) / 180);
  return {
    windAt(lat, lng) {
      let dLng = lng - state.lng;
      if (dLng > 180) dLng -= 360;
      else if (dLng < -180) dLng += 360;
      const x = dLng * kmPerLng;
      const y = (lat - state.lat) * KM_PER_DEGREE;
      const r = Math.hypot(x, y);
      if (r > FIELD_RADIUS_KM) return 0;
      if (r === 0) return translation;
      const spin = (turn * hollandWind(r, radius, rotation, b)) / r;
      const fade = Math.min(1, radius / r);
      return Math.hypot(-y * spin + east * fade, x * spin + north * fade);
    },
  };
}

function recorded(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

function pressureDrop(state: TrackState, environmentHPa: number): number {
  if (!Number.isNaN(state.centralPressureHPa)) return environmentHPa - state.centralPressureHPa;
  return (state.maxWindMps / ATKINSON_FACTOR) ** (1 / ATKINSON_EXPONENT);
}
