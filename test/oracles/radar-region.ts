import { DAY_MS } from '../../src/base/time.ts';

const YEAR_DAYS = 365.25;
const START_MS = Date.UTC(2018, 0, 2);
const CELL = 9; // one clearing in each cell of this side [pixels]
const CLOUD_CELL = 8; // clouds cover squares of this side [pixels]
const MISSED_CLOUD = 0.01; // share of cloudy pixels that the mask misses

/** A forest that an optical satellite sees through clouds, and a radar from two orbits. */
export interface RadarRegion {
  readonly side: number;
  readonly timesMs: Float64Array;
  /** `values[pixel * times + t]` of each metric. */
  readonly optical: Readonly<Record<string, Float32Array>>;
  readonly radar: Readonly<Record<string, Float32Array>>;
  readonly clearings: readonly { readonly pixels: readonly number[]; readonly ms: number }[];
  /** The clearing of each pixel; -1 for none. */
  readonly clearingOf: Int32Array;
}

/** What a region is like. */
export interface RadarRegionForm {
  readonly seed: number;
  readonly side: number;
  readonly years: number;
  /** Mean share of cloud, and its swing between the dry and the wet season. */
  readonly cloud: number;
  readonly swing: number;
  /** Equivalent number of looks of a stored radar sample before it is averaged with its neighbours. */
  readonly looks: number;
  /** Fall of cross- and of co-polarised backscatter when forest is cleared [dB] (Reiche et al. 2018: 1 to 3 dB). */
  readonly fallDb: readonly [vh: number, vv: number];
}

/** Seeded draws: uniform, normal (Box & Muller 1958) and gamma (Marsaglia & Tsang 2000). */
function draws(seed: number) {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const gamma = (shape: number): number => {
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  };
  return { uniform, normal, gamma };
}

type Draws = ReturnType<typeof draws>;

/** Clearings of 2 x 2 to 5 x 5 pixels, from the year 2.5 to a year before the end. */
function clear({ side, years }: RadarRegionForm, { uniform }: Draws) {
  const clearings: { pixels: number[]; ms: number; debrisMs: number }[] = [];
  const clearingOf = new Int32Array(side * side).fill(-1);
  for (let row = 3; row + CELL - 1 < side; row += CELL)
    for (let col = 3; col + CELL - 1 < side; col += CELL) {
      const size = 2 + Math.floor(uniform() * 4);
      const ms = START_MS + (2.5 + uniform() * (years - 3.5)) * YEAR_DAYS * DAY_MS;
      // Felled trees can lie for weeks and scatter as the forest did.
      const debrisMs = uniform() < 0.5 ? 0 : uniform() * 60 * DAY_MS;
      const pixels: number[] = [];
      for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) pixels.push((row + i) * side + col + j);
      for (const pixel of pixels) clearingOf[pixel] = clearings.length;
      clearings.push({ pixels, ms, debrisMs });
    }
  return { clearings, clearingOf };
}

/**
 * Simulates a region: NDVI and NDMI every 5 days, gamma-0 every 12 days from each of two orbits with another incidence.
 * Clouds are common in the wet season, and a hundredth of them is missed by the mask. Rain raises backscatter for days,
 * on bare ground more than on forest. Speckle is gamma-distributed (Oliver & Quegan 2004).
 */
export function radarRegion(form: RadarRegionForm): RadarRegion {
  const { side, years, cloud, swing, looks } = form;
  const [fallVh, fallVv] = form.fallDb;
  const drawn = draws(form.seed);
  const { uniform, normal, gamma } = drawn;
  const { clearings, clearingOf } = clear(form, drawn);
  const moments: { ms: number; orbit: number | null }[] = [];
  const every = (first: number, step: number, orbit: number | null): void => {
    for (let day = first; day < years * YEAR_DAYS; day += step)
      moments.push({ ms: START_MS + day * DAY_MS, orbit });
  };
  every(0.44, 5, null);
  every(3.24, 12, 98);
  every(8.72, 12, 171);
  moments.sort((a, b) => a.ms - b.ms);
  const times = moments.length;
  const pixels = side * side;
  const empty = (): Float32Array => new Float32Array(pixels * times).fill(Number.NaN);
  const optical = { ndvi: empty(), ndmi: empty() };
  const radar = { vh_orbit_98: empty(), vh_orbit_171: empty(), vv_orbit_98: empty(), vv_orbit_171: empty() };
  const texture = Array.from({ length: pixels }, () => [normal(), normal(), normal(), normal()] as const);
  let [wet, weather] = [0, 0];
  moments.forEach(({ ms, orbit }, t) => {
    const day = (ms - START_MS) / DAY_MS;
    const season = Math.cos((2 * Math.PI * day) / YEAR_DAYS);
    weather = 0.9 * weather + 0.012 * normal();
    wet = uniform() < 0.15 ? 0.5 + 1.5 * uniform() : 0.3 * wet;
    const covered = cloud + swing * Math.cos((2 * Math.PI * (day - 60)) / YEAR_DAYS) + 0.1 * normal();
    const clouds = new Map<number, boolean>();
    for (let p = 0; p < pixels; p++) {
      const clearing = clearings[clearingOf[p]!];
      const since = clearing === undefined ? -1 : ms - clearing.ms;
      const grown = since < 0 ? 0 : Math.min(0.5, (since / DAY_MS / YEAR_DAYS) * 0.25);
      const [a, b, c, d] = texture[p]!;
      if (orbit === null) {
        const cell =
          Math.floor(Math.floor(p / side) / CLOUD_CELL) * pixels + Math.floor((p % side) / CLOUD_CELL);
        if (!clouds.has(cell)) clouds.set(cell, uniform() < covered);
        const [i, lost, shared] = [p * times + t, since >= 0 ? 1 - grown : 0, normal()];
        if (clouds.get(cell) === true) {
          if (uniform() > MISSED_CLOUD) continue;
          optical.ndvi[i] = 0.3 + 0.3 * uniform();
          optical.ndmi[i] = 0.3 * uniform();
          continue;
        }
        const noise = (): number => 0.021 * (shared + normal());
        optical.ndvi[i] = 0.84 + 0.015 * a + 0.03 * season + weather - 0.38 * lost + noise();
        optical.ndmi[i] = 0.42 + 0.015 * b + 0.04 * season + weather - 0.35 * lost + noise();
        continue;
      }
      const bare = clearing !== undefined && since > clearing.debrisMs ? 1 - 0.8 * grown : 0;
      const tilt = orbit === 171 ? 0.7 : 0;
      const speckle = (): number => 10 * Math.log10(gamma(looks) / looks);
      const vh = -13.2 - tilt + 0.7 * c + 0.3 * season + (0.3 + 0.5 * bare) * wet - fallVh * bare;
      const vv = -7.3 - tilt + 0.7 * d + 0.2 * season + (0.5 + bare) * wet - fallVv * bare;
      const [vhOf, vvOf] =
        orbit === 98 ? [radar.vh_orbit_98, radar.vv_orbit_98] : [radar.vh_orbit_171, radar.vv_orbit_171];
      vhOf[p * times + t] = vh + speckle();
      vvOf[p * times + t] = vv + speckle();
    }
  });
  return { side, timesMs: Float64Array.from(moments, ({ ms }) => ms), optical, radar, clearings, clearingOf };
}
