import { Random } from '../../calibration/simulated-case.ts';
import { bootstrapInterval } from '../bootstrap.ts';
import { calibrationError } from '../calibration-error.ts';
import { drawReliability } from '../claim-plot.ts';
import { isPresent } from '../data-set.ts';
import type { PixelTruth } from '../detections/detection.ts';
import type { SampleStack } from '../engine.ts';
import { plainFigure, targetFigure, type AccuracySet, type Figure, type Run } from '../figure.ts';
import { judgedClaims, type JudgedClaim, type LabelledStack } from '../judged-claims.ts';
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
import { SOURCES } from './conversions.ts';
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
function allStable(ground: string, source: string, stacks: Iterable<SampleStack>): LabelledStack[] {
  return Array.from(stacks, (stack) => ({
    ground,
    source,
    stack,
    truths: Array.from({ length: stack.width * stack.height }, (): PixelTruth => 'stable'),
  }));
}

/** Truth within a range of dates. */
function within(fromMs: number, toMs: number): PixelTruth {
  return { changedMs: (fromMs + toMs) / 2, fromMs, toMs, knownMs: fromMs };
}

/** Stacks of all labelled sets, with their truth. */
export async function labelledStacks(): Promise<LabelledStack[]> {
  const conversion = await readMatoGrosso(MATO_GROSSO_CONVERSION.name);
  const fields = await readMatoGrosso(MATO_GROSSO_STACK.name);
  const slovenia = await readSlovenia();
  const events = sloveniaEvents(slovenia.width);
  const para = cutsInForest(readPara());
  return [
    { ground: 'forest', source: SOURCES.para, stack: para.stack, truths: para.truths },
    { ground: 'forest', source: SOURCES.matoGrosso, stack: conversion, truths: readTruths(conversion.width) },
    {
      ground: 'forest',
      source: SOURCES.samples,
      stack: readPoint(),
      truths: [within(POINT_CLEARED.fromMs, POINT_CLEARED.toMs)],
    },
    rondonia(),
    { ground: 'farmland', source: SOURCES.matoGrosso, stack: fields, truths: stackTruths(fields) },
    ...allStable('farmland, one year', 'Sinop', [await readSinop()]),
    ...allStable('farmland, one year', SOURCES.samples, readSampleYears()),
    ...cropYears(fields).map((stack) => ({
      ground: 'farmland, one year',
      source: SOURCES.matoGrosso,
      stack,
      truths: stackTruths(fields),
    })),
    {
      ground: 'meadows and temperate forest',
      source: SOURCES.slovenia,
      stack: slovenia,
      truths: Array.from(
        { length: slovenia.width * slovenia.height },
        (_, p): PixelTruth => events.get(p) ?? 'stable',
      ),
    },
    ...allStable('natural vegetation', 'towers', readTowers().values()),
    ...allStable('natural vegetation', 'Somalia', readSomalia().values()),
    ...allStable(
      'natural vegetation',
      'Landsat',
      QUIET.map((name) => ({ ...readPixel(name), pixelAreaM2: HECTARE_M2 })),
    ),
    {
      ground: 'natural vegetation',
      source: 'Landsat',
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
  return { ground: 'forest', source: 'Rondonia', stack, truths };
}

/**
 * Calibration error that the same number of claims would have if each came true exactly as often as stated: the error
 * that chance alone makes. All claims of an object come true together.
 */
function chanceError(
  stated: readonly number[],
  clusters: readonly number[],
  objects: number,
  random: Random,
): { mean: number; low: number; high: number } {
  const errors = Float64Array.from({ length: DRAWS }, () => {
    const draws = Array.from({ length: objects }, () => random.uniform());
    return calibrationError(
      stated,
      stated.map((confidence, i) => draws[clusters[i]!]! < confidence),
    );
  }).sort();
  const at = (share: number): number => errors[Math.floor(share * DRAWS)]!;
  return { mean: errors.reduce((sum, error) => sum + error, 0) / DRAWS, low: at(0.025), high: at(0.975) };
}

/** Calibration error of claims with its interval; an object that is stated several times is resampled as one. */
function reliability(what: string, claims: readonly JudgedClaim[], isAimed: boolean, random: Random): Figure {
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
  const chance = chanceError(stated, clusters, objects.length, random);
  const mean = stated.reduce((sum, of) => sum + of, 0) / claims.length;
  const frequency = outcomes.filter(Boolean).length / claims.length;
  const found =
    `ECE ${error.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}, 95 %), stated ${mean.toFixed(2)}, ` +
    `true ${frequency.toFixed(2)} of ${claims.length} claims, ${objects.length} objects; ` +
    `by chance alone ${chance.mean.toFixed(3)} (${chance.low.toFixed(3)} to ${chance.high.toFixed(3)})`;
  const numbers = {
    ece: error,
    low,
    high,
    stated: mean,
    frequency,
    claims: claims.length,
    objects: objects.length,
    chance: chance.mean,
  };
  const figure = isAimed
    ? targetFigure(what, found, `at most ${MOST_ERROR}`, error <= MOST_ERROR)
    : plainFigure(what, found);
  return { ...figure, numbers };
}

/** Frequency of the claims by the confidence that is stated, in tenths, and the part of each tenth in the error. */
function curve(claims: readonly JudgedClaim[]): Figure[] {
  const binOf = ({ confidence }: JudgedClaim): number => Math.min(9, Math.floor(10 * confidence));
  return [...Map.groupBy(claims, binOf)]
    .toSorted(([a], [b]) => a - b)
    .map(([bin, members]) => {
      const right = members.filter(({ isTrue }) => isTrue).length;
      const stated = members.reduce((sum, { confidence }) => sum + confidence, 0);
      return plainFigure(
        `stated ${(bin / 10).toFixed(1)} to ${((bin + 1) / 10).toFixed(1)}: true`,
        `${right} of ${members.length} (${(right / members.length).toFixed(3)}), stated ${(stated / members.length).toFixed(3)}, ` +
          `${(Math.abs(stated - right) / claims.length).toFixed(4)} of the error`,
      );
    });
}

async function measure({ seed, plots }: Run): Promise<Figure[]> {
  const claims = (await labelledStacks()).flatMap(judgedClaims);
  if (plots) drawReliability(claims);
  const random = new Random(seed);
  const grounds = [...Map.groupBy(claims, ({ ground }) => ground)];
  const sources = [...Map.groupBy(claims, ({ source }) => source)];
  return [
    reliability('all claims', claims, true, random),
    ...grounds.map(([ground, members]) => reliability(ground, members, false, random)),
    ...curve(claims),
    ...sources.map(([source, members]) => reliability(`source ${source}`, members, false, random)),
  ];
}

/** Reliability of the stated confidence over all claims on real ground whose truth is known. */
export const RELIABILITY: AccuracySet = {
  name: 'reliability',
  isPresent: () => SETS.every(isPresent),
  measure,
};
