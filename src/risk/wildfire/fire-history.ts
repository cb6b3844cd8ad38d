import { KM_PER_DEGREE } from '../../geo/earth.ts';

/** One fire in a record of fires. */
export interface RecordedFire {
  readonly lat: number;
  readonly lng: number;
  /** Day of the fire, in days since 1970-01-01. */
  readonly day: number;
  /** Burned area [ha]; NaN if not known. */
  readonly areaHa: number;
}

/**
 * Cells whose centres form a regular lattice in degrees; `west` and `north` are the centre of the north-western
 * cell.
 */
export interface DegreeLattice {
  readonly west: number;
  readonly north: number;
  readonly step: number;
  readonly width: number;
  readonly height: number;
}

/** Fire history of each cell, row-major, without NaN: the record is assumed complete within its box and years. */
export interface FireHistory {
  /** Fires within 5 km [1/(km2 yr)]. */
  readonly frequency: Float32Array;
  /** Share of the land within 5 km that burned per year [1/yr]; null when the areas of fires are not known. */
  readonly burned: Float32Array | null;
}

/** Distance from a place within which fires count [km]: docs/methods/wildfire.md. */
const REACH_KM = 5;
const REACH_KM2 = Math.PI * REACH_KM ** 2;
const HA_PER_KM2 = 100;

/**
 * Maximum distance in space and time between detections of the same fire (our choice): a few satellite pixels,
 * and a few satellite passes missed because of clouds.
 */
const FIRE_GAP_KM = 2;
const FIRE_GAP_DAYS = 4;

/**
 * Frequency of fires and share of burned land within 5 km of every cell of a lattice.
 * @param years length of the record
 */
export function fireHistory(
  fires: readonly RecordedFire[],
  lattice: DegreeLattice,
  years: number,
): FireHistory {
  const { west, north, step, width, height } = lattice;
  const frequency = new Float32Array(width * height);
  const burned = new Float32Array(width * height);
  const isRound = width * step >= 360;
  const rows = Math.ceil(REACH_KM / KM_PER_DEGREE / step);
  for (const { lat, lng, areaHa } of fires) {
    const cosine = Math.max(Math.cos((lat * Math.PI) / 180), 1e-3);
    const columns = Math.ceil(REACH_KM / KM_PER_DEGREE / cosine / step);
    const row = Math.round((north - lat) / step);
    // Shift the longitude by a multiple of 360 so that it is nearest to the middle of the lattice.
    const middle = west + (width * step) / 2;
    const nearLng = lng + 360 * Math.round((middle - lng) / 360);
    const column = Math.round((nearLng - west) / step);
    for (let r = Math.max(0, row - rows); r <= Math.min(height - 1, row + rows); r++)
      for (let c = column - columns; c <= column + columns; c++) {
        const at = isRound ? ((c % width) + width) % width : c;
        if (at < 0 || at >= width) continue;
        const across = (west + c * step - nearLng) * cosine;
        const along = north - r * step - lat;
        if (Math.hypot(across, along) * KM_PER_DEGREE > REACH_KM) continue;
        frequency[r * width + at]! += 1;
        burned[r * width + at]! += Math.min(REACH_KM2, areaHa / HA_PER_KM2);
      }
  }
  const areasKnown = fires.every(({ areaHa }) => !Number.isNaN(areaHa));
  return {
    frequency: frequency.map((count) => count / REACH_KM2 / years),
    burned: areasKnown ? burned.map((km2) => Math.min(1, km2 / REACH_KM2 / years)) : null,
  };
}

/**
 * Groups satellite detections into fires. Detections within 2 km and four days of each other belong to one fire,
 * as do detections connected by a chain of such pairs. A fire has the place and day of its first detection; its
 * area is unknown.
 */
export function firesOfDetections(detections: readonly RecordedFire[]): RecordedFire[] {
  const sorted = detections.toSorted((a, b) => a.day - b.day);
  const parent = Int32Array.from(sorted, (_, i) => i);
  const rootOf = (i: number): number => {
    let k = i;
    while (parent[k] !== k) {
      parent[k] = parent[parent[k]!]!; // shortens the path to the root
      k = parent[k]!;
    }
    return k;
  };
  const cell = FIRE_GAP_KM / KM_PER_DEGREE;
  const recent = new Map<string, number[]>();
  for (const [i, { lat, lng, day }] of sorted.entries()) {
    const cosine = Math.max(Math.cos((lat * Math.PI) / 180), 1e-3);
    const row = Math.floor(lat / cell);
    // All cells of a row have the same width in degrees.
    const wide = cell / Math.max(Math.cos((row * cell * Math.PI) / 180), 1e-3);
    const reach = Math.ceil(cell / cosine / wide);
    for (let r = row - 1; r <= row + 1; r++) {
      const rowWide = cell / Math.max(Math.cos((r * cell * Math.PI) / 180), 1e-3);
      const column = Math.floor(lng / rowWide);
      for (let c = column - reach - 1; c <= column + reach + 1; c++)
        for (const k of recent.get(`${r},${c}`) ?? []) {
          const other = sorted[k]!;
          if (day - other.day > FIRE_GAP_DAYS) continue;
          const apart = Math.hypot((other.lng - lng) * cosine, other.lat - lat) * KM_PER_DEGREE;
          if (apart > FIRE_GAP_KM) continue;
          const [a, b] = [rootOf(k), rootOf(i)];
          parent[Math.max(a, b)] = Math.min(a, b);
        }
    }
    const key = `${row},${Math.floor(lng / wide)}`;
    const here = (recent.get(key) ?? []).filter((k) => day - sorted[k]!.day <= FIRE_GAP_DAYS);
    here.push(i);
    recent.set(key, here);
  }
  return sorted
    .filter((_, i) => parent[i] === i)
    .map((fire) => ({ lat: fire.lat, lng: fire.lng, day: fire.day, areaHa: Number.NaN }));
}
