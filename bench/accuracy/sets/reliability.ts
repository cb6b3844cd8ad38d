import { Random } from '../../calibration/simulated-case.ts';
import { bootstrapInterval } from '../bootstrap.ts';
import { calibrationError } from '../calibration-error.ts';
import { isPresent } from '../data-set.ts';
import { followBy, TOGETHER, type PixelTruth } from '../detections/detection.ts';
import type { SampleStack } from '../engine.ts';
import { plainFigure, targetFigure, type AccuracySet, type Figure, type Run } from '../figure.ts';
import { apart, seriesStack } from '../series-stack.ts';
import { readMatoGrosso } from '../sources/mato-grosso.ts';
import { readPara } from '../sources/para.ts';
import { readSampleYears } from '../sources/samples.ts';
import { readSinop, SINOP_SET } from '../sources/sinop.ts';
import { readSlovenia, SLOVENIA_SET, sloveniaEvents } from '../sources/slovenia.ts';
import { readSomalia, SOMALIA_SET } from '../sources/somalia.ts';
import { readTowers, TOWERS_SET } from '../sources/towers.ts';
import { cropYears } from './farmland-year.ts';
import { BURNT, FIRE_MS, HECTARE_M2, LANDSAT_CCDC, QUIET, readPixel, WITHIN_MS } from './landsat-ccdc.ts';
import { MATO_GROSSO_CONVERSION, readTruths } from './mato-grosso-conversion.ts';
import {
  MATO_GROSSO_SAMPLES,
  MATO_GROSSO_STACK,
  POINT_CLEARED,
  readPoint,
  stackTruths,
} from './mato-grosso.ts';
import { cutsInForest, PARA } from './para.ts';
import { readSamples, RONDONIA } from './rondonia.ts';
import { JULIAN_YEAR_MS } from '../../../src/base/time.ts';

const SETS = [
  ...[MATO_GROSSO_CONVERSION, MATO_GROSSO_SAMPLES, MATO_GROSSO_STACK, PARA, RONDONIA, LANDSAT_CCDC].map(
    ({ name }) => name,
  ),
  SINOP_SET,
  SLOVENIA_SET,
  SOMALIA_SET,
  TOWERS_SET,
];
const MOST_ERROR = 0.05; // our target for the expected calibration error over all claims
const DRAWS = 1000; // resamples of the interval
/** Parts of a record after which its claims are judged, as a user hears them. */
export const CUTS = [0.5, 0.75, 1];
const LONG_YEARS = 2; // a shorter record is judged at its end only

/** A real stack, the truth of its pixels, and the kind of ground that it shows. */
interface LabelledStack {
  readonly ground: string;
  readonly stack: SampleStack;
  readonly truths: readonly PixelTruth[];
}

/** One claim as the monitor states it at some time, and whether it is true. */
interface StatedClaim {
  readonly ground: string;
  /** The object, which may be stated at several times. */
  readonly object: string;
  readonly confidence: number;
  readonly isTrue: boolean;
}

function allStable(ground: string, stacks: Iterable<SampleStack>): LabelledStack[] {
  return Array.from(stacks, (stack) => ({
    ground,
    stack,
    truths: Array.from({ length: stack.width * stack.height }, (): PixelTruth => 'stable'),
  }));
}

/** Truth within a range of dates. */
function within(fromMs: number, toMs: number): PixelTruth {
  return { changedMs: (fromMs + toMs) / 2, fromMs, toMs, knownMs: fromMs };
}

async function labelledStacks(): Promise<LabelledStack[]> {
  const conversion = await readMatoGrosso(MATO_GROSSO_CONVERSION.name);
  const fields = await readMatoGrosso(MATO_GROSSO_STACK.name);
  const slovenia = await readSlovenia();
  const events = sloveniaEvents(slovenia.width);
  const para = cutsInForest(readPara());
  return [
    { ground: 'forest', stack: para.stack, truths: para.truths },
    { ground: 'forest', stack: conversion, truths: readTruths(conversion.width) },
    {
      ground: 'forest',
      stack: readPoint(),
      truths: [within(POINT_CLEARED.fromMs, POINT_CLEARED.toMs)],
    },
    rondonia(),
    { ground: 'farmland', stack: fields, truths: stackTruths(fields) },
    ...allStable('farmland, one year', [await readSinop(), ...readSampleYears()]),
    ...cropYears(fields).map((stack) => ({
      ground: 'farmland, one year',
      stack,
      truths: stackTruths(fields),
    })),
    {
      ground: 'meadows and temperate forest',
      stack: slovenia,
      truths: Array.from(
        { length: slovenia.width * slovenia.height },
        (_, p): PixelTruth => events.get(p) ?? 'stable',
      ),
    },
    ...allStable('natural vegetation', [...readTowers().values(), ...readSomalia().values()]),
    ...allStable(
      'natural vegetation',
      QUIET.map((name) => ({ ...readPixel(name), pixelAreaM2: HECTARE_M2 })),
    ),
    {
      ground: 'natural vegetation',
      stack: { ...readPixel(BURNT), pixelAreaM2: HECTARE_M2 },
      truths: [within(FIRE_MS - WITHIN_MS, FIRE_MS + WITHIN_MS)],
    },
  ];
}

/** The samples of Rondonia as single pixels of a hectare each, so that one pixel is an object. */
function rondonia(): LabelledStack {
  const samples = readSamples();
  const stack = apart(seriesStack(samples, HECTARE_M2));
  const truths = Array.from({ length: stack.width }, (): PixelTruth => 'unknown');
  for (const [i, { label, timesMs }] of samples.entries())
    truths[2 * i] = label === 'Deforestation' ? within(timesMs[0]!, timesMs.at(-1)!) : 'stable';
  return { ground: 'forest', stack, truths };
}

/** Returns the beginning of a stack, up to a part of its duration. */
export function beginning(stack: SampleStack, part: number): SampleStack {
  const { timesMs, metrics } = stack;
  const times = timesMs.length;
  const [first, last] = [timesMs[0]!, timesMs.at(-1)!];
  const until = timesMs.findLastIndex((ms) => ms <= first + part * (last - first)) + 1;
  const pixels = stack.width * stack.height;
  const cut = Object.entries(metrics).map(([metric, values]) => {
    const kept = new Float64Array(pixels * until);
    for (let p = 0; p < pixels; p++) kept.set(values.subarray(p * times, p * times + until), p * until);
    return [metric, kept];
  });
  return { ...stack, timesMs: timesMs.slice(0, until), metrics: Object.fromEntries(cut) };
}

/**
 * Claims that stand, confirmed or suspected, after parts of the record. A claim is true if at least half of its pixels
 * with known truth changed and its first anomaly lies within the accepted dates of the change.
 */
function statedClaims({ ground, stack, truths }: LabelledStack, number: number): StatedClaim[] {
  const years = (stack.timesMs.at(-1)! - stack.timesMs[0]!) / JULIAN_YEAR_MS;
  return (years < LONG_YEARS ? [1] : CUTS).flatMap((part) =>
    followBy(beginning(stack, part), TOGETHER).objects.flatMap((object) => {
      if (object.status !== 'suspected' && object.status !== 'confirmed') return [];
      const known = [...object.pixels].map((p) => truths[p]!).filter((truth) => truth !== 'unknown');
      if (known.length === 0) return [];
      const right = known.filter(
        (truth) =>
          truth !== 'stable' && object.firstAnomalyMs >= truth.fromMs && object.firstAnomalyMs <= truth.toMs,
      );
      return {
        ground,
        object: `${number}/${object.seed.pixel}/${object.seedAnomalyMs}`,
        confidence: object.confidence,
        isTrue: 2 * right.length >= known.length,
      };
    }),
  );
}

/** Calibration error of claims with its interval; an object that is stated several times is resampled as one. */
function reliability(what: string, claims: readonly StatedClaim[], isAimed: boolean, random: Random): Figure {
  if (claims.length === 0) return plainFigure(what, 'no claims');
  const stated = claims.map(({ confidence }) => confidence);
  const outcomes = claims.map(({ isTrue }) => isTrue);
  const objects = [...new Set(claims.map(({ object }) => object))];
  const indexOf = new Map(objects.map((object, i) => [object, i]));
  const clusters = claims.map(({ object }) => indexOf.get(object)!);
  const error = calibrationError(stated, outcomes);
  const { low, high } = bootstrapInterval(
    [[...objects.keys()]],
    (times) =>
      calibrationError(
        stated,
        outcomes,
        clusters.map((cluster) => times[cluster]!),
      ),
    DRAWS,
    () => random.uniform(),
  );
  const mean = stated.reduce((sum, of) => sum + of, 0) / claims.length;
  const frequency = outcomes.filter(Boolean).length / claims.length;
  const found =
    `ECE ${error.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}, 95 %), stated ${mean.toFixed(2)}, ` +
    `true ${frequency.toFixed(2)} of ${claims.length} claims, ${objects.length} objects`;
  const numbers = {
    ece: error,
    low,
    high,
    stated: mean,
    frequency,
    claims: claims.length,
    objects: objects.length,
  };
  const figure = isAimed
    ? targetFigure(what, found, `at most ${MOST_ERROR}`, error <= MOST_ERROR)
    : plainFigure(what, found);
  return { ...figure, numbers };
}

/** Frequency of the claims by the confidence that is stated, in tenths. */
function curve(claims: readonly StatedClaim[]): Figure[] {
  const binOf = ({ confidence }: StatedClaim): number => Math.min(9, Math.floor(10 * confidence));
  return [...Map.groupBy(claims, binOf)]
    .toSorted(([a], [b]) => a - b)
    .map(([bin, members]) => {
      const right = members.filter(({ isTrue }) => isTrue).length;
      return plainFigure(
        `stated ${(bin / 10).toFixed(1)} to ${((bin + 1) / 10).toFixed(1)}: true`,
        `${right} of ${members.length} (${(right / members.length).toFixed(3)})`,
      );
    });
}

async function measure({ seed }: Run): Promise<Figure[]> {
  const claims = (await labelledStacks()).flatMap(statedClaims);
  const random = new Random(seed);
  const grounds = [...Map.groupBy(claims, ({ ground }) => ground)];
  return [
    reliability('all claims', claims, true, random),
    ...grounds.map(([ground, members]) => reliability(ground, members, false, random)),
    ...curve(claims),
  ];
}

/** Reliability of the stated confidence over all claims on real ground whose truth is known. */
export const RELIABILITY: AccuracySet = {
  name: 'reliability',
  isPresent: () => SETS.every(isPresent),
  measure,
};
