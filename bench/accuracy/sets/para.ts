import { Random } from '../../calibration/simulated-case.ts';
import { isPresent } from '../data-set.ts';
import {
  followBy,
  scoreDetections,
  standingDetections,
  TOGETHER,
  type Detection,
  type PixelTruth,
  type Score,
} from '../detections/detection.ts';
import { isNrtPresent, NRT_ABSENT, referenceRows } from '../detections/reference-rows.ts';
import { scoreFigure, type ScoreTargets } from '../detections/score-figures.ts';
import type { SampleStack } from '../engine.ts';
import { median } from '../median.ts';
import { plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { MODIS_PIXEL_AREA_M2 } from '../sources/mato-grosso.ts';
import { prodesYearMs, readPara, type ParaPixel, type ParaSet } from '../sources/para.ts';
import { CompositeYears, valuesAt } from '../spliced/composite-years.ts';
import { growObject, isApart } from '../spliced/objects.ts';

const SET = 'para-modis-deforestation';
const YEARS = 1; // accepted error of the PRODES year: README
const HISTORY_YEARS = 2; // history of the reference methods, which ends with the last PRODES year before all cuts
const SIDE = 40; // side of the stack of cuts in forest [pixels]
const SEED = 1; // seed of the layout of the stack
const CUT_SIZES = [3, 20] as const; // number of pixels of an object of cuts: as the cuts of the region, our choice

/** A stack of pixels of the set, and the truth of each pixel. */
export interface ParaStack {
  readonly stack: SampleStack;
  readonly truths: readonly PixelTruth[];
  /** Pixels of the stack whose lag is counted from a DETER alert, not from the middle of the PRODES year. */
  readonly alerted: ReadonlySet<number>;
}

function truthOf({ isCut, firstYear, lastYear, alertMs }: ParaPixel): PixelTruth {
  if (!isCut) return 'stable';
  const fromMs = prodesYearMs(firstYear - YEARS);
  const middleMs = (prodesYearMs(firstYear) + prodesYearMs(lastYear + 1)) / 2;
  return {
    changedMs: alertMs ?? middleMs,
    fromMs,
    toMs: prodesYearMs(lastYear + 1 + YEARS),
    knownMs: fromMs,
  };
}

/** A row of the pixels with an empty pixel between any two, as these pixels are no neighbours. */
function pixelRow({ timesMs, pixels }: ParaSet): ParaStack {
  const places = pixels.map((pixel, i) => ({ pixel, at: 2 * i }));
  const width = 2 * pixels.length;
  return { ...emptyStack(timesMs, width, 1, places), ...truthsOf(width, places) };
}

/**
 * Cuts of about the same date as compact objects in a forest: the forest pixels, and around them the same pixels with
 * their series shifted by whole years.
 */
export function cutsInForest({ timesMs, startsMs, pixels }: ParaSet): ParaStack {
  const random = new Random(SEED);
  const years = new CompositeYears(startsMs);
  const cuts = pixels
    .filter(({ isCut }) => isCut)
    .toSorted((a, b) => a.lastYear - b.lastYear || (a.alertMs ?? 0) - (b.alertMs ?? 0));
  const taken = new Uint8Array(SIDE * SIDE);
  const places: { pixel: ParaPixel; at: number }[] = [];
  let placed = 0;
  while (placed < cuts.length) {
    const size = Math.min(cuts.length - placed, Math.round(random.between(...CUT_SIZES)));
    const isFree = (pixel: number): boolean => isApart(SIDE, SIDE, pixel, taken);
    const object = growObject(SIDE, SIDE, size, isFree, random);
    for (const at of object) {
      taken[at] = 1;
      places.push({ pixel: cuts[placed++]!, at });
    }
  }
  const forest = pixels.filter(({ isCut }) => !isCut);
  let next = 0;
  for (let at = 0; at < SIDE * SIDE; at++) {
    if (taken[at] !== 0) continue;
    const source = forest[next % forest.length]!;
    const shift = Math.floor(next++ / forest.length);
    const of = (series: Float32Array): Float32Array =>
      valuesAt(series, timesMs.length, (t) => years.shifted(t, shift));
    places.push({ pixel: { ...source, ndvi: of(source.ndvi), moisture: of(source.moisture) }, at });
  }
  return { ...emptyStack(timesMs, SIDE, SIDE, places), ...truthsOf(SIDE * SIDE, places) };
}

type Places = readonly { readonly pixel: ParaPixel; readonly at: number }[];

function emptyStack(
  timesMs: Float64Array,
  width: number,
  height: number,
  places: Places,
): { stack: SampleStack } {
  const ndvi = new Float32Array(width * height * timesMs.length).fill(Number.NaN);
  const moisture = ndvi.slice();
  for (const { pixel, at } of places) {
    ndvi.set(pixel.ndvi, at * timesMs.length);
    moisture.set(pixel.moisture, at * timesMs.length);
  }
  return { stack: { width, height, pixelAreaM2: MODIS_PIXEL_AREA_M2, timesMs, metrics: { ndvi, moisture } } };
}

function truthsOf(count: number, places: Places): Omit<ParaStack, 'stack'> {
  const truths = Array.from({ length: count }, (): PixelTruth => 'unknown');
  for (const { pixel, at } of places) truths[at] = truthOf(pixel);
  const alerted = new Set(places.filter(({ pixel }) => pixel.alertMs !== null).map(({ at }) => at));
  return { truths, alerted };
}

// README: 200 or more of 337 cuts found, and at most 2 or 3 of 74 forest pixels flagged; UA is of these shares here.
const TARGETS: ScoreTargets = { producers: 0.59, users: 0.98 };

/** Score of a method, and in a second line its lags by the date that they are counted from. */
function figuresOf(
  what: string,
  { truths, alerted }: ParaStack,
  detections: readonly Detection[],
  targets: ScoreTargets = {},
): Figure[] {
  const score = scoreDetections(truths, detections);
  const lagOf = (isAlerted: boolean): Score =>
    scoreDetections(
      truths.map((truth, p) => (truth !== 'stable' && alerted.has(p) === isAlerted ? truth : 'unknown')),
      detections,
    );
  const [byAlert, byYear] = [lagOf(true), lagOf(false)].map(({ lagDays }) => median(lagDays));
  const found = `from the DETER alert ${byAlert!.toFixed(0)} d, from the middle of the PRODES year ${byYear!.toFixed(0)} d`;
  const numbers = { fromAlertDays: byAlert!, fromYearDays: byYear! };
  return [scoreFigure(what, score, targets), { ...plainFigure(`${what}: lag`, found), numbers }];
}

async function measure(): Promise<Figure[]> {
  const para = readPara();
  const stacks = [
    ['single pixels', pixelRow(para)],
    ['cuts in forest', cutsInForest(para)],
  ] as const;
  const figures: Figure[] = [];
  for (const [name, stack] of stacks)
    for (const metric of ['ndvi', 'moisture', TOGETHER]) {
      const standing = standingDetections(followBy(stack.stack, metric));
      const targets = name === 'single pixels' && metric === TOGETHER ? TARGETS : {};
      figures.push(...figuresOf(`${name}, ${metric}: monitor`, stack, standing, targets));
    }
  const jobs = stacks.flatMap(([name, stack]) =>
    ['ndvi', 'moisture'].map((metric) => ({ name, metric, stack })),
  );
  const firstYear = Math.min(...para.pixels.filter(({ isCut }) => isCut).map((pixel) => pixel.firstYear));
  const rows = referenceRows(
    jobs.map(({ metric, stack: { stack } }) => ({
      stack,
      metric,
      historyMs: prodesYearMs(firstYear - HISTORY_YEARS),
      monitorMs: prodesYearMs(firstYear),
    })),
  );
  for (const { method, detections } of rows)
    for (const [i, { name, metric, stack }] of jobs.entries())
      figures.push(...figuresOf(`${name}, ${metric}: ${method}`, stack, detections[i]!));
  if (!isNrtPresent()) figures.push(plainFigure('nrt', NRT_ABSENT));
  return figures;
}

/** Clear-cut and primary-forest pixels of Para with PRODES years and DETER alerts. */
export const PARA: AccuracySet = { name: SET, isPresent: () => isPresent(SET), measure };
