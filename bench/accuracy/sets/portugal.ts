import { readJson, isPresent } from '../data-set.ts';
import { follow } from '../engine.ts';
import { share, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { validateArea } from '../../../src/geo/area-validation.ts';
import { prepareArea } from '../../../src/geo/prepared-area.ts';
import { METRES_PER_EQUATOR_DEGREE } from '../../../src/geo/earth.ts';
import { bboxOf } from '../../../src/geo/bbox.ts';
import { Random } from '../../calibration/simulated-case.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../../src/base/time.ts';
import { YEAR_DAYS } from '../../../test/fakes/simulated-metric-series.ts';

const SET = 'portugal-burned-areas';
const PIXEL_M = 60; // side of a simulated pixel, so that the smallest mapped fires (20 ha) have 55 pixels
const MARGIN = 10; // width of the margin around a fire [pixels], so that most of the grid does not burn
const EVERY_DAYS = 16; // days between scenes
const EACH = 3; // only every third fire is simulated, because all fires would take minutes
const YEARS = 3; // years of the record before the year of the fire
const FALL = 0.45; // fall of NBR in a fire: moderate severity (Key & Benson 2006)
const NOISE = 0.05; // standard deviation of the NBR
const CLOUDED = 0.4;
const MOST_PIXELS = 30_000; // maximum size of a grid; larger fires are left out
const SEED = 11;

interface Fires {
  readonly features: readonly {
    readonly properties: { readonly start_date: string; readonly end_date: string };
    readonly geometry: unknown;
  }[];
}

/** Makes a grid around a fire and marks the burnt pixels; null if the polygon is invalid or the grid too large. */
function gridOf(geometry: unknown): { width: number; height: number; burnt: Uint8Array } | null {
  const valid = validateArea(geometry);
  if (!valid.ok) return null;
  const [west, south, east, north] = bboxOf(valid.area);
  const stepLat = PIXEL_M / METRES_PER_EQUATOR_DEGREE;
  const stepLng = stepLat / Math.cos(((south + north) / 2) * (Math.PI / 180));
  const width = Math.ceil((east - west) / stepLng) + 2 * MARGIN;
  const height = Math.ceil((north - south) / stepLat) + 2 * MARGIN;
  if (width * height > MOST_PIXELS) return null;
  const area = prepareArea(valid.area);
  const burnt = Uint8Array.from({ length: width * height }, (_, p) => {
    const [row, col] = [Math.floor(p / width), p % width];
    const lng = west + (col + 0.5 - MARGIN) * stepLng;
    const lat = north - (row + 0.5 - MARGIN) * stepLat;
    return area.contains([lng, lat]) ? 1 : 0;
  });
  return { width, height, burnt };
}

/** Simulates the NBR of a wood in which the fire burns. */
function simulate(
  grid: { width: number; height: number; burnt: Uint8Array },
  fireMs: number,
  random: Random,
) {
  const startMs = Date.UTC(new Date(fireMs).getUTCFullYear() - YEARS, 0, 3);
  const times = Math.floor(((YEARS + 2) * YEAR_DAYS) / EVERY_DAYS);
  const timesMs = Float64Array.from({ length: times }, (_, t) => startMs + t * EVERY_DAYS * DAY_MS);
  const nbr = new Float32Array(grid.burnt.length * times);
  for (let p = 0; p < grid.burnt.length; p++)
    for (let t = 0; t < times; t++) {
      const season = 0.1 * Math.cos((2 * Math.PI * (timesMs[t]! - startMs)) / JULIAN_YEAR_MS);
      const fall = grid.burnt[p] === 1 && timesMs[t]! >= fireMs ? FALL : 0;
      const value = 0.55 + season - fall + NOISE * random.normal();
      nbr[p * times + t] = random.uniform() < CLOUDED ? Number.NaN : value;
    }
  return { ...grid, pixelAreaM2: PIXEL_M ** 2, timesMs, metrics: { nbr } };
}

function measure(): Figure[] {
  const random = new Random(SEED);
  const { features } = readJson(SET, 'burned_areas.geojson') as Fires;
  let [fires, found, single, skipped, both, union] = [0, 0, 0, 0, 0, 0];
  const lags: number[] = [];
  for (const [i, { properties, geometry }] of features.entries()) {
    if (i % EACH !== 0) continue;
    const fireMs = Date.parse(`${properties.start_date}Z`);
    const grid = gridOf(geometry);
    if (grid === null || Number.isNaN(fireMs)) {
      skipped++;
      continue;
    }
    fires++;
    const { objects } = follow(simulate(grid, fireMs, random), 'nbr');
    const losses = objects.filter(
      ({ confirmedMs, firstAnomalyMs, magnitude }) =>
        confirmedMs !== null && magnitude < 0 && firstAnomalyMs >= fireMs - EVERY_DAYS * DAY_MS,
    );
    const claimed = new Set(losses.flatMap(({ pixels }) => [...pixels]));
    const burnt = grid.burnt.reduce((sum, is) => sum + is, 0);
    const inside = [...claimed].filter((pixel) => grid.burnt[pixel] === 1).length;
    both += inside;
    union += burnt + claimed.size - inside;
    if (inside * 2 >= burnt) found++;
    const parts = losses.filter(({ pixels }) => pixels.some((pixel) => grid.burnt[pixel] === 1));
    if (parts.length === 1) single++;
    for (const { detectedMs } of parts.slice(0, 1)) lags.push((detectedMs - fireMs) / DAY_MS);
  }
  const mean = lags.reduce((sum, lag) => sum + lag, 0) / lags.length;
  return [
    plainFigure('mapped fires planted in simulated NBR, found by half or more', share(found, fires)),
    plainFigure('of them one change, not several', share(single, fires)),
    plainFigure('pixels burnt and claimed, over burnt or claimed', (both / union).toFixed(3)),
    plainFigure('mean days from fire to confirmation', mean.toFixed(0)),
    plainFigure('fires left out: no date, no valid polygon, or too large', String(skipped)),
  ];
}

/** Mapped fires whose true shapes are planted in simulated stacks; the set has no imagery. */
export const PORTUGAL: AccuracySet = {
  name: SET,
  isPresent: () => isPresent(SET),
  measure: async () => measure(),
};
