import { isPresent, readRecords } from '../data-set.ts';
import { followBy, TOGETHER } from '../detections/detection.ts';
import { claimText, followAll, type Claim, type SampleStack } from '../engine.ts';
import { targetFigure, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { normalisedDifference, seriesStack } from '../series-stack.ts';
import { DAY_MS } from '../../../src/base/time.ts';

const SET = 'landsat-ccdc-pixels';
const PIXEL_AREA_M2 = 900; // Landsat, 30 m
/** Area of a hectare [m2], from which on a single pixel is an object. */
export const HECTARE_M2 = 10_000;
/** First clear view after the burn [ms since the Unix epoch]: README. */
export const FIRE_MS = Date.parse('2002-06-22');
/** Maximum error of the date of the burn [ms]: our target. */
export const WITHIN_MS = 60 * DAY_MS;
/** Pixel with the burn. */
export const BURNT = 'h03v09_two_breaks';

const FULL_REFLECTANCE = 10_000; // reflectance 1 in stored units; higher values are saturated or bright cloud
/** Pixels without a change that may be claimed. */
export const QUIET = [
  'wa_row999_col1_stable',
  'wa_row9_col2267_persistent_snow',
  'h04v03_insufficient_clear',
  'sample_short_landsat8',
];

/** Reads one pixel: the observations that its quality band classifies as clear or water. */
export function readPixel(name: string): SampleStack {
  const clear = readRecords(SET, `${name}.csv`).filter(
    ({ qa_class, red, nir, swir1, swir2 }) =>
      (qa_class === 'clear' || qa_class === 'water') &&
      [red, nir, swir1, swir2].every((band) => Number(band) > 0 && Number(band) <= FULL_REFLECTANCE),
  );
  const index = (other: string): number[] =>
    clear.map((view) => normalisedDifference(Number(view['nir']), Number(view[other])));
  const metrics = { ndvi: index('red'), nbr: index('swir2'), ndmi: index('swir1') };
  return seriesStack([{ timesMs: clear.map(({ date }) => Date.parse(date!)), metrics }], PIXEL_AREA_M2);
}

function confirmed(stack: SampleStack, metric: string): Claim[] {
  const { claims } = followBy(stack, metric);
  return claims.filter(({ confirmedMs }) => confirmedMs !== null);
}

function measure(): Figure[] {
  const burnt = readPixel(BURNT);
  // A change object must have at least one hectare, so the pixel is given that area. The type of the change does not
  // depend on the area.
  const burn = followAll({ ...burnt, pixelAreaM2: HECTARE_M2 }).objects.find(
    ({ confirmedMs, firstAnomalyMs }) =>
      confirmedMs !== null && Math.abs(firstAnomalyMs - FIRE_MS) <= WITHIN_MS,
  );
  const figures: Figure[] = [plainFigure('type of the burn of 2002-06', burn?.type ?? 'none')];
  for (const metric of [TOGETHER, ...Object.keys(burnt.metrics)]) {
    const claims = confirmed(burnt, metric);
    const hit = claims.some(
      ({ direction, firstAnomalyMs }) => direction < 0 && Math.abs(firstAnomalyMs - FIRE_MS) <= WITHIN_MS,
    );
    const all = claims.map(claimText).join('; ') || 'nothing';
    figures.push(targetFigure(`burn of 2002-06, ${metric}`, all, 'a fall within 60 days of 2002-06-22', hit));
  }
  for (const name of QUIET) {
    const stack = readPixel(name);
    const claims = [TOGETHER, ...Object.keys(stack.metrics)].flatMap((metric) => confirmed(stack, metric));
    const all = claims.map(claimText).join('; ') || 'nothing';
    figures.push(targetFigure(name, all, 'nothing confirmed', claims.length === 0));
    figures.push(plainFigure(`${name}: clear views`, String(stack.timesMs.length)));
  }
  return figures;
}

/** Landsat pixels, each with the breaks that a published program (CCDC) found in it. */
export const LANDSAT_CCDC: AccuracySet = {
  name: SET,
  isPresent: () => isPresent(SET),
  measure: async () => measure(),
};
