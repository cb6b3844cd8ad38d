import { Random } from '../../calibration/simulated-case.ts';
import { isPresent } from '../data-set.ts';
import { follow, followAll, type Finding } from '../engine.ts';
import { plainFigure, type AccuracySet, type Figure } from '../figure.ts';
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

/** Numbers of samples per label in a small collection: two sizes are tried. */
const SIZES = [13, 20];
const DRAWS = 120; // number of small collections of each size: their mean shares are accurate to 0.01
const SEED = 7;

/** Draws random collections with `size` samples of each label. */
function smallCollections(samples: readonly Sample[], size: number): Sample[][] {
  const random = new Random(SEED);
  return Array.from({ length: DRAWS }, () => {
    const drawn = LABELS.flatMap((label) =>
      [...samples.keys()]
        .filter((p) => samples[p]!.label === label)
        .map((p) => [random.uniform(), p] as const)
        .toSorted(([a], [b]) => a - b)
        .slice(0, size)
        .map(([, p]) => p),
    );
    return drawn.toSorted((a, b) => a - b).map((p) => samples[p]!);
  });
}

/**
 * For the small collections: the mean share of flagged samples of each label, and the share of collections that meet
 * all targets.
 */
function inSmallCollections(
  few: readonly (readonly Sample[])[],
  findings: readonly Finding[],
  size: number,
): string {
  const shares = few.map((samples, i) =>
    LABELS.map((label) => found(samples, findings[i]!, label, isFlagged)[0] / size),
  );
  const means = LABELS.map(
    (label, l) => `${label} ${(shares.reduce((sum, of) => sum + of[l]!, 0) / DRAWS).toFixed(2)}`,
  );
  const passed = shares.filter((of) =>
    TARGETS.every(([label, sign, limit]) => sign * (of[LABELS.indexOf(label)]! - limit) >= 0),
  );
  return `${means.join(', ')}; within all limits ${(passed.length / DRAWS).toFixed(2)}`;
}

/** Lowest threshold that meets the limits for pasture and forest, and how many samples of each label reach it. */
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
  const small = SIZES.flatMap((size) => {
    const few = smallCollections(samples, size);
    const stacks = few.map((drawn) => seriesStack(drawn, PIXEL_AREA_M2));
    const what = `collections of ${size} of each label, ever flagged as a loss on average`;
    return [
      plainFigure(`${what}, both indices together`, inSmallCollections(few, stacks.map(followAll), size)),
      plainFigure(
        `${what}, NDVI alone`,
        inSmallCollections(
          few,
          stacks.map((stack) => follow(stack)),
          size,
        ),
      ),
    ];
  });
  return [
    ...small,
    ...(['ndvi', 'evi'] as const).map((index) =>
      plainFigure(
        `${index}: the best threshold, in hindsight, on the largest fall that two observations share`,
        bestThreshold(samples, sustainedFalls(samples.map(({ metrics }) => metrics[index]!))),
      ),
    ),
  ];
}

/** The best separation of labels by any threshold in Rondonia, and the effect of a small collection on the monitor. */
export const RONDONIA_BOUND: AccuracySet = {
  name: 'rondonia-bound',
  isPresent: () => isPresent(SET),
  measure: async () => measure(),
};
