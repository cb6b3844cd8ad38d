import { isPresent } from '../data-set.ts';
import {
  followBy,
  scoreDetections,
  standingDetections,
  TOGETHER,
  totalScore,
  type Detection,
} from '../detections/detection.ts';
import { missedFigure, missedPixels, type Reason } from '../detections/missed.ts';
import { isNrtPresent, NRT_ABSENT, referenceRows } from '../detections/reference-rows.ts';
import { scoreFigure, type ScoreTargets } from '../detections/score-figures.ts';
import { median } from '../median.ts';
import { plainFigure, share, type AccuracySet, type Figure, type Run } from '../figure.ts';
import type { Ground } from '../spliced/ground.ts';
import { MATO_GROSSO_SETS, matoGrossoGrounds } from '../spliced/mato-grosso-ground.ts';
import { PARA_SET, paraGround } from '../spliced/para-ground.ts';
import { SAMPLES_SET } from '../sources/samples.ts';
import { sampleGrounds } from '../spliced/sample-ground.ts';
import { sloveniaGround } from '../spliced/slovenia-ground.ts';
import { SLOVENIA_SET } from '../sources/slovenia.ts';
import { spliceStack, type SplicedStack } from '../spliced/splice.ts';
import { Random } from '../../calibration/simulated-case.ts';
import { JULIAN_YEAR_MS } from '../../../src/base/time.ts';

const SETS = [...MATO_GROSSO_SETS, PARA_SET, SAMPLES_SET, SLOVENIA_SET];
const TARGETS: ScoreTargets = { producers: 0.9, users: 0.85, lagDays: 90 }; // our targets, over all kinds of ground
/** Seeds of the stacks on which constants may be chosen; each makes one stack per kind of ground. */
export const BUILD_SEEDS = [11, 12, 13, 14];
const REPORT_STACKS = 4; // stacks per kind of ground that are only reported
// Conversions begin one year after the start of a record in every other stack, and two years after it in the others.
// Records of Slovenia are too short for the latter.
const YEARS_BEFORE = [1, 2];
const SHORT_YEARS = 3;
const ALL = 'all grounds';
const OBJECT_SIZES = [
  [1, 9],
  [10, 29],
  [30, 60],
] as const; // classes of the size of converted objects [pixels]

/** Names of the sources of series, in this set and in `reliability`. Sets of one region and sensor are one source. */
export const SOURCES = {
  matoGrosso: 'Mato Grosso',
  para: 'Para',
  samples: 'samples of Mato Grosso',
  slovenia: 'Slovenia',
} as const;

/** A kind of ground and the source of its series. */
interface SourcedGround {
  readonly ground: Ground;
  readonly source: string;
}

async function grounds(): Promise<SourcedGround[]> {
  const of = (source: string) => (ground: Ground) => ({ ground, source });
  return [
    ...(await matoGrossoGrounds()).map(of(SOURCES.matoGrosso)),
    of(SOURCES.para)(paraGround()),
    ...sampleGrounds().map(of(SOURCES.samples)),
    of(SOURCES.slovenia)(await sloveniaGround()),
  ];
}

/** Makes the stacks of all kinds of ground for the given seeds. */
export async function makeStacks(
  seeds: readonly number[],
): Promise<(SplicedStack & { readonly source: string })[]> {
  return (await grounds()).flatMap(({ ground, source }, g) =>
    seeds.map((seed, i) => {
      const { timesMs } = ground;
      const isShort = timesMs.at(-1)! - timesMs[0]! < SHORT_YEARS * JULIAN_YEAR_MS;
      const years = isShort ? YEARS_BEFORE[0]! : YEARS_BEFORE[i % 2]!;
      return { ...spliceStack(ground, years, 1000 * seed + g), source };
    }),
  );
}

async function measure(seeds: readonly number[]): Promise<Figure[]> {
  const stacks = await makeStacks(seeds);
  const methods = new Map<string, readonly (readonly Detection[])[]>();
  const findings = stacks.map(({ stack }) => followBy(stack, TOGETHER));
  const missed = stacks.map(({ truths }, i) => missedPixels(truths, findings[i]!));
  methods.set('monitor, all indices', findings.map(standingDetections));
  methods.set(
    'monitor, ndvi',
    stacks.map(({ stack }, i) =>
      Object.keys(stack.metrics).length === 1
        ? methods.get('monitor, all indices')![i]!
        : standingDetections(followBy(stack, 'ndvi')),
    ),
  );
  const jobs = stacks.map(({ stack, monitorMs }) => ({
    stack,
    metric: 'ndvi',
    historyMs: stack.timesMs[0]!,
    monitorMs,
  }));
  for (const { method, detections } of referenceRows(jobs)) methods.set(`${method}, ndvi`, detections);
  const figures: Figure[] = [];
  for (const ground of [ALL, ...new Set(stacks.map((stack) => stack.ground))]) {
    figures.push(shownFigure(ground, stacks), ...missedFigures(ground, stacks, missed));
    for (const [method, detections] of methods) {
      const scores = stacks.flatMap((stack, i) =>
        ground === ALL || stack.ground === ground ? [scoreDetections(stack.truths, detections[i]!)] : [],
      );
      const hasTarget = ground === ALL && method === 'monitor, all indices';
      figures.push(scoreFigure(`${ground}: ${method}`, totalScore(scores), hasTarget ? TARGETS : {}));
    }
  }
  if (!isNrtPresent()) figures.push(plainFigure('nrt', NRT_ABSENT));
  return figures;
}

/** What the monitor misses, by reason and by the size of the converted object. */
function missedFigures(
  ground: string,
  stacks: readonly SplicedStack[],
  missed: readonly ReadonlyMap<number, Reason>[],
): Figure[] {
  const pixels = stacks.flatMap((stack, i) =>
    ground === ALL || stack.ground === ground
      ? [...stack.objectSizes].map(([pixel, size]) => ({
          size,
          reason: missed[i]!.get(pixel),
        }))
      : [],
  );
  return OBJECT_SIZES.map(([from, to]) => {
    const its = pixels.filter(({ size }) => size >= from && size <= to);
    const reasons = its.flatMap(({ reason }) => reason ?? []);
    return missedFigure(`${ground}: monitor, objects of ${from} to ${to} pixels`, reasons, its.length);
  });
}

/** How many conversions show, and how soon: a bound for every method that asks for three scenes. */
function shownFigure(ground: string, stacks: readonly SplicedStack[]): Figure {
  const days = stacks.flatMap((stack) => (ground === ALL || stack.ground === ground ? stack.shownDays : []));
  const shown = days.filter((value) => !Number.isNaN(value));
  const lag = median(shown);
  const found = `${share(shown.length, days.length)}, after ${lag.toFixed(0)} d`;
  const numbers = {
    shown: shown.length,
    changed: days.length,
    share: shown.length / days.length,
    lagDays: lag,
  };
  return {
    ...plainFigure(`${ground}: differ by .12 NDVI in three scenes`, found),
    numbers,
  };
}

/** Conversions of known date, spliced from real series: the half on which constants may be chosen. */
export const CONVERSIONS: AccuracySet = {
  name: 'conversions',
  isPresent: () => SETS.every(isPresent),
  measure: () => measure(BUILD_SEEDS),
};

/** The other half, drawn by the seed of the run: no constant may be chosen on it. */
export const CONVERSIONS_REPORT: AccuracySet = {
  name: 'conversions-report',
  isPresent: () => SETS.every(isPresent),
  measure: ({ seed }: Run) => {
    const random = new Random(seed);
    const seeds = Array.from({ length: REPORT_STACKS }, () => 100 + Math.floor(random.uniform() * 1e6));
    return measure(seeds);
  },
};
