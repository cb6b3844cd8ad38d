import { Random } from '../../calibration/simulated-case.ts';
import { isPresent } from '../data-set.ts';
import { followAll } from '../engine.ts';
import { told, type AccuracySet, type Figure } from '../figure.ts';
import { seriesStack } from '../series-stack.ts';
import { sustainedFalls } from '../sustained-fall.ts';
import {
  found,
  isFlagged,
  LABELS,
  PIXEL_AREA_M2,
  readSamples,
  SET,
  TARGETS,
  type Sample,
} from './rondonia.ts';

const FEW = 13; // samples of each label in a small collection
const DRAWS = 60; // of such collections: the mean is then known to .02
const SEED = 7;

/** Collections of a few samples of each label, drawn at random. */
function smallCollections(samples: readonly Sample[]): Sample[][] {
  const random = new Random(SEED);
  return Array.from({ length: DRAWS }, () => {
    const drawn = LABELS.flatMap((label) =>
      [...samples.keys()]
        .filter((p) => samples[p]!.label === label)
        .map((p) => [random.uniform(), p] as const)
        .toSorted(([a], [b]) => a - b)
        .slice(0, FEW)
        .map(([, p]) => p),
    );
    return drawn.toSorted((a, b) => a - b).map((p) => samples[p]!);
  });
}

/** How many of each label the lowest threshold finds that keeps to the limits of pasture and forest. */
function bestThreshold(samples: readonly Sample[], falls: readonly number[]): string {
  const counts = (least: number): (readonly [label: string, part: number, whole: number])[] =>
    LABELS.map((label) => {
      const members = falls.filter((_, p) => samples[p]!.label === label);
      return [label, members.filter((fall) => fall >= least).length, members.length];
    });
  const keeps = (least: number): boolean =>
    counts(least).every(([label, part, whole]) =>
      TARGETS.every(([other, sign, limit]) => label !== other || sign > 0 || part / whole <= limit),
    );
  const least = Math.min(...falls.filter(keeps));
  return `${least.toFixed(3)}: ${counts(least)
    .map(([label, part, whole]) => `${label} ${part} of ${whole}`)
    .join(', ')}`;
}

function measure(): Figure[] {
  const samples = readSamples();
  const collections = smallCollections(samples).map((few) => ({
    few,
    finding: followAll(seriesStack(few, PIXEL_AREA_M2)),
  }));
  const flagged = LABELS.map((label) => {
    const sum = collections.reduce(
      (hits, { few, finding }) => hits + found(few, finding, label, isFlagged)[0],
      0,
    );
    return `${label} ${(sum / (FEW * DRAWS)).toFixed(2)}`;
  });
  return [
    told(`collections of ${FEW} of each label, ever flagged as a loss on average`, flagged.join(', ')),
    ...(['ndvi', 'evi'] as const).map((index) =>
      told(
        `${index}: the best threshold, in hindsight, on the largest fall that two observations share`,
        bestThreshold(samples, sustainedFalls(samples.map(({ metrics }) => metrics[index]!))),
      ),
    ),
  ];
}

/** What can be told apart in Rondonia at all, and what a collection of few samples does to the monitor. */
export const RONDONIA_BOUND: AccuracySet = {
  name: 'rondonia-bound',
  isPresent: () => isPresent(SET),
  measure: async () => measure(),
};
