import {
  followBy,
  producersAccuracy,
  scoreDetections,
  standingDetections,
  TOGETHER,
  totalScore,
  usersAccuracy,
  type Score,
} from '../detections/detection.ts';
import { follow, type SampleStack } from '../engine.ts';
import { median } from '../median.ts';
import { BUILD_SEEDS, makeStacks, SOURCES } from '../sets/conversions.ts';
import { countMonitor, harmlessStacks, yearsOf, type HarmlessStacks } from '../sets/harmless.ts';
import { cutsInForest } from '../sets/para.ts';
import { TURA_SET, readTura } from '../sets/tura.ts';
import { readPara } from '../sources/para.ts';
import type { PixelTruth } from '../detections/detection.ts';

const STACKS = 2; // stacks of conversions per kind of ground, of those to build on: more take as long again
const NOT_FOUND_DAYS = 365; // lag that counts where nothing is found
const LAG_DAYS = 1000; // days of lag that weigh as much as all accuracy
const HARM_WEIGHT = 0.1; // weight of a percent of pixel-years of a harmless kind beyond its bound
const MOST_HARM = 1; // our target: percent of pixel-years of a harmless kind that may be confirmed
const MOST_COPPICE = 3; // coppice: as many are really felled (docs/methods/change.md)
const KAFA_WEIGHT = 0.05; // weight of a percent of the pixels of Kafa beyond its bound
const MOST_KAFA = 20; // percent of the pixels of Kafa that may be in a confirmed change (src/change/real-stacks.test.ts)

/** What the monitor does on the series of one source. */
export interface SourceFigures {
  readonly source: string;
  /** Conversions by kind of ground: producer's and user's accuracy, and median lag [days]. */
  readonly conversions: readonly {
    readonly ground: string;
    readonly pa: number;
    readonly ua: number;
    readonly lagDays: number;
  }[];
  /** Series without a lasting change, by kind: percent of pixel-years confirmed at any time. */
  readonly harmless: readonly { readonly what: string; readonly confirmed: number }[];
  /** Percent of the pixels that were ever in a confirmed change; null except for Kafa. */
  readonly everConfirmed: number | null;
}

interface Conversions {
  readonly source: string;
  readonly ground: string;
  readonly stack: SampleStack;
  readonly truths: readonly PixelTruth[];
}

/** Real series by source: those of one region and sensor are one source. */
export interface Sources {
  readonly conversions: readonly Conversions[];
  readonly harmless: readonly HarmlessStacks[];
  readonly kafa: SampleStack;
}

/** Reads the series, and makes stacks of conversions on which constants may be chosen. */
export async function readSources(seed: number): Promise<Sources> {
  const para = cutsInForest(readPara());
  return {
    conversions: [
      ...(await makeStacks(BUILD_SEEDS.slice(0, STACKS))),
      { source: SOURCES.para, ground: 'cuts in forest', stack: para.stack, truths: para.truths },
    ],
    harmless: await harmlessStacks(seed),
    kafa: await readTura(),
  };
}

/** Measures the monitor, with the constants that hold now, on each source. */
export function measureSources({ conversions, harmless, kafa }: Sources): SourceFigures[] {
  const scores = conversions.map(({ source, ground, stack, truths }) => ({
    source,
    ground,
    score: scoreDetections(truths, standingDetections(followBy(stack, TOGETHER))),
  }));
  const harms = harmless.map((group) => {
    const years = group.stacks.reduce(
      (sum, stack) => sum + (stack.width * stack.height - group.changed.size) * yearsOf(stack),
      0,
    );
    const confirmed = (100 * countMonitor(group, TOGETHER).confirmed) / years;
    return { source: group.source, what: group.what, confirmed };
  });
  const figures = [...new Set([...scores, ...harms].map(({ source }) => source))].map((source) => ({
    source,
    conversions: [
      ...Map.groupBy(
        scores.filter((score) => score.source === source),
        ({ ground }) => ground,
      ),
    ].map(([ground, its]) => ({ ground, ...accuracyOf(its.map(({ score }) => score)) })),
    harmless: harms
      .filter((harm) => harm.source === source)
      .map(({ what, confirmed }) => ({ what, confirmed })),
    everConfirmed: null,
  }));
  return [
    ...figures,
    { source: TURA_SET, conversions: [], harmless: [], everConfirmed: everConfirmed(kafa) },
  ];
}

function accuracyOf(scores: readonly Score[]): { pa: number; ua: number; lagDays: number } {
  const score = totalScore(scores);
  const isNone = score.found === 0;
  return {
    pa: producersAccuracy(score),
    ua: isNone ? 0 : usersAccuracy(score),
    lagDays: isNone ? NOT_FOUND_DAYS : median([...score.lagDays]),
  };
}

function everConfirmed(stack: SampleStack): number {
  const confirmed = follow(stack).objects.filter(({ confirmedMs }) => confirmedMs !== null);
  const pixels = new Set(confirmed.flatMap((object) => [...object.pixels]));
  return (100 * pixels.size) / (stack.width * stack.height);
}

/**
 * How well constants do on a source, by one rule for all: the mean over its kinds of ground of F1 minus a tenth for each
 * 100 days of lag, minus what harmless series are confirmed beyond their bounds.
 */
export function merit({ conversions, harmless, everConfirmed: ever }: SourceFigures): number {
  const gains = conversions.map(
    ({ pa, ua, lagDays }) => (pa + ua === 0 ? 0 : (2 * pa * ua) / (pa + ua)) - lagDays / LAG_DAYS,
  );
  const gain = gains.length === 0 ? 0 : gains.reduce((sum, value) => sum + value, 0) / gains.length;
  const harm = harmless.reduce((sum, { what, confirmed }) => {
    const most = what.startsWith('coppice') ? MOST_COPPICE : MOST_HARM;
    return sum + HARM_WEIGHT * Math.max(0, confirmed - most);
  }, 0);
  return gain - harm - KAFA_WEIGHT * Math.max(0, (ever ?? 0) - MOST_KAFA);
}
