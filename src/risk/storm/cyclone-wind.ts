import { KM_PER_DEGREE } from '../../geo/earth.ts';
import { hollandBFromMaxWind, hollandWind, maxWindRadiusFromWindKm, maxWindRadiusKm } from './holland.ts';
import { ENVIRONMENT_HPA, type TrackState } from './cyclone-track.ts';

/**
 * Constants of the relation that gives the pressure drop from the maximum wind if no central pressure was
 * recorded: `dp = (v / 3.4)^(1/0.644)` [hPa, m/s].
 * @see doi:10.1175/1520-0493(1977)105<0421:TCMSLP>2.0.CO;2 (Atkinson & Holliday 1977)
 */
const ATKINSON_FACTOR = 3.4;
const ATKINSON_EXPONENT = 0.644;

/** Minimum pressure drop of a wind profile [hPa]. */
const LEAST_DROP_HPA = 1;

/**
 * Distance from the centre beyond which the wind is set to 0 [km]: by construction of the profile it is below
 * gale force there.
 */
export const FIELD_RADIUS_KM = 300;

/** Wind field of a tropical cyclone at one moment. */
export interface CycloneWindField {
  /**
   * One-minute sustained wind over open water [m/s] at a position in decimal degrees; 0 beyond 300 km from the
   * centre.
   */
  windAt(lat: number, lng: number): number;
}

/**
 * Wind field of a tropical cyclone: the Holland profile, scaled so that rotation and translation together reach
 * the recorded maximum wind. The translation is a vector that decreases as R/r outside the radius of maximum
 * wind, so winds are stronger right of the track in the northern hemisphere and left of it in the southern. A
 * radius that was not recorded is computed from the pressure, or from wind and latitude if there is no pressure. A
 * pressure that was not recorded is computed from the wind.
 * @see doi:10.1175/2010MWR3119.1 (Holland, Belanger & Fritz 2010)
 */
export function cycloneWindField(state: TrackState): CycloneWindField {
  const speed = Math.hypot(state.eastMps, state.northMps);
  // A weak storm may move faster than its maximum wind: limit the translation to the maximum wind.
  const translation = Math.min(speed, state.maxWindMps);
  const east = speed > 0 ? (state.eastMps * translation) / speed : 0;
  const north = speed > 0 ? (state.northMps * translation) / speed : 0;
  const rotation = Math.max(0, state.maxWindMps - translation);
  const environment = recorded(state.environmentHPa) ?? ENVIRONMENT_HPA;
  const drop = Math.max(LEAST_DROP_HPA, pressureDrop(state, environment));
  const radius =
    recorded(state.maxWindRadiusKm) ??
    (Number.isNaN(state.centralPressureHPa)
      ? maxWindRadiusFromWindKm(state.maxWindMps, state.lat)
      : maxWindRadiusKm(environment - drop));
  const b = hollandBFromMaxWind(drop, rotation);
  const turn = state.lat >= 0 ? 1 : -1; // winds turn counter-clockwise in the northern hemisphere
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
